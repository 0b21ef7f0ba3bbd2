// SPDX-License-Identifier: MIT
// The paths of the slow requests that nodes tell one by one. They say no host, so they are the site's only where a config has
// no other site.
import { useQuery } from '@tanstack/react-query'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import type { Session, Site } from '../../lib/api-types.ts'
import { formatCount, formatSeconds, plural } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { NODES_ASKED, slowPathsQuery } from './api.ts'
import { slowPathsOf } from './rules.ts'

type Props = { site: Site; session: Session }

export function SlowPathsPanel({ site, session }: Props) {
  const why = whyNothing(site, session)
  const slow = useQuery({ ...slowPathsQuery(site), enabled: why === null })
  const asked = Math.min(NODES_ASKED, site.serving?.total ?? 0)
  return (
    <section className="panel" aria-labelledby="slow-paths-heading">
      <div className="panel-head">
        <h3 id="slow-paths-heading">Slow paths</h3>
        {why === null && (
          <span className="dim">
            last 24 h, {asked < (site.serving?.total ?? 0) && 'the first '}
            {plural(asked, 'node')}
          </span>
        )}
      </div>
      {why !== null ? (
        <p className="panel-body dim">{why}</p>
      ) : (
        <QueryStates query={slow} what="The slow requests" skeletonRows={3}>
          {(samples) =>
            samples.length === 0 ? (
              <p className="panel-body dim">No request was slow.</p>
            ) : (
              <Paths samples={samples} />
            )
          }
        </QueryStates>
      )}
    </section>
  )
}

function whyNothing({ sitesOfConfig, serving, config }: Site, session: Session): string | null {
  const refusal = whyNot(session, 'requests:read')
  if (refusal !== null) return refusal
  if (serving === null || serving.total === 0) return 'No node serves it yet.'
  return sitesOfConfig === 1
    ? null
    : `Nodes report the path of a slow request, not its host, and ${config} has ${sitesOfConfig} sites: nobody can tell which were for this one. Each node’s page lists its slow requests.`
}

function Paths({ samples }: { samples: Parameters<typeof slowPathsOf>[0] }) {
  return (
    <ScrollBox label="Slow paths, table">
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col" className="num">
              Slow requests
            </th>
            <th scope="col" className="num">
              Slowest
            </th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {slowPathsOf(samples).map(({ path, requests, slowestSeconds, status }) => (
            <tr key={path}>
              <td>
                {path === '' ? <span className="dim">not readable</span> : <code>{path}</code>}
              </td>
              <td className="num">{formatCount(requests)}</td>
              <td className="num">{formatSeconds(slowestSeconds)}</td>
              <td>{status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

// SPDX-License-Identifier: MIT
// The paths of the slow requests that nodes tell one by one. They say no host, so they are the site's only where a config has
// no other site.

import { useQuery } from '@tanstack/react-query'
import { Quantity } from '../../components/quantity.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { t } from '../../languages/t.ts'
import type { Session, Site } from '../../lib/api-types.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
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
        <h3 id="slow-paths-heading">{t('Slow paths')}</h3>
        {why === null && (
          <span className="dim">
            {asked < (site.serving?.total ?? 0)
              ? t('last 24 h, the first {asked, plural, one {# node} other {# nodes}}', { asked })
              : t('last 24 h, {asked, plural, one {# node} other {# nodes}}', { asked })}
          </span>
        )}
      </div>
      {why !== null ? (
        <p className="panel-body dim">{why}</p>
      ) : (
        <QueryStates query={slow} what={t('The slow requests')} skeletonRows={3}>
          {(samples) =>
            samples.length === 0 ? (
              <p className="panel-body dim">{t('No request was slow.')}</p>
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
  if (serving === null || serving.total === 0) return t('No node serves it yet.')
  return sitesOfConfig === 1
    ? null
    : t(
        'Nodes report the path of a slow request, not its host, and {config} has {sitesOfConfig} sites: nobody can tell which were for this one. Each node’s page lists its slow requests.',
        { config, sitesOfConfig },
      )
}

function Paths({ samples }: { samples: Parameters<typeof slowPathsOf>[0] }) {
  return (
    <ScrollBox label={t('Slow paths, table')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Path')}</th>
            <th scope="col" className="num">
              {t('Slow requests')}
            </th>
            <th scope="col" className="num">
              {t('Slowest')}
            </th>
            <th scope="col">{t('Status')}</th>
          </tr>
        </thead>
        <tbody>
          {slowPathsOf(samples).map(({ path, requests, slowestSeconds, status }) => (
            <tr key={path}>
              <td>
                {path === '' ? (
                  <span className="dim">{t('not readable')}</span>
                ) : (
                  <code>{path}</code>
                )}
              </td>
              <td className="num">{formatCount(requests)}</td>
              <td className="num">
                <Quantity of={slowestSeconds} as={formatSeconds} />
              </td>
              <td>{status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

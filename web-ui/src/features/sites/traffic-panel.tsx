// SPDX-License-Identifier: MIT
// What the nodes did that serve the site, by version. Nodes count their requests together, whichever site they were for:
// only where a config has one site are they the site's.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import type { Session, Site } from '../../lib/api-types.ts'
import { formatByteRate, formatRate, formatRatio, formatSeconds, plural } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { type RangeKey, ranges } from '../../lib/time-range.ts'
import { MOST_VERSIONS, trafficQuery } from './api.ts'
import { type StatusClass, statusClasses, type Traffic, trafficOf } from './rules.ts'

type Props = { site: Site; range: RangeKey; session: Session }

export function TrafficPanel({ site, range, session }: Props) {
  const refusal = whyNot(session, 'metrics:read')
  const { config, sitesOfConfig } = site
  const shown = site.versions.slice(0, MOST_VERSIONS)
  const versions = shown.map(({ version }) => version)
  const traffic = useQuery({
    ...trafficQuery(config, versions, range),
    enabled: refusal === null && versions.length > 0,
  })
  const isAlone = sitesOfConfig === 1
  return (
    <section className="panel" aria-labelledby="traffic-heading">
      <div className="panel-head">
        <h3 id="traffic-heading">
          {isAlone ? 'Its requests' : `Requests for all ${sitesOfConfig} sites of ${config}`}
        </h3>
        <span className="dim">last {ranges[range].label}</span>
      </div>
      <p className="panel-body dim">
        {isAlone
          ? `${config} has only this site, so everything that its nodes answer counts here, even for hosts that are not its own.`
          : `Nodes count the requests of all their sites together, and so do these numbers. The share of this site is not measured; an access log of its own would tell its requests apart.`}
      </p>
      {refusal !== null && <p className="panel-body">{refusal}</p>}
      {refusal === null && versions.length === 0 && (
        <p className="panel-body">No node serves it, so there is nothing to measure.</p>
      )}
      {refusal === null && versions.length > 0 && (
        <QueryStates query={traffic} what="The traffic" skeletonRows={3}>
          {(sets) => <TrafficTable rows={trafficOf(sets)} config={config} range={range} />}
        </QueryStates>
      )}
      {site.versions.length > shown.length && (
        <p className="panel-body dim">
          And {plural(site.versions.length - shown.length, 'older version')}.
        </p>
      )}
    </section>
  )
}

const classKeys = Object.keys(statusClasses) as StatusClass[]

type TableProps = { rows: Traffic[]; config: string; range: RangeKey }

function TrafficTable({ rows, config, range }: TableProps) {
  return (
    <ScrollBox label="Traffic by version, table">
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col" className="num">
              Requests per second
            </th>
            <th scope="col" className="num">
              Sent
            </th>
            {classKeys.map((key) => (
              <th key={key} scope="col" className="num">
                {statusClasses[key]}
              </th>
            ))}
            <th scope="col" className="num">
              Latest p99
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.version}>
              <td className="nowrap">
                <Link to="/measurements" search={{ of: `version:${config}/${row.version}`, range }}>
                  v{row.version}
                </Link>{' '}
                <span className="dim">{plural(row.nodes, 'node')}</span>
              </td>
              <td className="num">
                {formatRate(row.requestsPerSecond)}
                {row.requests === null && <div className="dim">nothing measured</div>}
              </td>
              <td className="num">{formatByteRate(row.bytesPerSecond)}</td>
              {classKeys.map((key) => (
                <td key={key} className="num">
                  {formatRatio(row.shares[key])}
                </td>
              ))}
              <td className="num">{formatSeconds(row.p99Seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

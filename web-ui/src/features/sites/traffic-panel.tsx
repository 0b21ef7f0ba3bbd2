// SPDX-License-Identifier: MIT
// What nodes answered for the site, all of them together: over time, by status and by version.

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { useHappened } from '../../hooks/use-happened.ts'
import { t } from '../../languages/t.ts'
import type { Session, Site, SiteTraffic } from '../../lib/api-types.ts'
import type { About } from '../../lib/happened.ts'
import { whyNot } from '../../lib/permissions.ts'
import { formatDateTime } from '../../lib/time.ts'
import { chosenSpan, fixedSpan, rangeOf, type TimeSearch } from '../../lib/time-range.ts'
import { trafficQuery } from './api.ts'
import { hostWords } from './rules.ts'
import { TrafficCharts } from './traffic-charts.tsx'
import { TrafficTable } from './traffic-table.tsx'

type Props = {
  site: Site
  time: TimeSearch
  session: Session
  onTime: (time: TimeSearch) => void
}

export function TrafficPanel(props: Props) {
  const { site, time, session } = props
  const refusal = whyNot(session, 'metrics:read')
  const traffic = useQuery({
    ...trafficQuery(site.config, site.host, time),
    enabled: refusal === null,
  })
  return (
    <section className="panel" aria-labelledby="traffic-heading">
      <div className="panel-head">
        <h3 id="traffic-heading">{t('Requests for {host}', { host: hostWords(site.host) })}</h3>
        <span className="dim">{timeWords(time)}</span>
      </div>
      {refusal !== null ? (
        <p className="panel-body">{refusal}</p>
      ) : (
        <QueryStates query={traffic} what={t('The traffic')} skeletonRows={6}>
          {(answer) => <Counted {...props} traffic={answer} />}
        </QueryStates>
      )}
    </section>
  )
}

function timeWords(time: TimeSearch): string {
  const fixed = fixedSpan(time)
  if (fixed === null) return t('last {label}', { label: rangeOf(time).label })
  const [from, to] = [fixed.from, fixed.to].map((at) => formatDateTime(at * 1000))
  return t('{from} to {to}', { from, to })
}

function Counted({ site, time, session, onTime, traffic }: Props & { traffic: SiteTraffic }) {
  const { versions } = traffic
  const about = useMemo(
    (): About => ({
      rollout: ({ config }) => config === site.config,
      alert: ({ subject }) => subject.kind === 'set',
    }),
    [site.config],
  )
  const { marks } = useHappened(session, time, about)
  if (versions === null) {
    return (
      <p className="panel-body">
        {t(
          'You see a part of the farm, and requests by site are counted for all nodes together. Each node’s own rate stands above, with the nodes that serve it.',
        )}
      </p>
    )
  }
  if (versions.length === 0) {
    return (
      <EmptyState title={t('Nothing was counted in this time')}>
        {site.nodes === 0
          ? t('No node serves it.')
          : t(
              'Nobody asked for it, or its nodes are of a release that does not count by site yet.',
            )}
      </EmptyState>
    )
  }
  const alone = versions.filter(({ isCountedAlone }) => isCountedAlone)
  if (alone.length === 0) return <NotAlone site={site} />
  const nowSeconds = Date.now() / 1000
  return (
    <>
      <TrafficCharts
        traffic={{ ...traffic, versions: alone }}
        nowSeconds={nowSeconds}
        marks={marks}
        onZoom={(from, to) => onTime(chosenSpan(from, to, Date.now() / 1000))}
      />
      <TrafficTable {...{ site, time, traffic, nowSeconds }} />
    </>
  )
}

const NotAlone = ({ site: { config } }: { site: Site }) => (
  <p className="panel-body">
    {t(
      'Nodes count the first 256 sites of a config one by one. This one stands further back in {config}, and is counted together with the others there. Move it up in the text to have it counted by itself.',
      { config },
    )}
  </p>
)

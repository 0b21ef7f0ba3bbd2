// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { LATENCY_SCALE } from '../../components/chart/scale.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { PlainListenerNotice } from '../../components/plain-listener-notice.tsx'
import { QueryStates, SkeletonRows } from '../../components/query-states.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import type { Node, Session } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { loadChunk } from '../../lib/load-chunk.ts'
import { whyNot } from '../../lib/permissions.ts'
import { metricsQuery, nodesQuery, selectedNodesQuery } from './api.ts'
import { nodesToAsk } from './farm-chart-rules.ts'
import { FarmFilter } from './farm-filter.tsx'
import { ordered } from './farm-order.ts'
import classes from './farm-screen.module.css'
import type { FarmSearch } from './farm-search.ts'
import { NodeCards } from './node-cards.tsx'
import { NodesTable } from './nodes-table.tsx'
import { matchesFilter } from './rules.ts'

export type FarmScreenProps = {
  session: Session
  search: FarmSearch
  onSearch: (search: FarmSearch) => void
}

const FarmChart = lazy(() =>
  loadChunk(() => import('./farm-chart.tsx')).then((m) => ({ default: m.FarmChart })),
)

const sparkWindow = { rangeSeconds: 1800, stepSeconds: 60, stage: 'total' } as const

export function FarmScreen({ session, search, onSearch }: FarmScreenProps) {
  const nodes = useQuery(nodesQuery)
  const blocked = whyNot(session, 'nodes:enrol')
  const variant = nodes.data?.length === 0 ? 'filled' : 'default'
  const addNode =
    blocked === null ? (
      <ButtonLink to="/enrolment" variant={variant}>
        Add a node
      </ButtonLink>
    ) : (
      <ActionButton variant={variant} blockedBy={blocked}>
        Add a node
      </ActionButton>
    )
  return (
    <Page
      title="Farm"
      actions={nodes.data?.length === 0 ? undefined : <FarmActions addNode={addNode} />}
    >
      <PlainListenerNotice />
      <div className="panel">
        <QueryStates query={nodes} what="The nodes" skeletonRows={4}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState title="No node has joined yet" action={addNode}>
                A node joins by itself: make a one-time token here, run the one command it gives on
                the machine that is to serve, and watch it appear.
              </EmptyState>
            ) : (
              <FilteredNodes all={all} search={search} onSearch={onSearch} />
            )
          }
        </QueryStates>
      </div>
      {nodes.data !== undefined && nodes.data.length > 0 && (
        <Suspense fallback={<ChartFallback />}>
          <FarmChart
            nodes={nodes.data}
            scale={search.scale ?? LATENCY_SCALE}
            onScale={(scale) => onSearch({ ...search, scale })}
          />
        </Suspense>
      )}
    </Page>
  )
}

function FarmActions({ addNode }: { addNode: React.ReactNode }) {
  return (
    <>
      <ButtonLink to="/groups" variant="default">
        Groups
      </ButtonLink>
      {addNode}
    </>
  )
}

function ChartFallback() {
  return (
    <div className="panel">
      <SkeletonRows rows={6} label="The measurements" />
    </div>
  )
}

type FilteredNodesProps = Omit<FarmScreenProps, 'session'> & { all: Node[] }

function FilteredNodes({ all, search, onSearch }: FilteredNodesProps) {
  const narrow = useNarrow()
  const sparks = useQuery(metricsQuery(nodesToAsk(all), sparkWindow))
  const { q, state, group, cordoned, selector } = search
  const selected = useQuery({
    ...selectedNodesQuery(selector ?? ''),
    enabled: selector !== undefined,
  })
  const among = selector === undefined ? undefined : selected.data
  const shown = useMemo(
    () =>
      all.filter(
        (node) =>
          matchesFilter(node, { q, state, group, cordoned }) &&
          (among === undefined || among.has(node.id)),
      ),
    [all, q, state, group, cordoned, among],
  )
  const series = useMemo(
    () => new Map(sparks.data?.series.map((one) => [one.nodeId, one.p99Seconds])),
    [sparks.data],
  )
  const windowSeconds = all[0]?.latency.windowSeconds ?? 0
  const filters = { q, state, group, cordoned, selector }
  const { sort, desc, scale } = search
  const filtering = Object.values(filters).some((filter) => filter !== undefined)
  return (
    <>
      <div className="panel-head">
        <FarmFilter
          all={all}
          search={search}
          onSearch={onSearch}
          selectorError={selected.isError ? selected.error.message : null}
          withOrder={narrow}
        />
        <span className={classes.counted} role="status">
          {filtering
            ? `${shown.length} of ${plural(all.length, 'node')}`
            : plural(all.length, 'node')}
          {windowSeconds > 0 && `, latency over ${windowSeconds / 60} min`}
        </span>
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No node matches">
          {plural(all.length, 'node')} {all.length === 1 ? 'is' : 'are'} hidden by the filter.{' '}
          <button
            type="button"
            className={classes.link}
            onClick={() => onSearch({ sort, desc, scale })}
          >
            Show all nodes
          </button>
        </EmptyState>
      ) : narrow ? (
        <NodeCards nodes={ordered(shown, search)} p99={series} />
      ) : (
        <NodesTable nodes={shown} p99={series} search={search} onSearch={onSearch} />
      )}
    </>
  )
}

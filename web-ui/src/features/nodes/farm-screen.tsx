// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { LATENCY_SCALE } from '../../components/chart/scale.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { PlainListenerNotice } from '../../components/plain-listener-notice.tsx'
import { QueryStates, SkeletonRows } from '../../components/query-states.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Node, NodeList, Session } from '../../lib/api-types.ts'
import { formatCount } from '../../lib/format.ts'
import { part } from '../../lib/load-chunk.ts'
import { groupNamesQuery } from '../../lib/name-queries.ts'
import { may, whyNot } from '../../lib/permissions.ts'
import { farmSummaryQuery, metricsQuery } from './api.ts'
import { BulkBar } from './bulk/bulk-bar.tsx'
import type { Selecting } from './bulk/select-boxes.tsx'
import { noSelection, type Selection } from './bulk/selection.ts'
import { nodesToAsk } from './farm-chart-rules.ts'
import { FarmFilter } from './farm-filter.tsx'
import type { FarmRow } from './farm-rows.ts'
import classes from './farm-screen.module.css'
import {
  canSortBy,
  type FarmSearch,
  isFiltering,
  listOf,
  MOST_MEASURED,
  withoutFilters,
} from './farm-search.ts'
import { NodeCards } from './node-cards.tsx'
import { NodesTable } from './nodes-table.tsx'
import { type FarmRows, useFarmRows } from './use-farm-rows.ts'

export type FarmScreenProps = {
  session: Session
  search: FarmSearch
  onSearch: (search: FarmSearch) => void
}

const FarmChart = lazy(
  part(() => import('./farm-chart.tsx').then((m) => ({ default: m.FarmChart }))),
)

const TYPING_MS = 200
const sparkWindow = { rangeSeconds: 1800, stepSeconds: 60, stage: 'total' } as const

export function FarmScreen({ session, search, onSearch }: FarmScreenProps) {
  // Of a word that is being typed not each beginning is looked for.
  const [q] = useDebouncedValue(search.q, TYPING_MS)
  const list = listOf({ ...search, q })
  const rows = useFarmRows(list)
  const total = rows.data?.length
  const isEmpty = total === 0 && !isFiltering(list)
  const blocked = whyNot(session, 'nodes:enrol')
  const addNode =
    blocked === null ? (
      <ButtonLink to="/enrolment">{t('Add a node')}</ButtonLink>
    ) : (
      <ActionButton blockedBy={blocked}>{t('Add a node')}</ActionButton>
    )
  return (
    <Page title={t('Nodes')} actions={isEmpty ? undefined : <FarmActions addNode={addNode} />}>
      <PlainListenerNotice />
      <div className="panel">
        {isEmpty ? (
          <EmptyState title={t('No node has joined yet')} action={addNode}>
            {t(
              'Make a one-time token, run the command it gives you on the machine that will serve, and the node appears here.',
            )}
          </EmptyState>
        ) : (
          <Nodes rows={rows} list={list} search={search} onSearch={onSearch} session={session} />
        )}
      </div>
      {total !== undefined && total > 0 && (
        <Suspense fallback={<ChartFallback />}>
          <FarmChart
            list={list}
            total={total}
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
        {t('Groups')}
      </ButtonLink>
      {addNode}
    </>
  )
}

function ChartFallback() {
  return (
    <div className="panel">
      <SkeletonRows rows={6} label={t('The measurements')} />
    </div>
  )
}

type NodesProps = FarmScreenProps & { rows: FarmRows; list: NodeList }

function Nodes({ rows, list, search, onSearch, session }: NodesProps) {
  const narrow = useNarrow()
  const [selection, setSelection] = useSelection(list)
  const selecting = may(session, 'nodes:write') ? { selection, onSelect: setSelection } : null
  const farm = useQuery(farmSummaryQuery)
  const total = rows.data?.length
  // To choose of, and dear: the control plane counts the nodes of each. So not before the rows.
  const groups = useQuery({ ...groupNamesQuery, enabled: total !== undefined })
  const showAll = () => onSearch(withoutFilters(search))
  const selectorError = isApiError(rows.error, 422) ? rows.error.message : null
  return (
    <>
      <div className="panel-head">
        <FarmFilter
          counts={farm.data?.nodes}
          groups={groups.data ?? []}
          listed={total ?? 0}
          search={search}
          onSearch={onSearch}
          selectorError={selectorError}
          withOrder={narrow}
        />
        <span className={classes.counted} role="status">
          {total !== undefined && countedWords({ total, list, all: farm.data?.nodes.total })}
          <LatencySpan nodes={rows.nodes} />
        </span>
      </div>
      {selectorError !== null ? (
        <NoneShown title={t('No node is listed')} onShowAll={showAll}>
          {t('The label selector is not valid; the reason is shown below it.')}
        </NoneShown>
      ) : isTooMany(rows.error) ? (
        <EmptyState
          title={t('Too many nodes to sort by measurements')}
          action={
            <Button
              variant="default"
              onClick={() => onSearch({ ...search, sort: undefined, desc: undefined })}
            >
              {t('Sort by name')}
            </Button>
          }
        >
          {t(
            'What was measured is looked up for each node, and that for {mostMeasured, plural, one {# node} other {# nodes}} at most. Filter the list, or sort it by something else.',
            { mostMeasured: MOST_MEASURED },
          )}
        </EmptyState>
      ) : (
        <QueryStates query={rows} what={t('The nodes')} skeletonRows={4}>
          {(all) =>
            all.length === 0 ? (
              <NoneShown title={t('No node matches')} onShowAll={showAll}>
                {t('The filter hides all of them.')}
              </NoneShown>
            ) : (
              <Rows
                all={all}
                rows={rows}
                search={search}
                onSearch={onSearch}
                narrow={narrow}
                selecting={selecting}
              />
            )
          }
        </QueryStates>
      )}
      {selecting && <BulkBar {...selecting} list={list} listed={total ?? 0} />}
    </>
  )
}

/** "All that are listed" is said of one filter: with another nothing of it is left. Single ones stay chosen while one looks for more. */
function useSelection(list: NodeList): [Selection, (selection: Selection) => void] {
  const { sort: _, order: __, ...filter } = list
  const of = JSON.stringify(filter)
  const [held, setHeld] = useState<{ of: string; selection: Selection }>({
    ...{ of, selection: noSelection },
  })
  const isGone = held.selection.kind === 'matching' && held.of !== of
  return [isGone ? noSelection : held.selection, (selection) => setHeld({ of, selection })]
}

const isTooMany = (error: Error | null) => isApiError(error) && error.code === 'too_many_to_measure'

type Counted = { total: number; list: NodeList; all: number | undefined }

function countedWords({ total, list, all }: Counted): string {
  const words =
    isFiltering(list) && all !== undefined
      ? t('{total} of {all, plural, one {# node} other {# nodes}}', {
          total: formatCount(total),
          all,
        })
      : t('{total, plural, one {# node} other {# nodes}}', { total })
  return canSortBy('p99', total)
    ? words
    : t('{words}, sorted by measurements once filtered to {mostMeasured}', {
        words,
        mostMeasured: formatCount(MOST_MEASURED),
      })
}

function LatencySpan({ nodes }: { nodes: readonly Node[] }) {
  const seconds = nodes[0]?.latency.windowSeconds ?? 0
  return seconds > 0 && t(', latency over {seconds} min', { seconds: seconds / 60 })
}

type NoneShownProps = { title: string; onShowAll: () => void; children: React.ReactNode }

function NoneShown({ title, onShowAll, children }: NoneShownProps) {
  return (
    <EmptyState title={title}>
      {children}{' '}
      <button type="button" className={classes.link} onClick={onShowAll}>
        {t('Show all nodes')}
      </button>
    </EmptyState>
  )
}

type RowsProps = Pick<NodesProps, 'rows' | 'search' | 'onSearch'> & {
  all: readonly FarmRow[]
  narrow: boolean
  selecting: Selecting | null
}

function Rows({ all, rows, narrow, selecting, ...searching }: RowsProps) {
  const sparks = useQuery(metricsQuery(nodesToAsk(rows.nodes), sparkWindow))
  const p99 = useMemo(
    () => new Map(sparks.data?.series.map((one) => [one.nodeId, one.p99Seconds])),
    [sparks.data],
  )
  const shown = { rows: all, p99, onDrawn: rows.onDrawn, selecting }
  return narrow ? <NodeCards {...shown} /> : <NodesTable {...shown} {...searching} />
}

// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { type Column as Head, LongTable, type Sorting } from '../../components/long-table.tsx'
import { Quantity } from '../../components/quantity.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { t } from '../../languages/t.ts'
import type { Node } from '../../lib/api-types.ts'
import { formatRate, formatRatio, formatSeconds } from '../../lib/format.ts'
import { SelectAllBox, SelectBox, type Selecting } from './bulk/select-boxes.tsx'
import type { FarmRow } from './farm-rows.ts'
import classes from './farm-screen.module.css'
import {
  type ColumnKey,
  canSortBy,
  type FarmSearch,
  hiddenColumns,
  type SortKey,
} from './farm-search.ts'
import { ClientErrors, Identities, Labels, LastSeen, States, Urls } from './node-cells.tsx'
import { errorRatio, whyNoLatency } from './rules.ts'
import type { FarmRows } from './use-farm-rows.ts'

type P99 = readonly (number | null)[]

export type NodesTableProps = {
  rows: readonly FarmRow[]
  p99: ReadonlyMap<string, P99>
  search: FarmSearch
  onSearch: (search: FarmSearch) => void
  onDrawn: FarmRows['onDrawn']
  /** null: whoever looks may change none. */
  selecting: Selecting | null
}

type Column = {
  title: string
  /** null: it is always there. */
  key: ColumnKey | null
  sort?: SortKey
  /** What one looks for is the largest. */
  isDescendingFirst?: true
  isNumeric?: true
  cell: (node: Node, p99: P99) => React.ReactNode
}
const measured = { isDescendingFirst: true, isNumeric: true } as const

const allColumns: Column[] = [
  {
    ...{ title: t('Node'), key: null },
    sort: 'name',
    cell: (node) => (
      <Link to="/nodes/$id" params={{ id: node.id }} className={classes.name ?? ''}>
        {node.name}
      </Link>
    ),
  },
  { title: t('State'), key: 'state', sort: 'state', cell: (node) => <States node={node} /> },
  { title: t('Connection'), key: 'seen', sort: 'seen', cell: (node) => <LastSeen node={node} /> },
  { title: t('Version'), key: 'version', cell: ({ sync }) => <Identities sync={sync} /> },
  {
    ...{ title: 'p50', key: 'p50', sort: 'p50', ...measured },
    cell: ({ latency }) => <Quantity of={latency.p50Seconds} as={formatSeconds} />,
  },
  {
    ...{ title: 'p99', key: 'p99', sort: 'p99', ...measured },
    cell: (node, p99) => (
      <span className={classes.latency}>
        <Sparkline values={p99} className={classes.spark} />
        {whyNoLatency(node) ?? formatSeconds(node.latency.p99Seconds)}
      </span>
    ),
  },
  {
    ...{ title: t('Requests/s'), key: 'rate', sort: 'rate', ...measured },
    cell: ({ latency }) => <Quantity of={latency.requestsPerSecond} as={formatRate} />,
  },
  {
    ...{ title: '4xx', key: 'clientErrors', sort: 'clientErrors', ...measured },
    cell: (node) => <ClientErrors node={node} />,
  },
  {
    ...{ title: '5xx', key: 'errors', sort: 'errors', ...measured },
    cell: (node) => <Quantity of={errorRatio(node)} as={formatRatio} />,
  },
  { title: t('Serves'), key: 'urls', cell: ({ urls }) => <Urls urls={urls} /> },
  { title: t('Labels'), key: 'labels', cell: ({ labels }) => <Labels labels={labels} /> },
]

/** Those that may be left out, to choose of. */
export const columnChoices = allColumns.flatMap(({ key, title }) =>
  key === null ? [] : [{ key, title }],
)

const noValues: P99 = []
const keyOf = ({ id }: FarmRow) => id

export function NodesTable(props: NodesTableProps) {
  const { rows, p99, search, onSearch, onDrawn, selecting } = props
  const hidden: readonly (ColumnKey | null)[] = hiddenColumns(search)
  const columns = allColumns.filter(({ key }) => !hidden.includes(key))
  const boxes: Head[] = selecting
    ? [{ title: t('Selected'), head: <SelectAllBox {...selecting} ids={rows.map(keyOf)} /> }]
    : []
  return (
    <LongTable
      label={t('Nodes, table')}
      className={classes.dense}
      columns={[
        ...boxes,
        ...columns.map((column) => ({
          title: column.title,
          ...(column.isNumeric && { className: 'num' }),
          sorting: sortingOf(column, { rows, search, onSearch }),
        })),
      ]}
      rows={rows}
      keyOf={keyOf}
      onDrawn={onDrawn}
    >
      {({ node }) =>
        node === null ? (
          <td colSpan={boxes.length + columns.length} className="dim">
            {t('Reading…')}
          </td>
        ) : (
          <>
            {selecting && (
              <td>
                <SelectBox {...selecting} node={node} />
              </td>
            )}
            {columns.map(({ title, isNumeric, cell }) => (
              <td key={title} className={isNumeric && 'num'}>
                {cell(node, p99.get(node.id) ?? noValues)}
              </td>
            ))}
          </>
        )
      }
    </LongTable>
  )
}

type Sorted = Pick<NodesTableProps, 'rows' | 'search' | 'onSearch'>

function sortingOf(column: Column, { rows, search, onSearch }: Sorted): Sorting | undefined {
  const { sort, isDescendingFirst = false } = column
  const isNow = sort === (search.sort ?? 'name')
  if (sort === undefined || !(isNow || canSortBy(sort, rows.length))) return undefined
  const isDescending = search.desc ?? false
  const desc = isNow ? !isDescending : isDescendingFirst
  return {
    now: isNow ? (isDescending ? 'descending' : 'ascending') : null,
    onSort: () => onSearch({ ...search, sort, desc: desc || undefined }),
  }
}

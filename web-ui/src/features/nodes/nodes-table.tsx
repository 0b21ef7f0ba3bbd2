// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import {
  createColumnHelper,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  sortFn_basic,
  sortFn_text,
  type TableFeatures,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { useRowsInWindow } from '../../hooks/use-rows-in-window.ts'
import type { Node } from '../../lib/api-types.ts'
import { formatCount, formatRate, formatRatio, formatSeconds } from '../../lib/format.ts'
import classes from './farm-screen.module.css'
import { type FarmSearch, sortKeys } from './farm-search.ts'
import {
  ClientErrors,
  Identities,
  Labels,
  LastResult,
  LastSeen,
  States,
  Urls,
} from './node-cells.tsx'
import { clientErrorRatio, errorRatio, syncRank, whyNoLatency } from './rules.ts'

export type NodesTableProps = {
  nodes: Node[]
  p99: ReadonlyMap<string, readonly (number | null)[]>
  search: FarmSearch
  onSearch: (search: FarmSearch) => void
}

type Row = { node: Node; p99: readonly (number | null)[] }

declare module '@tanstack/react-table' {
  interface ColumnMeta<TFeatures extends TableFeatures, TData extends RowData, TValue> {
    numeric?: true
  }
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic, text: sortFn_text },
})
const helper = createColumnHelper<typeof features, Row>()
const numeric = { sortFn: 'basic', sortUndefined: 'last', meta: { numeric: true } } as const

const columns = helper.columns([
  helper.accessor((row) => row.node.name, {
    id: 'name',
    header: 'Node',
    sortFn: 'text',
    cell: ({ row: { original } }) => (
      <Link to="/nodes/$id" params={{ id: original.node.id }} className={classes.name ?? ''}>
        {original.node.name}
      </Link>
    ),
  }),
  helper.accessor((row) => syncRank(row.node.sync.state), {
    id: 'state',
    header: 'State',
    sortFn: 'basic',
    sortDescFirst: false,
    cell: ({ row: { original } }) => <States node={original.node} />,
  }),
  helper.display({
    id: 'version',
    header: 'Version',
    cell: ({ row: { original } }) => <Identities sync={original.node.sync} />,
  }),
  helper.accessor((row) => row.node.latency.p50Seconds ?? undefined, {
    id: 'p50',
    header: 'p50',
    ...numeric,
    cell: ({ row: { original } }) => formatSeconds(original.node.latency.p50Seconds),
  }),
  helper.accessor((row) => row.node.latency.p99Seconds ?? undefined, {
    id: 'p99',
    header: 'p99',
    ...numeric,
    cell: ({ row: { original } }) => (
      <span className={classes.latency}>
        <Sparkline values={original.p99} className={classes.spark} />
        {formatSeconds(original.node.latency.p99Seconds)}
      </span>
    ),
  }),
  helper.display({
    id: 'samples',
    header: 'Requests',
    meta: { numeric: true },
    cell: ({ row: { original } }) => (
      <span className="dim">
        {whyNoLatency(original.node) ?? formatCount(original.node.latency.requests)}
      </span>
    ),
  }),
  helper.accessor((row) => row.node.latency.requestsPerSecond ?? undefined, {
    id: 'rate',
    header: 'Requests/s',
    ...numeric,
    cell: ({ row: { original } }) => formatRate(original.node.latency.requestsPerSecond),
  }),
  helper.accessor((row) => clientErrorRatio(row.node) ?? undefined, {
    id: 'clientErrors',
    header: '4xx',
    ...numeric,
    cell: ({ row: { original } }) => <ClientErrors node={original.node} />,
  }),
  helper.accessor((row) => errorRatio(row.node) ?? undefined, {
    id: 'errors',
    header: '5xx',
    ...numeric,
    cell: ({ row: { original } }) => formatRatio(errorRatio(original.node)),
  }),
  helper.accessor((row) => (row.node.lastSeenAt ? Date.parse(row.node.lastSeenAt) : undefined), {
    id: 'seen',
    header: 'Agent',
    sortFn: 'basic',
    sortUndefined: 'last',
    cell: ({ row: { original } }) => <LastSeen node={original.node} />,
  }),
  helper.display({
    id: 'result',
    header: 'Last result',
    cell: ({ row: { original } }) => <LastResult result={original.node.lastResult} />,
  }),
  helper.display({
    id: 'serves',
    header: 'Serves',
    cell: ({ row: { original } }) => <Urls urls={original.node.urls} />,
  }),
  helper.display({
    id: 'labels',
    header: 'Labels',
    cell: ({ row: { original } }) => <Labels labels={original.node.labels} />,
  }),
])

/** About as high as a row is. */
const ROW_PX = 36

const noValues: readonly (number | null)[] = []
const ariaSort = { asc: 'ascending', desc: 'descending' } as const

export function NodesTable({ nodes, p99, search, onSearch }: NodesTableProps) {
  const data = useMemo(
    () => nodes.map((node) => ({ node, p99: p99.get(node.id) ?? noValues })),
    [nodes, p99],
  )
  const sorting = useMemo(
    () => [{ id: search.sort ?? 'name', desc: search.desc ?? false }],
    [search.sort, search.desc],
  )
  const table = useTable({
    features,
    columns,
    data,
    getRowId: (row) => row.node.id,
    enableSortingRemoval: false,
    state: { sorting },
    onSortingChange: (update) => {
      const [next] = typeof update === 'function' ? update(sorting) : update
      const sort = sortKeys.find((key) => key === next?.id)
      onSearch({ ...search, sort, desc: next?.desc === true ? true : undefined })
    },
  })
  const { rows } = table.getRowModel()
  const { setList, measure, shown, before, after } = useRowsInWindow(rows, ROW_PX)
  return (
    <ScrollBox label="Nodes, table">
      <table className={`grid ${classes.dense}`} ref={setList} aria-rowcount={rows.length + 1}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map(({ id, column }) => {
                const sorted = column.getIsSorted()
                return (
                  <th
                    key={id}
                    scope="col"
                    className={column.columnDef.meta?.numeric ? 'num' : undefined}
                    aria-sort={sorted === false ? undefined : ariaSort[sorted]}
                  >
                    {column.getCanSort() ? (
                      <button
                        type="button"
                        className={classes.sort}
                        onClick={column.getToggleSortingHandler()}
                      >
                        {String(column.columnDef.header)}
                        <span aria-hidden="true">
                          {sorted === 'asc' ? '↑' : sorted === 'desc' ? '↓' : ''}
                        </span>
                      </button>
                    ) : (
                      String(column.columnDef.header)
                    )}
                  </th>
                )
              })}
            </tr>
          ))}
        </thead>
        <Room px={before} />
        <tbody>
          {shown.map(({ row, index }) => (
            <tr key={row.id} ref={measure} data-index={index} aria-rowindex={index + 2}>
              {row.getAllCells().map((cell) => (
                <td
                  key={cell.id}
                  className={cell.column.columnDef.meta?.numeric ? 'num' : undefined}
                >
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <Room px={after} />
      </table>
    </ScrollBox>
  )
}

/** Of the rows that are not drawn. */
function Room({ px }: { px: number }) {
  if (px <= 0) return null
  return (
    <tbody aria-hidden="true">
      <tr>
        <td colSpan={columns.length} style={{ height: px, padding: 0 }} />
      </tr>
    </tbody>
  )
}

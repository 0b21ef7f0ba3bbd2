// SPDX-License-Identifier: MIT
// A table that may have very many rows: only those in the window are drawn, and whoever listens to it hears which of
// how many a row is.
import { Fragment, useMemo } from 'react'
import { useRowsInWindow } from '../hooks/use-rows-in-window.ts'
import { ScrollBox } from './scroll-box.tsx'

export type Column = {
  title: string
  className?: string
  /** What it is goes without saying, but not for who can't see it. */
  isTitleHidden?: true
}

export type LongTableProps<Row> = {
  label: string
  columns: readonly Column[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** There are more, and nobody knows how many. */
  hasMore?: boolean
  /** About how high one is. */
  rowPx?: number
  rowClass?: (row: Row) => string | undefined
  /** Its cells. */
  children: (row: Row) => React.ReactNode
}

const ROW_PX = 36

export function LongTable<Row>(props: LongTableProps<Row>) {
  const { label, columns, rows, keyOf, hasMore = false, rowPx = ROW_PX } = props
  const withIds = useMemo(() => rows.map((row) => ({ id: keyOf(row), row })), [rows, keyOf])
  const { setList, measure, shown, before, after } = useRowsInWindow(withIds, rowPx)
  return (
    <ScrollBox label={label}>
      <table className="grid" ref={setList} aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ title, className, isTitleHidden }) => (
              <th key={title} scope="col" className={className}>
                {isTitleHidden ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Room px={before} columns={columns.length} />
          {shown.map(({ row: { id, row }, index, gap }) => (
            <Fragment key={id}>
              <Room px={gap} columns={columns.length} />
              <tr
                ref={measure}
                data-index={index}
                aria-rowindex={index + 2}
                className={props.rowClass?.(row)}
              >
                {props.children(row)}
              </tr>
            </Fragment>
          ))}
          <Room px={after} columns={columns.length} />
        </tbody>
      </table>
    </ScrollBox>
  )
}

/** Of the rows that are not drawn. */
function Room({ px, columns }: { px: number; columns: number }) {
  if (px <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row like this has nothing to focus
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: px, padding: 0 }} />
    </tr>
  )
}

// SPDX-License-Identifier: MIT
// A table that may have very many rows: only those in the window are drawn, and whoever listens to it hears which of
// how many a row is.
import { Fragment, useMemo } from 'react'
import { type OnDrawn, useRowsInWindow } from '../hooks/use-rows-in-window.ts'
import classes from './long-table.module.css'
import { ScrollBox } from './scroll-box.tsx'

export type Column = {
  title: string
  className?: string | undefined
  /** What it is goes without saying, but not for who can't see it. */
  isTitleHidden?: true
  sorting?: Sorting | undefined
  /** In the place of the title, as a box that selects all. */
  head?: React.ReactNode
}
export type Sorting = {
  /** null: the rows are sorted by something else. */
  now: 'ascending' | 'descending' | null
  onSort: () => void
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
  className?: string | undefined
  onDrawn?: OnDrawn | undefined
  /** Its cells. */
  children: (row: Row) => React.ReactNode
}

const ROW_PX = 36

export function LongTable<Row>(props: LongTableProps<Row>) {
  const { label, columns, rows, keyOf, hasMore = false, rowPx = ROW_PX, onDrawn } = props
  const withIds = useMemo(() => rows.map((row) => ({ id: keyOf(row), row })), [rows, keyOf])
  const { setList, measure, shown, before, after } = useRowsInWindow(withIds, {
    ...{ rowPx, onDrawn },
  })
  return (
    <ScrollBox label={label}>
      <table
        className={`grid ${props.className ?? ''}`}
        ref={setList}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.title} {...column} />
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

function Head({ title, className, isTitleHidden, sorting, head }: Column) {
  const { now, onSort } = sorting ?? { now: null }
  return (
    <th scope="col" className={className} aria-sort={now ?? undefined}>
      {head !== undefined ? (
        head
      ) : onSort ? (
        <button type="button" className={classes.sort} onClick={onSort}>
          {title}
          <span aria-hidden="true">{now === null ? '' : now === 'ascending' ? '↑' : '↓'}</span>
        </button>
      ) : isTitleHidden ? (
        <span className="visually-hidden">{title}</span>
      ) : (
        title
      )}
    </th>
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

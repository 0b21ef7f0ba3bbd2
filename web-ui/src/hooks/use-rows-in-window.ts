// SPDX-License-Identifier: MIT
// Of many rows only those in the window are drawn, with as much room before and after as the others take: a
// thousand took five seconds. Few are all drawn: then the browser's own search finds each of them.
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useState } from 'react'

const MANY = 60
/** Rows beyond the window on both sides, ready for a turn of the wheel. */
const SPARE = 6

/** Told which of how many rows are drawn, whenever that changes. */
export type OnDrawn = (indexes: readonly number[], total: number) => void

type Options = {
  /** About how high a row is. */
  rowPx: number
  onDrawn?: OnDrawn | undefined
}

/** Each row takes `measure` as its ref, and its index as `data-index`. */
export function useRowsInWindow<Row extends { id: string }>(
  rows: readonly Row[],
  { rowPx, onDrawn }: Options,
) {
  const [list, setList] = useState<HTMLElement | null>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  const focused = useFocusedRow(list, rows)
  // What is above it may be higher after each drawing.
  useLayoutEffect(() => {
    if (list) setScrollMargin(Math.round(list.getBoundingClientRect().top + window.scrollY))
  })
  const isMany = rows.length > MANY
  // What is drawn keeps its place when rows above it turn out higher. If the browser moved the window for that as well, it
  // would end far away: at the end of ten thousand rows, when some in the middle were looked for.
  useLayoutEffect(
    () => list?.style.setProperty('overflow-anchor', isMany ? 'none' : null),
    [list, isMany],
  )
  const drawn = useWindowVirtualizer({
    count: rows.length,
    getItemKey: (index) => rows[index]?.id ?? index,
    estimateSize: () => rowPx,
    overscan: SPARE,
    scrollMargin,
    enabled: isMany,
    // Scrolled away, it stays: without it the keyboard would begin again at the top of the page.
    rangeExtractor: (range) => withIndex(defaultRangeExtractor(range), focused),
  })
  const items = drawn.getVirtualItems()
  const last = items.at(-1)
  const shown = isMany
    ? items.flatMap(({ index, start }, at) => {
        const row = rows[index]
        const before = items[at - 1]
        return row ? [{ row, index, gap: before ? start - before.end : 0 }] : []
      })
    : rows.map((row, index) => ({ row, index, gap: 0 }))
  const indexes = shown.map(({ index }) => index).join()
  useEffect(() => {
    onDrawn?.(indexes === '' ? [] : indexes.split(',').map(Number), rows.length)
  }, [indexes, rows.length, onDrawn])
  return {
    /** The ref of what holds them all. */
    setList,
    measure: isMany ? drawn.measureElement : undefined,
    /** `gap`: room between this one and the one before. */
    shown,
    before: items[0] ? items[0].start - scrollMargin : 0,
    after: last ? drawn.getTotalSize() - (last.end - scrollMargin) : 0,
  }
}

function withIndex(indexes: number[], index: number): number[] {
  if (index < 0 || indexes.includes(index)) return indexes
  return [...indexes, index].toSorted((a, b) => a - b)
}

/** Where the focus is within; -1: elsewhere. By its id: rows come and go. */
function useFocusedRow<Row extends { id: string }>(
  list: HTMLElement | null,
  rows: readonly Row[],
): number {
  const [id, setId] = useState<string | null>(null)
  useEffect(() => {
    if (list === null) return
    const handleIn = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest('[data-index]') : null
      const index = Number(row?.getAttribute('data-index') ?? -1)
      setId(rows[index]?.id ?? null)
    }
    const handleOut = () => setId(null)
    list.addEventListener('focusin', handleIn)
    list.addEventListener('focusout', handleOut)
    return () => {
      list.removeEventListener('focusin', handleIn)
      list.removeEventListener('focusout', handleOut)
    }
  }, [list, rows])
  return id === null ? -1 : rows.findIndex((row) => row.id === id)
}

// SPDX-License-Identifier: MIT
// Of very many rows only those in the window are drawn, with as much room before and after as the others take: a
// thousand took five seconds. Few are all drawn: then the browser's own search finds each of them.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useState } from 'react'

const MANY = 200
/** Rows beyond the window on both sides, ready for a turn of the wheel. */
const SPARE = 20

/** `rowPx`: about how high one is. Each takes `measure` as its ref, and its index as `data-index`. */
export function useRowsInWindow<Row extends { id: string }>(rows: readonly Row[], rowPx: number) {
  const [list, setList] = useState<HTMLElement | null>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  // What is above it may be higher after each drawing.
  useLayoutEffect(() => {
    if (list) setScrollMargin(Math.round(list.getBoundingClientRect().top + window.scrollY))
  })
  const isMany = rows.length > MANY
  const drawn = useWindowVirtualizer({
    count: rows.length,
    getItemKey: (index) => rows[index]?.id ?? index,
    estimateSize: () => rowPx,
    overscan: SPARE,
    scrollMargin,
    enabled: isMany,
  })
  const items = drawn.getVirtualItems()
  const [first, last] = [items[0], items.at(-1)]
  const from = first?.index ?? 0
  const shown = isMany ? rows.slice(from, from + items.length) : rows
  return {
    /** The ref of what holds them all. */
    setList,
    measure: isMany ? drawn.measureElement : undefined,
    shown: shown.map((row, at) => ({ row, index: from + at })),
    before: first ? first.start - scrollMargin : 0,
    after: last ? drawn.getTotalSize() - (last.end - scrollMargin) : 0,
  }
}

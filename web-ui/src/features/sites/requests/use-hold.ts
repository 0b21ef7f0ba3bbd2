// SPDX-License-Identifier: MIT
// Rows that come above what somebody reads push it away: the table stands still while it is paused, and by itself while
// its head is scrolled out of sight.
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { FoundRequest } from '../../../lib/api-types.ts'

type Hold = { rows: readonly FoundRequest[]; byScroll: boolean }

export function useHold(rows: readonly FoundRequest[], head: RefObject<HTMLElement | null>) {
  const [hold, setHold] = useState<Hold | null>(null)
  const newest = useRef(rows)
  useEffect(() => {
    newest.current = rows
  }, [rows])
  useEffect(() => {
    const onScroll = () => {
      const isAway = (head.current?.getBoundingClientRect().bottom ?? 0) < 0
      setHold((now) => {
        if (isAway) return now ?? { rows: newest.current, byScroll: true }
        return now?.byScroll ? null : now
      })
    }
    window.addEventListener('scroll', onScroll, { passive: true, capture: true })
    return () => window.removeEventListener('scroll', onScroll, { capture: true })
  }, [head])
  const shown = hold?.rows ?? rows
  const last = shown.reduce((most, { number }) => Math.max(most, number), 0)
  return {
    shown,
    isHeld: hold !== null,
    /** How many came meanwhile. */
    behind: hold === null ? 0 : rows.filter(({ number }) => number > last).length,
    toggle: () => setHold(hold === null ? { rows, byScroll: false } : null),
  }
}

// SPDX-License-Identifier: MIT
// When a change may begin, by the clocks of one place: a window is open while a clock there shows a time
// within it. So where the clocks skip an hour, a window within that hour does not come that day; where
// they repeat one, it is open for longer. Pure.
import type { ChangeWindow, Day, RolloutRules } from './schema.ts'

type Rules = Pick<RolloutRules, 'windows' | 'timeZone'>
/** What clocks show: minutes since the start of 1970 as if there were no time zones. */
type LocalMinute = number

const MINUTE_MS = 60_000
const DAY = 24 * 60
const DAYS: readonly Day[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** null: it is open, or there are none; else when the next one opens. */
export function closedAt(rules: Rules, nowMs: number): Closed | null {
  if (rules.windows.length === 0) return null
  const local = localMinute(rules.timeZone, nowMs)
  if (isOpen(rules.windows, local)) return null
  const opensMs = nextOpeningMs(rules, nowMs)
  const { timeZone } = rules
  return { opens: opensMs === null ? null : tell(localMinute(timeZone, opensMs)), timeZone }
}

/** The same in words. */
export function whyClosed(rules: Rules, nowMs: number): string | null {
  const closed = closedAt(rules, nowMs)
  return closed && tellClosed(closed)
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function isOpen(windows: readonly ChangeWindow[], local: LocalMinute): boolean {
  const minute = local % DAY
  return windows.some(({ days, from, to }) => {
    const [opens, closes] = [minuteOf(from), minuteOf(to)]
    const isOn = (at: LocalMinute) => days.includes(dayOf(at))
    if (opens < closes) return isOn(local) && opens <= minute && minute < closes
    return (isOn(local) && opens <= minute) || (isOn(local - DAY) && minute < closes)
  })
}

/**
 * The first within two weeks. What is closed opens where a clock shows a window's beginning, or where it is put
 * forward or back to a time within one.
 */
export function nextOpeningMs(rules: Rules, nowMs: number): number | null {
  const { windows, timeZone } = rules
  const opens = [...beginnings(rules, nowMs), ...changesOfClock(timeZone, nowMs)]
    .filter((atMs) => atMs > nowMs && isOpen(windows, localMinute(timeZone, atMs)))
    .toSorted((a, b) => a - b)
  return opens[0] ?? null
}

/** A weekly one that is skipped once comes in the week after. */
const DAYS_AHEAD = Array.from({ length: 15 }, (_, day) => day)

/** When clocks show the beginning of a window: twice where they are put back, never where it is skipped. */
function beginnings({ windows, timeZone }: Rules, nowMs: number): number[] {
  const local = localMinute(timeZone, nowMs)
  const midnight = local - (local % DAY)
  return DAYS_AHEAD.map((day) => midnight + day * DAY)
    .flatMap((start) =>
      windows
        .filter(({ days }) => days.includes(dayOf(start)))
        .map(({ from }) => start + minuteOf(from)),
    )
    .flatMap((beginning) => shownAt(timeZone, beginning))
}

function shownAt(timeZone: string, local: LocalMinute): number[] {
  const guessMs = local * MINUTE_MS
  // The clock is put once in these days: these are the offsets before and after.
  const offsets = new Set([-DAY, DAY].map((m) => offsetAt(timeZone, guessMs + m * MINUTE_MS)))
  return [...offsets]
    .map((offset) => guessMs - offset * MINUTE_MS)
    .filter((atMs) => localMinute(timeZone, atMs) === local)
}

/** The first minute after each. */
function changesOfClock(timeZone: string, nowMs: number): number[] {
  const start = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
  return DAYS_AHEAD.flatMap((day) => {
    let [before, after] = [start + day * DAY * MINUTE_MS, start + (day + 1) * DAY * MINUTE_MS]
    const old = offsetAt(timeZone, before)
    if (old === offsetAt(timeZone, after)) return []
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / MINUTE_MS / 2) * MINUTE_MS
      if (offsetAt(timeZone, middle) === old) before = middle
      else after = middle
    }
    return [after]
  })
}

/** In minutes, east of Greenwich. */
const offsetAt = (timeZone: string, atMs: number) =>
  localMinute(timeZone, atMs) - Math.floor(atMs / MINUTE_MS)

const dayOf = (local: LocalMinute): Day => DAYS[new Date(local * MINUTE_MS).getUTCDay()] ?? 'sun'

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function tell(local: LocalMinute): string {
  const at = new Date(local * MINUTE_MS).toISOString()
  const day = dayOf(local)
  return `${day.charAt(0).toUpperCase()}${day.slice(1)} ${at.slice(0, 10)} ${at.slice(11, 16)}`
}

/** Making one takes longer than anything it is asked. */
let clock: { timeZone: string; format: Intl.DateTimeFormat } | null = null

function localMinute(timeZone: string, atMs: number): LocalMinute {
  if (clock?.timeZone !== timeZone) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
    const time = { hour: 'numeric', minute: 'numeric', hourCycle: 'h23' } as const
    clock = { timeZone, format: new Intl.DateTimeFormat('en', { timeZone, ...numeric, ...time }) }
  }
  const parts = clock.format.formatToParts(atMs)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((one) => one.type === type)?.value)
  const at = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return at / MINUTE_MS
}

/** What a closed change window is waited for; opens: by the clocks there, null: not within two weeks. */
export type Closed = { opens: string | null; timeZone: string }

export const tellClosed = ({ opens, timeZone }: Closed): string => {
  const when = opens === null ? 'none opens within two weeks' : `the next opens ${opens}`
  return `No change window is open: ${when} (${timeZone}).`
}

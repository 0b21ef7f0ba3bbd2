// SPDX-License-Identifier: MIT
// When a change may begin, by the clocks of one place: a window is open while a clock there shows a time
// within it. So where the clocks skip an hour, a window within that hour does not come that day; where
// they repeat one, it is open for longer. Pure.
import type { ChangeWindow, Day, RolloutRules } from './farm-rules-schema.ts'

type Rules = Pick<RolloutRules, 'windows' | 'timeZone'>
/** What clocks show: minutes since the start of 1970 as if there were no time zones. */
type LocalMinute = number

const MINUTE_MS = 60_000
const DAY = 24 * 60
const DAYS: readonly Day[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** null: it is open, or there are none; else why not, and when the next one opens. */
export function whyClosed(rules: Rules, nowMs: number): string | null {
  if (rules.windows.length === 0) return null
  const local = localMinute(rules.timeZone, nowMs)
  if (isOpen(rules.windows, local)) return null
  const opens = nextOpening(rules, local)
  const when = opens === null ? 'none opens within a week' : `the next opens ${tell(opens)}`
  return `No change window is open: ${when} (${rules.timeZone}).`
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

/** The first of a week that clocks there will show. */
function nextOpening({ windows, timeZone }: Rules, local: LocalMinute): LocalMinute | null {
  const midnight = local - (local % DAY)
  const openings = Array.from({ length: 8 }, (_, day) => midnight + day * DAY)
    .flatMap((start) =>
      windows
        .filter(({ days }) => days.includes(dayOf(start)))
        .map(({ from }) => start + minuteOf(from)),
    )
    .filter((opening) => opening > local)
    .toSorted((a, b) => a - b)
  return openings.find((opening) => isShown(timeZone, opening)) ?? null
}

/** Clocks that are put forward skip some. */
function isShown(timeZone: string, local: LocalMinute): boolean {
  const guessMs = local * MINUTE_MS
  const shown = (atMs: number) => localMinute(timeZone, atMs)
  // Offsets change by an hour at most, so one of these is it.
  const offsets = [-DAY, 0, DAY].map((minutes) => {
    const atMs = guessMs + minutes * MINUTE_MS
    return shown(atMs) - atMs / MINUTE_MS
  })
  return offsets.some((offset) => shown(guessMs - offset * MINUTE_MS) === local)
}

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

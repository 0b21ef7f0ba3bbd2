// SPDX-License-Identifier: MIT
import { dateLocale } from '../languages/language.ts'
import { t } from '../languages/t.ts'

const clock = new Intl.DateTimeFormat(dateLocale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const dateAndClock = new Intl.DateTimeFormat(dateLocale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

export function formatClock(at: string | number | Date): string {
  return clock.format(new Date(at))
}

export function formatDateTime(at: string | number | Date): string {
  return dateAndClock.format(new Date(at))
}

const utc = new Intl.DateTimeFormat(dateLocale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
})

const dayAndClock = new Intl.DateTimeFormat(dateLocale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** On the reader's own clock; its day, too, unless it is today. */
export function formatMoment(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? formatClock(at) : dayAndClock.format(at)
}

/** To be seen on hover: to the second where one is, and in UTC, which logs of other machines are in. */
export function formatExact(at: string | number | Date): string {
  return `${formatDateTime(at)} (${utc.format(new Date(at))} UTC)`
}

/** How long, in its one largest unit: "45 s", "4 min", "3 h", "12 d". */
export function formatDuration(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds))
  if (s < 60) return t('{count} s', { count: s })
  if (s < 3600) return t('{count} min', { count: Math.floor(s / 60) })
  if (s < 86_400) return t('{count} h', { count: Math.floor(s / 3600) })
  return t('{count} d', { count: Math.floor(s / 86_400) })
}

/** Under five seconds, and for clocks a little ahead of ours, it is "just now". */
export function formatAgo(at: string, now: number): string {
  const seconds = (now - Date.parse(at)) / 1000
  return seconds < 5 ? t('just now') : t('{duration} ago', { duration: formatDuration(seconds) })
}

// SPDX-License-Identifier: MIT

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const dateAndClock = new Intl.DateTimeFormat('en-GB', {
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

/** How long, in its one largest unit: "45 s", "4 min", "3 h", "12 d". */
export function formatDuration(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min`
  if (s < 86_400) return `${Math.floor(s / 3600)} h`
  return `${Math.floor(s / 86_400)} d`
}

/** Under five seconds, and for clocks a little ahead of ours, it is "just now". */
export function formatAgo(at: string, now: number): string {
  const seconds = (now - Date.parse(at)) / 1000
  return seconds < 5 ? 'just now' : `${formatDuration(seconds)} ago`
}

// SPDX-License-Identifier: MIT
// A time as people read it, in sentences that many people in many places get the same.

const format = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
})

/** "26 Nov 2026, 15:27 UTC" */
export const utcWords = (ms: number): string => `${format.format(ms)} UTC`

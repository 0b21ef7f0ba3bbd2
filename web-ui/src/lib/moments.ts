// SPDX-License-Identifier: MIT
// A moment as a field for date and time has it, on the reader's own clock. Pure but for the time zone.

export function fieldOf(seconds: number): string {
  const at = new Date(seconds * 1000)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

/** null: it is none. */
export function momentOf(field: string): number | null {
  const at = Date.parse(field)
  return Number.isNaN(at) ? null : Math.round(at / 1000)
}

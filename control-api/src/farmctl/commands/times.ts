// SPDX-License-Identifier: MIT
// How long, as it is typed.
import { Failure } from '../failures.ts'

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `option`: what messages call it. */
export function secondsOf(option: string, text: string): number {
  const [, amount, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const seconds = Number(amount) * (SECONDS[unit] ?? Number.NaN)
  if (Number.isFinite(seconds)) return seconds
  throw new Failure(`${option} is a time as in 90s, 30m, 1h or 7d, not "${text}".`)
}

/** Of --forget-after; how many there may be the control plane knows. */
export function hoursOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Failure(`--forget-after is a whole number of hours, as in 6, not "${text}".`)
}

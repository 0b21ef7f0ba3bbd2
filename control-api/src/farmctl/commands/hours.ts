// SPDX-License-Identifier: MIT
import { Failure } from '../failures.ts'

/** Of --forget-after; how many there may be the control plane knows. */
export function hoursOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Failure(`--forget-after is a whole number of hours, as in 6, not "${text}".`)
}

// SPDX-License-Identifier: MIT
// Values of options as they are typed.
import { Failure } from '../failures.ts'

export function number(text: string): number {
  const value = /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(value)) return value
  throw new Failure(`"${text}" is no number.`)
}

export function wholeNumber(text: string): number {
  const value = number(text)
  if (Number.isSafeInteger(value)) return value
  throw new Failure(`"${text}" is no whole number.`)
}

/** Of an option that may be given several times. */
export const collect = (text: string, earlier: string[]) => [...earlier, text]

// SPDX-License-Identifier: MIT
// Numbers as a person reads them: three digits say all that is known.
export const inDigits = (value: number) =>
  value > 0 && value < 0.001 ? 'less than 0.001' : String(Number(value.toPrecision(3)))

export function inSeconds(seconds: number): string {
  if (seconds >= 1) return `${inDigits(seconds)} s`
  return seconds >= 0.001 ? `${inDigits(seconds * 1000)} ms` : `${inDigits(seconds * 1_000_000)} µs`
}

export const inPercent = (share: number) => `${inDigits(share * 100)} %`

export const inBytes = (bytes: number) =>
  bytes >= 1_000_000 ? `${inDigits(bytes / 1_000_000)} MB` : `${inDigits(bytes / 1000)} kB`

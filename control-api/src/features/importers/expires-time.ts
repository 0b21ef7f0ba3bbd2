// SPDX-License-Identifier: MIT
// Times as mod_expire and mod_expires say them: "access plus 1 week 2 days", as a rule of a node.
import type { Rule } from './draft.ts'

const LONGEST_SECONDS = 315_360_000
const SECONDS: Record<string, number> = {
  ...{ month: 2_592_000, week: 604_800, day: 86_400, hour: 3600, minute: 60, second: 1 },
}

/** Of mod_expire: twelve months of thirty days. */
export const LIGHTTPD_YEAR_SECONDS = 31_104_000

/** null: it is no such time. */
export function timeOf(text: string, yearSeconds = 31_536_000): Rule | null {
  const found = /^(access|now|modification)\s+(?:plus\s+)?(.+)$/.exec(text.trim())
  const parts = [...(found?.[2] ?? '').matchAll(/(\d{1,9})\s*([a-z]+?)s?(?:\s+|$)/gy)]
  const isWhole = parts.reduce((sum, [one]) => sum + one.length, 0) === found?.[2]?.length
  if (parts.length === 0 || !isWhole) return null
  const units: typeof SECONDS = { ...SECONDS, year: yearSeconds }
  const seconds = parts.reduce(
    (sum, [, n, unit]) => sum + Number(n) * (units[unit ?? ''] ?? Number.NaN),
    0,
  )
  if (!Number.isFinite(seconds)) return null
  const from = found?.[1] === 'modification' ? { from: 'modification' } : {}
  return { ...from, maxAgeSeconds: Math.min(seconds, LONGEST_SECONDS) }
}

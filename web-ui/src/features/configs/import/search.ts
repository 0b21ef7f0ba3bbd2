// SPDX-License-Identifier: MIT
import type { Finding } from '../../../lib/api-types.ts'

/** Which of the three lists is shown, and what is looked for in it. */
export type ImportSearch = { show?: Finding['verdict'] | undefined; q?: string | undefined }

const verdicts = ['unsupported', 'different', 'taken'] as const satisfies Finding['verdict'][]

export function parseImportSearch({ show, q }: Record<string, unknown>): ImportSearch {
  const verdict = verdicts.find((one) => one === show)
  // A word of digits arrives as a number.
  const words = q === undefined ? '' : String(q).slice(0, 255)
  return { ...(verdict && { show: verdict }), ...(words !== '' && { q: words }) }
}

// SPDX-License-Identifier: MIT
import type { Finding } from '../../../lib/api-types.ts'
import { KINDS, type Kind } from './comparison/kinds.ts'

export type ImportSearch = {
  /** Beside the import: the old server's answers and the new one's. */
  view?: 'compare' | undefined
  /** Which of the three lists is shown. */
  show?: Finding['verdict'] | undefined
  /** Which requests are shown, by what of them differs. */
  kind?: Kind | undefined
  /** What is looked for in either. */
  q?: string | undefined
}

const verdicts = ['unsupported', 'different', 'taken'] as const satisfies Finding['verdict'][]

export function parseImportSearch(search: Record<string, unknown>): ImportSearch {
  const verdict = verdicts.find((one) => one === search.show)
  const kind = KINDS.find((one) => one === search.kind)
  // A word of digits arrives as a number.
  const words = search.q === undefined ? '' : String(search.q).slice(0, 255)
  const rest = words !== '' && { q: words }
  if (search.view === 'compare') return { view: 'compare', ...(kind && { kind }), ...rest }
  return { ...(verdict && { show: verdict }), ...rest }
}

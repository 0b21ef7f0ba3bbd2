// SPDX-License-Identifier: MIT
// What the addresses of sites hold.
import { parseTimeSearch, type TimeSearch } from '../../lib/time-range.ts'

export type SitesSearch = { q?: string | undefined }
export type SiteSearch = TimeSearch

export function parseSitesSearch({ q }: Record<string, unknown>): SitesSearch {
  // A word of digits arrives as a number.
  const words = q === undefined ? '' : String(q).slice(0, 255)
  return words === '' ? {} : { q: words }
}

export const parseSiteSearch = parseTimeSearch

// SPDX-License-Identifier: MIT
import { t } from '../../../languages/t.ts'
import { readText } from '../form/form-state.ts'
import { siteName } from '../form/form-words.ts'

/** A site as the text has it, under the name that people know it by. */
export type RecipeSite = { name: string; value: Record<string, unknown> }

/** Why there is none, as a sentence. */
export function recipeSites(text: string): RecipeSite[] | string {
  const reading = readText(text)
  if (!reading.ok) return t('Fix the text first: it is not JSON yet.')
  const { sites } = reading.value
  if (!Array.isArray(sites) || sites.length === 0) return t('Add a site first.')
  // One that is no object yet has no rules to put anything beside; the places of the others stay.
  const all = sites.map((site: unknown, i) => siteOf(site, i))
  return all.every((site) => site !== null) ? all : t('Fix the sites first: one is no object yet.')
}

function siteOf(site: unknown, i: number): RecipeSite | null {
  if (typeof site !== 'object' || site === null || Array.isArray(site)) return null
  return { name: siteName(site, i), value: site as Record<string, unknown> }
}

// SPDX-License-Identifier: MIT
// Answers what was counted for sites, a part at a time: reports and charts come between.

import type { Plan, Range } from './rings.ts'
import { type Counts, OTHER_SITES, SITE_COUNTS, type SiteCounts } from './site-counts.ts'
import { HOURS, siteRingOf } from './site-rings.ts'

/** A site in a version: where it stands there. What is counted together with others is no site's. */
export type SiteSet = { sum: string; places: readonly number[] }
export type SiteQuery = Plan & { sets: readonly SiteSet[] }
/** For each step; null: nothing was counted of the version in it. */
export type SiteSteps = (Counts | null)[]
export type CountedQuery = Range & { sums: readonly string[] }

const READ_AT_ONCE = 500
/** Of sets that share a version a step is read once. */
export function* querySites(
  counts: Pick<SiteCounts, 'read'>,
  { sets, fromSeconds, toSeconds, stepSeconds, resolutionSeconds }: SiteQuery,
): Generator<void, SiteSteps[]> {
  const ring = siteRingOf({ resolutionSeconds })
  const steps: SiteSteps[] = sets.map(() =>
    Array((toSeconds - fromSeconds) / stepSeconds).fill(null),
  )
  const bySum = Map.groupBy(sets.keys(), (i) => sets[i]?.sum ?? '')
  let read = 0
  for (const [sum, indexes] of bySum) {
    for (let at = fromSeconds; at < toSeconds; at += resolutionSeconds) {
      if (++read % READ_AT_ONCE === 0) yield
      const byPlace = counts.read(sum, ring, at)
      if (!byPlace) continue
      const step = Math.floor((at - fromSeconds) / stepSeconds)
      for (const i of indexes) {
        const of = steps[i] as SiteSteps
        const into = of[step] ?? SITE_COUNTS.map(() => 0)
        of[step] = into
        for (const place of sets[i]?.places ?? []) add(into, byPlace.get(place))
      }
    }
  }
  return steps
}

/** Those of the sums of which anything was counted in the time. Hours know it, too. */
export function* countedIn(
  counts: Pick<SiteCounts, 'has'>,
  { sums, fromSeconds, toSeconds }: CountedQuery,
): Generator<void, string[]> {
  const found: string[] = []
  const first = fromSeconds - (fromSeconds % HOURS.resolutionSeconds)
  let looked = 0
  for (const sum of sums) {
    for (let at = first; at < toSeconds; at += HOURS.resolutionSeconds) {
      if (++looked % READ_AT_ONCE === 0) yield
      if (!counts.has(sum, at)) continue
      found.push(sum)
      break
    }
  }
  return found
}

function add(into: Counts, more: Counts | undefined): void {
  if (more) for (const [i, count] of more.entries()) into[i] = (into[i] ?? 0) + count
}

export const isCountedAlone = (place: number): boolean => place < OTHER_SITES

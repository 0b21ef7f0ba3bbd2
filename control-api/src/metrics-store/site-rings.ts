// SPDX-License-Identifier: MIT
// How long requests by site are kept, and how fine.
import type { Plan, Range, Ring } from './rings.ts'

export type SiteRing = Ring & { table: 'site_minutes' | 'site_hours' }

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR
const MINUTES: SiteRing = {
  ...{ table: 'site_minutes', resolutionSeconds: MINUTE },
  keepSeconds: 2 * DAY,
}
export const HOURS: SiteRing = {
  ...{ table: 'site_hours', resolutionSeconds: HOUR },
  keepSeconds: 90 * DAY,
}
export const SITE_RINGS: readonly SiteRing[] = [MINUTES, HOURS]

const MOST_STEPS = 300
const HANDY_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440].map((n) => n * MINUTE)
/** A report that comes within so long of the end of its window is no late one. */
const GRACE_SECONDS = 30

/** The last whole minutes of which nearly everything has come. */
export function lastMinutes(nowSeconds: number, minutes: number): Range {
  const toSeconds = Math.floor((nowSeconds - GRACE_SECONDS) / MINUTE) * MINUTE
  return { fromSeconds: toSeconds - minutes * MINUTE, toSeconds }
}

/** As the range can be had: what is older than the minutes is there by hours. It is widened to whole steps. */
export function planSites({ fromSeconds, toSeconds }: Range, nowSeconds: number): Plan {
  const ring = ringFor(fromSeconds, nowSeconds)
  const from = Math.max(fromSeconds, nowSeconds - HOURS.keepSeconds)
  const span = Math.max(1, toSeconds - from)
  const stepSeconds =
    HANDY_STEPS.find((step) => step >= ring.resolutionSeconds && span / step <= MOST_STEPS) ?? DAY
  const first = Math.floor(from / stepSeconds) * stepSeconds
  return {
    fromSeconds: first,
    toSeconds: Math.max(first + stepSeconds, Math.ceil(toSeconds / stepSeconds) * stepSeconds),
    stepSeconds,
    resolutionSeconds: ring.resolutionSeconds,
  }
}

export const siteRingOf = ({ resolutionSeconds }: Pick<Plan, 'resolutionSeconds'>): SiteRing =>
  resolutionSeconds === MINUTE ? MINUTES : HOURS

const ringFor = (fromSeconds: number, nowSeconds: number) =>
  fromSeconds >= nowSeconds - MINUTES.keepSeconds ? MINUTES : HOURS

// SPDX-License-Identifier: MIT
// What happened to the farm in a time: rollouts and alerts, as marks in charts.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './api-client.ts'
import type { Alert, RolloutSummary } from './api-types.ts'
import { alertMoments, type FarmMoment, rolloutMoments } from './farm-moments.ts'
import { fixedSpan, spanOf, type TimeSearch, type TimeSpan } from './time-range.ts'

const MARKS_PAGE = 100
/** Of more in one range nobody sees anything. */
const MOST_PAGES = 5
export const MOST_READ = MARKS_PAGE * MOST_PAGES

type Page<Item> = { items: Item[]; nextCursor: string | null }

/** The newest come first: so far back as they are within the range. */
async function since<Item>(
  fromSeconds: number,
  beganAt: (item: Item) => string,
  read: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<{ items: Item[]; isCut: boolean }> {
  const found: Item[] = []
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer: Page<Item> = await read({ limit: MARKS_PAGE, ...(cursor !== null && { cursor }) })
    found.push(...answer.items)
    const oldest = answer.items.at(-1)
    cursor = answer.nextCursor
    const isEnough = !oldest || Date.parse(beganAt(oldest)) / 1000 < fromSeconds
    if (cursor === null || isEnough) return { items: found, isCut: false }
  }
  return { items: found, isCut: true }
}

/** `isCut`: there was more than was read, so that what is older is missing. */
export type Happened = { rollouts: RolloutSummary[]; alerts: Alert[]; isCut: boolean }
export type See = { rollouts: boolean; alerts: boolean }
const NOTHING = { items: [], isCut: false }

/** What happened to the farm in that time, as far as the reader may see it. */
export const happenedQuery = (time: TimeSearch, see: See) =>
  queryOptions({
    queryKey: ['happened', time, see],
    queryFn: async ({ signal }): Promise<Happened> => {
      const { from } = spanOf(time, Date.now() / 1000)
      const alertsIn = (state: Alert['state']) =>
        since(
          from,
          (alert: Alert) => alert.pendingSince,
          (query) =>
            bodyOf(api.GET('/api/v1/alerts', { params: { query: { ...query, state } }, signal })),
        )
      const [rollouts, firing, resolved] = await Promise.all([
        see.rollouts
          ? since(
              from,
              (rollout: RolloutSummary) => rollout.createdAt,
              (query) => bodyOf(api.GET('/api/v1/rollouts', { params: { query }, signal })),
            )
          : NOTHING,
        see.alerts ? alertsIn('firing') : NOTHING,
        see.alerts ? alertsIn('resolved') : NOTHING,
      ])
      return {
        rollouts: rollouts.items,
        alerts: [...firing.items, ...resolved.items],
        isCut: [rollouts, firing, resolved].some(({ isCut }) => isCut),
      }
    },
    placeholderData: keepPreviousData,
    // Events tell of what is new; what is past the range goes.
    refetchInterval: fixedSpan(time) ? false : 60_000,
  })

/** Which of them concern a chart; left out: all. */
export type About = {
  rollout?: (rollout: RolloutSummary) => boolean
  alert?: (alert: Alert) => boolean
}
const all = () => true

/** The newest first. */
export function happenings(
  { rollouts, alerts }: Pick<Happened, 'rollouts' | 'alerts'>,
  { from, to }: TimeSpan,
  about: About = {},
): FarmMoment[] {
  return [
    ...rollouts.filter(about.rollout ?? all).flatMap(rolloutMoments),
    ...alerts.filter(about.alert ?? all).flatMap(alertMoments),
  ]
    .filter(({ atSeconds }) => atSeconds >= from && atSeconds <= to)
    .toSorted((a, b) => b.atSeconds - a.atSeconds)
}

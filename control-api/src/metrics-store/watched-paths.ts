// SPDX-License-Identifier: MIT
// Requests below some paths, which nodes count while they are asked to: what is asked for, and under which names the
// counts stand among a window's counters. The name of an order follows from its paths, so that a control plane that
// starts anew asks for the same, and nodes go on counting. Pure.
import { createHash } from 'node:crypto'
import type { DesiredResponse, Watched } from '../agent-protocol/messages.gen.ts'

export type WatchOrder = NonNullable<DesiredResponse['watch']>
export type WatchedPath = WatchOrder['paths'][number]

/** As the protocol has them, after the place of the path. */
const COUNTS = ['requests', 'notFound', 'pages', 'pageBytes'] as const
export type WatchCount = (typeof COUNTS)[number]
/** Nodes stop by themselves when nobody asks again. */
const FOR_MS = 600_000

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

const keyOf = ({ host = '', path }: WatchedPath) => `${host}${path}`

/** Each once, whatever their order. */
export function watchOf(paths: readonly WatchedPath[]): WatchOrder {
  const byKey = new Map(paths.map((one) => [keyOf(one), one]))
  const sorted = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
  const digest = createHash('sha256')
    .update(JSON.stringify(sorted.map(keyOf)))
    .digest()
  const letters = [...digest.subarray(0, 26)].map((byte) => LETTERS[byte % LETTERS.length])
  return { id: `watch_${letters.join('')}`, forMs: FOR_MS, paths: sorted }
}

/** Under which name a count of a window stands among its counters. */
export const watchedCounter = (
  { id, paths }: WatchOrder,
  path: WatchedPath,
  count: WatchCount,
): string =>
  counterOf(
    id,
    paths.findIndex((one) => keyOf(one) === keyOf(path)),
    count,
  )

const counterOf = (id: string, place: number, count: WatchCount) => `${id}/${place}/${count}`

/** What a window says of them, as counters. */
export const countersOfWatched = ({ id, counts }: Watched): Record<string, number> =>
  Object.fromEntries(
    counts.flatMap(([place = 0, ...row]) =>
      COUNTS.map((count, i) => [counterOf(id, place, count), row[i] ?? 0]),
    ),
  )

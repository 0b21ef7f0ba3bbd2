// SPDX-License-Identifier: MIT
// The slow requests of the last hours, one by one. Bounded in every direction: a node reports at most eight with a window,
// the farm's are taken as fast as the worker can keep beside histograms, and of each node and of all the newest stay.
import type { MetricsDb } from './metrics-db.ts'
import type { PlacedRequest } from './windows.ts'

export type SlowQuery = { nodeId: string; fromMs: number; toMs: number; limit: number }
export type SlowRequests = {
  add(node: number, requests: readonly PlacedRequest[], nowMs: number): void
  /** The newest first. */
  find(node: number, query: SlowQuery): PlacedRequest[]
  /** `share`: of the time and the numbers that are kept otherwise. */
  pruneFarm(share: number): void
  pruneNode(node: number, nowMs: number, share: number): void
}

export const SLOW_KEPT_HOURS = 24
export const MOST_SLOW_OF_NODE = 1_000
export const MOST_SLOW_OF_FARM = 100_000
/** What comes faster is left out: a farm all of whose requests are slow says that in its histograms. */
const TAKEN_PER_SECOND = 100
const TAKEN_AT_ONCE = 1_000

export const SLOW_TABLES = `
  create table if not exists slow_requests (
    id integer primary key, node integer not null, at_us integer not null, request text not null
  ) strict;
  create index if not exists slow_requests_of_node on slow_requests (node, at_us);
`

export function createSlowRequests(db: MetricsDb): SlowRequests {
  const insert = db.prepare<[number, number, string]>(
    'insert into slow_requests (node, at_us, request) values (?, ?, ?)',
  )
  const select = db
    .prepare<[number, number, number, number], string>(
      `select request from slow_requests where node = ? and at_us >= ? and at_us < ?
       order by at_us desc, id desc limit ?`,
    )
    .pluck()
  const pruneFarm = db.prepare<[number]>(
    'delete from slow_requests where id <= (select max(id) from slow_requests) - ?',
  )
  const pruneNode = db.prepare<[number, number, number, number]>(
    `delete from slow_requests where node = ? and at_us < max(?, coalesce((
       select at_us from slow_requests where node = ? order by at_us desc limit 1 offset ?), 0))`,
  )
  let room = TAKEN_AT_ONCE
  let filledMs = 0

  return {
    add(node, requests, nowMs) {
      room = Math.min(
        TAKEN_AT_ONCE,
        room + (TAKEN_PER_SECOND * Math.max(0, nowMs - filledMs)) / 1000,
      )
      filledMs = nowMs
      const some = requests.slice(0, Math.floor(room))
      room -= some.length
      for (const one of some) insert.run(node, one.startedAtUs, JSON.stringify(one))
    },

    find: (node, { fromMs, toMs, limit }) =>
      select
        .all(node, Math.round(fromMs * 1000), Math.round(toMs * 1000), limit)
        .map((text) => JSON.parse(text)),

    pruneFarm(share) {
      pruneFarm.run(Math.round(MOST_SLOW_OF_FARM * share))
    },
    pruneNode(node, nowMs, share) {
      const before = (nowMs - SLOW_KEPT_HOURS * 3600_000 * share) * 1000
      pruneNode.run(node, Math.round(before), node, Math.round(MOST_SLOW_OF_NODE * share))
    },
  }
}

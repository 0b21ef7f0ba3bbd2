// SPDX-License-Identifier: MIT
// Fetches again what events made old. However many come, what is shown is asked for every two seconds at most, and no fetch
// is given up for the next one: a list that takes longer than the time between two events would never arrive.
import { hashKey, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query'

const AT_MOST_EVERY_MS = 2000
/** Of lists that were shown long ago nothing need be known. */
const KEYS_KEPT = 500

export type Refresher = {
  /** Something that is below this key has changed. What changes all the time may be asked for less often. */
  makeOld: (queryKey: QueryKey, atMostEveryMs?: number) => void
  stop: () => void
}

export function createRefresher(client: QueryClient): Refresher {
  const ranAt = new Map<string, number>()
  const waiting = new Map<string, ReturnType<typeof setTimeout>>()
  const toFollow = new Set<string>()

  const makeOld = (queryKey: QueryKey, atMostEveryMs = AT_MOST_EVERY_MS): void => {
    const key = hashKey(queryKey)
    if (waiting.has(key)) return
    const leftMs = (ranAt.get(key) ?? Number.NEGATIVE_INFINITY) + atMostEveryMs - Date.now()
    if (leftMs <= 0) {
      run(key, queryKey)
      return
    }
    const timer = setTimeout(() => {
      waiting.delete(key)
      run(key, queryKey)
    }, leftMs)
    waiting.set(key, timer)
  }

  const run = (key: string, queryKey: QueryKey): void => {
    if (ranAt.size > KEYS_KEPT) ranAt.clear()
    ranAt.set(key, Date.now())
    for (const query of client.getQueryCache().findAll({ queryKey })) {
      if (query.state.fetchStatus === 'fetching') askAgain(query)
      else ranAt.set(query.queryHash, Date.now())
    }
    void client.invalidateQueries({ queryKey }, { cancelRefetch: false })
  }

  /** What is under way may bring what was true before the event, and would make it pass for new. */
  const askAgain = ({ queryHash, queryKey, promise }: Query): void => {
    if (toFollow.has(queryHash)) return
    toFollow.add(queryHash)
    promise
      ?.catch(() => {}) // one that failed says so where it is shown
      .finally(() => {
        toFollow.delete(queryHash)
        makeOld(queryKey)
      })
  }

  const stop = () => {
    for (const timer of waiting.values()) clearTimeout(timer)
    waiting.clear()
  }
  return { makeOld, stop }
}

// SPDX-License-Identifier: MIT
// How many events who is nobody here may cause: a node, and whoever fails to sign in. Whoever has a node's key, or many
// networks, can say the same thing over and over, each a row that is kept for good: so each node has a budget per
// action, failed sign-ins have one together, and what goes beyond it is counted, not written.
// Told at once that something is left out, and how much with the next one written. In memory: a restart forgives.
import { deleteOldest } from '../base/kept.ts'
import type { NewEvent } from './event.ts'

/** Enough for any honest hour; 2880 a day after that. */
export const BURST = 120
const ONE_MORE_AFTER_MS = 30_000
const MAX_KEYS = 50_000

type Bucket = { left: number; atMs: number; skipped: number; sinceMs: number }
/** `kind` and `id`: of the event that tells what was left out. */
export type Cause = { kind: NewEvent['kind']; id: string; action: string }
/** `summary`: to be written before it, or instead of it. */
export type Verdict = { write: boolean; summary: Summary | null }
export type Summary = { action: string; leftOut: number; since: string }

/** Of one transaction. What it wrote and counted is as if it had not been when it comes to nothing. */
export type Bounding = { judge(cause: Cause, nowMs: number): Verdict; undo(): void }

/** Each call is for a transaction of its own. */
export function createEventBounds(): () => Bounding {
  const buckets = new Map<string, Bucket>()
  return () => {
    const before = new Map<string, Bucket | undefined>()
    return {
      judge: (cause, nowMs) => judge(bucketOf(cause, nowMs, before), cause, nowMs),
      undo() {
        for (const [key, bucket] of before) {
          if (bucket) buckets.set(key, bucket)
          else buckets.delete(key)
        }
        before.clear()
      },
    }
  }

  function bucketOf(
    { id, action }: Cause,
    nowMs: number,
    before: Map<string, Bucket | undefined>,
  ): Bucket {
    const key = `${id} ${action}`
    const known = buckets.get(key)
    if (!before.has(key)) before.set(key, known)
    const last = known ?? { left: BURST, atMs: nowMs, skipped: 0, sinceMs: nowMs }
    const earned = Math.max(0, Math.floor((nowMs - last.atMs) / ONE_MORE_AFTER_MS))
    // A clock that was put back begins anew from there.
    const atMs = nowMs < last.atMs ? nowMs : last.atMs + earned * ONE_MORE_AFTER_MS
    const bucket = { ...last, left: Math.min(BURST, last.left + earned), atMs }
    // Taken out and put in again, the map's order is the order of use: the oldest goes first.
    buckets.delete(key)
    buckets.set(key, bucket)
    if (buckets.size > MAX_KEYS) deleteOldest(buckets)
    return bucket
  }
}

function judge(bucket: Bucket, { action }: Cause, nowMs: number): Verdict {
  const summary = (): Summary => ({
    ...{ action, leftOut: bucket.skipped },
    since: new Date(bucket.sinceMs).toISOString(),
  })
  if (bucket.left === 0) {
    bucket.skipped += 1
    if (bucket.skipped > 1) return { write: false, summary: null }
    bucket.sinceMs = nowMs
    return { write: false, summary: summary() }
  }
  bucket.left -= 1
  const said = bucket.skipped > 0 ? summary() : null
  bucket.skipped = 0
  return { write: true, summary: said }
}

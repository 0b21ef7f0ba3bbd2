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

export function createEventBounds() {
  const buckets = new Map<string, Bucket>()

  const bucketOf = ({ id, action }: Cause, nowMs: number): Bucket => {
    const key = `${id} ${action}`
    const before = buckets.get(key) ?? { left: BURST, atMs: nowMs, skipped: 0, sinceMs: nowMs }
    const earned = Math.max(0, Math.floor((nowMs - before.atMs) / ONE_MORE_AFTER_MS))
    // A clock that was put back begins anew from there.
    const atMs = nowMs < before.atMs ? nowMs : before.atMs + earned * ONE_MORE_AFTER_MS
    const bucket = { ...before, left: Math.min(BURST, before.left + earned), atMs }
    // Taken out and put in again, the map's order is the order of use: the oldest goes first.
    buckets.delete(key)
    buckets.set(key, bucket)
    if (buckets.size > MAX_KEYS) deleteOldest(buckets)
    return bucket
  }

  return (cause: Cause, nowMs: number): Verdict => {
    const bucket = bucketOf(cause, nowMs)
    const summary = (): Summary => ({
      action: cause.action,
      leftOut: bucket.skipped,
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
}

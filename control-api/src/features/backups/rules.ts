// SPDX-License-Identifier: MIT
// When the next backup is due, which ones are let go, and whether all is well. Pure.
import type { Backup } from './schema.ts'

export type Known = Pick<Backup, 'id' | 'state' | 'trigger'> & { createdAtMs: number }

const HOUR_MS = 3600_000
const MINUTE_MS = 60_000
/** What failed is tried again this soon: a full disk or a missing mount is mended within hours. */
const RETRY_MS = 10 * MINUTE_MS
/** Failures are kept for whoever looks, not for ever. */
const FAILURES_KEPT = 20
/** Of the interval: a backup takes its time, and a service may be down for a while. */
const LATE_FACTOR = 1.5

/** Newest first. `everyHours` 0: never. */
export function isDue(known: readonly Known[], everyHours: number, nowMs: number): boolean {
  if (everyHours === 0 || known.some(({ state }) => state === 'running')) return false
  const done = known.find(({ state }) => state === 'done')
  if (done && nowMs - done.createdAtMs < everyHours * HOUR_MS) return false
  const tried = known.find(({ trigger }) => trigger === 'schedule')
  return tried?.state !== 'failed' || nowMs - tried.createdAtMs >= RETRY_MS
}

/** Newest first; never the only good one. */
export function superfluous<T extends Known>(known: readonly T[], keep: number): T[] {
  const done = known.filter(({ state }) => state === 'done')
  const failed = known.filter(({ state }) => state === 'failed')
  return [...done.slice(Math.max(1, keep)), ...failed.slice(FAILURES_KEPT)]
}

type Verdict = { ok: boolean; message: string }

/** Newest first. `sinceMs`: from when on there could have been one. */
export function judgeBackups(
  known: readonly Known[],
  { everyHours, sinceMs, nowMs }: { everyHours: number; sinceMs: number; nowMs: number },
): Verdict {
  const done = known.find(({ state }) => state === 'done')
  const age = done ? `the newest is ${tellAge(nowMs - done.createdAtMs)} old` : 'there is none yet'
  if (everyHours === 0) return { ok: true, message: `${age}; they are made by hand only` }
  const late = nowMs - (done?.createdAtMs ?? sinceMs) > everyHours * HOUR_MS * LATE_FACTOR
  const failed = known.find(({ state }) => state !== 'running')?.state === 'failed'
  if (!late && !failed) return { ok: true, message: age }
  return {
    ok: false,
    message: `${age}${failed ? ', and the last attempt failed' : ''}: GET /api/v1/backups says why`,
  }
}

function tellAge(ms: number): string {
  if (ms < HOUR_MS) return `${Math.max(0, Math.round(ms / MINUTE_MS))} min`
  return `${Math.round(ms / HOUR_MS)} h`
}

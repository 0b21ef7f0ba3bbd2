// SPDX-License-Identifier: MIT
// Keeps windows in rings of three resolutions. Each window is merged into its step of every ring when
// it arrives: late ones need no second path, and a coarse ring is never waiting for a job to run.
import type { Kysely, Transaction } from 'kysely'
import { decodeHistogram, encodeHistogram } from '../histogram/encoding.ts'
import { type Histogram, mergeHistograms } from '../histogram/histogram.ts'
import type { MetricsDatabase } from './open.ts'
import { RINGS, stepOf } from './rings.ts'
import type { Counters, PlacedWindow, Series } from './windows.ts'

export type Take = { nodeId: string; bootId: string; windows: PlacedWindow[]; nowMs: number }
/** `previousSeq`: windows up to it had been taken before. */
export type Taken = { acknowledgedSeq: number; previousSeq: number }

const MAX_COUNTER_NAMES = 256
/** Boots are remembered longer than a node keeps its windows. */
const FORGET_BOOT_MS = 24 * 3600_000

export type RingStore = ReturnType<typeof createRingStore>

export function createRingStore(db: Kysely<MetricsDatabase>) {
  return {
    /** Counts what was not counted before; all of it or nothing. */
    async take({ nodeId, bootId, windows, nowMs }: Take): Promise<Taken> {
      return db.transaction().execute(async (trx) => {
        const row = await trx
          .selectFrom('taken')
          .select('seq')
          .where('node_id', '=', nodeId)
          .where('boot_id', '=', bootId)
          .executeTakeFirst()
        const previousSeq = row?.seq ?? 0
        const fresh = windows.filter((window) => window.seq > previousSeq)
        const acknowledgedSeq = fresh.at(-1)?.seq ?? previousSeq
        if (fresh.length === 0) return { acknowledgedSeq, previousSeq }
        for (const step of collectSteps(fresh, nowMs)) await mergeStep(trx, nodeId, step)
        await trx
          .insertInto('taken')
          .values({ node_id: nodeId, boot_id: bootId, seq: acknowledgedSeq, taken_at_ms: nowMs })
          .onConflict((conflict) =>
            conflict
              .columns(['node_id', 'boot_id'])
              .doUpdateSet({ seq: acknowledgedSeq, taken_at_ms: nowMs }),
          )
          .execute()
        return { acknowledgedSeq, previousSeq }
      })
    },

    /** Deletes what every ring has outlived, one node and ring at a time so that writers wait little. */
    async prune(nowMs: number): Promise<void> {
      const nodes = await db.selectFrom('taken').select('node_id').distinct().execute()
      for (const { node_id } of nodes) {
        for (const ring of RINGS) {
          const before = Math.floor(nowMs / 1000) - ring.keepSeconds
          for (const table of ['coverage', 'counters', 'histograms'] as const) {
            await db
              .deleteFrom(table)
              .where('node_id', '=', node_id)
              .where('resolution_s', '=', ring.resolutionSeconds)
              .where('step_s', '<', before)
              .execute()
          }
        }
        await forgetBoots(db, node_id, nowMs)
      }
    },
  }
}

/** The newest boot stays whatever its age: it says that the node has rows to prune. */
async function forgetBoots(db: Kysely<MetricsDatabase>, nodeId: string, nowMs: number) {
  const newest = db
    .selectFrom('taken')
    .select('boot_id')
    .where('node_id', '=', nodeId)
    .orderBy('taken_at_ms', 'desc')
    .limit(1)
  await db
    .deleteFrom('taken')
    .where('node_id', '=', nodeId)
    .where('taken_at_ms', '<', nowMs - FORGET_BOOT_MS)
    .where('boot_id', 'not in', newest)
    .execute()
}

type Step = { resolution: number; start: number; coveredMs: number; series: Map<number, Series> }

function collectSteps(windows: readonly PlacedWindow[], nowMs: number): Step[] {
  const steps = new Map<string, Step>()
  for (const window of windows) {
    for (const ring of RINGS) {
      const start = stepOf(window.endedAtMs, ring, nowMs)
      if (start === null) continue
      const key = `${ring.resolutionSeconds}:${start}`
      const step = steps.get(key) ?? {
        resolution: ring.resolutionSeconds,
        start,
        coveredMs: 0,
        series: new Map(),
      }
      steps.set(key, step)
      step.coveredMs += window.durationMs
      for (const series of window.series) {
        const same = step.series.get(series.generation)
        step.series.set(series.generation, same ? mergeSeries(same, series) : series)
      }
    }
  }
  return [...steps.values()]
}

function mergeSeries(a: Series, b: Series): Series {
  const stages = { ...a.stages }
  for (const [stage, histogram] of stagesOf(b)) {
    const same = stages[stage]
    stages[stage] = same ? mergeHistograms(same, histogram) : histogram
  }
  return { generation: a.generation, counters: addCounters(a.counters, b.counters), stages }
}

function addCounters(a: Counters, b: Counters): Counters {
  const sums = new Map(Object.entries(a))
  for (const [name, value] of Object.entries(b)) {
    if (!sums.has(name) && sums.size >= MAX_COUNTER_NAMES) continue
    sums.set(name, Math.min((sums.get(name) ?? 0) + value, Number.MAX_SAFE_INTEGER))
  }
  return Object.fromEntries(sums)
}

const stagesOf = ({ stages }: Series) =>
  Object.entries(stages).filter(([, h]) => h.count > 0) as [keyof Series['stages'], Histogram][]

type Trx = Transaction<MetricsDatabase>

async function mergeStep(trx: Trx, nodeId: string, step: Step): Promise<void> {
  const key = { node_id: nodeId, resolution_s: step.resolution, step_s: step.start }
  await trx
    .insertInto('coverage')
    .values({ ...key, covered_ms: step.coveredMs })
    .onConflict((conflict) =>
      conflict
        .columns(['node_id', 'resolution_s', 'step_s'])
        .doUpdateSet(({ eb }) => ({ covered_ms: eb('coverage.covered_ms', '+', step.coveredMs) })),
    )
    .execute()
  if (step.series.size === 0) return
  const stored = await storedSeries(trx, key)
  const merged = [...step.series.values()].map((series) => {
    const same = stored.get(series.generation)
    return same ? mergeSeries(same, series) : series
  })
  await trx
    .replaceInto('counters')
    .values(
      merged.map(({ generation, counters }) => ({
        ...key,
        generation,
        counters: JSON.stringify(counters),
      })),
    )
    .execute()
  const histograms = merged.flatMap((series) =>
    stagesOf(series).map(([stage, histogram]) => ({
      ...key,
      generation: series.generation,
      stage,
      histogram: encodeHistogram(histogram),
    })),
  )
  if (histograms.length > 0) await trx.replaceInto('histograms').values(histograms).execute()
}

type Key = { node_id: string; resolution_s: number; step_s: number }

async function storedSeries(trx: Trx, key: Key): Promise<Map<number, Series>> {
  const counters = await trx
    .selectFrom('counters')
    .select(['generation', 'counters'])
    .where('node_id', '=', key.node_id)
    .where('resolution_s', '=', key.resolution_s)
    .where('step_s', '=', key.step_s)
    .execute()
  const found = new Map<number, Series>()
  for (const row of counters) {
    const series: Series = {
      generation: row.generation,
      counters: JSON.parse(row.counters),
      stages: {},
    }
    found.set(row.generation, series)
  }
  if (found.size === 0) return found
  const histograms = await trx
    .selectFrom('histograms')
    .select(['generation', 'stage', 'histogram'])
    .where('node_id', '=', key.node_id)
    .where('resolution_s', '=', key.resolution_s)
    .where('step_s', '=', key.step_s)
    .execute()
  for (const row of histograms) {
    const series = found.get(row.generation)
    if (series) series.stages[row.stage as keyof Series['stages']] = decodeHistogram(row.histogram)
  }
  return found
}

// SPDX-License-Identifier: MIT
// Keeps windows in rings of three resolutions. Each window is merged into its step of every ring when
// it arrives: late ones need no second path, and a coarse ring is never waiting for a job to run.
import { type Histogram, mergeHistograms } from '../histogram/histogram.ts'
import type { MetricsDb } from './open.ts'
import { packStages, unpackStages } from './packed-stages.ts'
import { RINGS, stepOf } from './rings.ts'
import type { Counters, PlacedWindow, Series } from './windows.ts'

export type Take = { nodeId: string; bootId: string; windows: PlacedWindow[]; nowMs: number }
/** `previousSeq`: windows up to it had been taken before. */
export type Taken = { acknowledgedSeq: number; previousSeq: number }
export type Outcome = Taken | { failed: string }

const MAX_COUNTER_NAMES = 256
/** Nodes: reports and charts have their turn between. */
const PRUNED_AT_ONCE = 50
/** Boots are remembered longer than a node keeps its windows. */
const FORGET_BOOT_MS = 24 * 3600_000

export type RingStore = ReturnType<typeof createRingStore>

export function createRingStore(db: MetricsDb) {
  const statements = prepare(db)
  const take = db.transaction(({ nodeId, bootId, windows, nowMs }: Take): Taken => {
    const previousSeq = statements.seq.get(nodeId, bootId) ?? 0
    const fresh = windows.filter((window) => window.seq > previousSeq)
    const acknowledgedSeq = fresh.at(-1)?.seq ?? previousSeq
    if (fresh.length === 0) return { acknowledgedSeq, previousSeq }
    for (const step of collectSteps(fresh, nowMs)) mergeStep(statements, nodeId, step)
    statements.remember.run(nodeId, bootId, acknowledgedSeq, nowMs)
    return { acknowledgedSeq, previousSeq }
  })
  const takeAll = db.transaction((takes: readonly Take[]): Outcome[] =>
    takes.map((one) => {
      try {
        return take(one)
      } catch (error) {
        // It is over for all of them: a full disk, say. Otherwise the others' is counted.
        if (!db.inTransaction) throw error
        return { failed: error instanceof Error ? error.message : String(error) }
      }
    }),
  )
  const pruneSome = db.transaction((nowMs: number, after: string, share: number): string | null => {
    const nodeIds = statements.nodes.all(after, PRUNED_AT_ONCE)
    for (const nodeId of nodeIds) {
      for (const { resolutionSeconds, keepSeconds } of RINGS) {
        const before = Math.floor(nowMs / 1000 - keepSeconds * share)
        for (const outlived of statements.outlived) outlived.run(nodeId, resolutionSeconds, before)
      }
      statements.forgetBoots.run(nodeId, nowMs - FORGET_BOOT_MS, nodeId)
    }
    return nodeIds.at(-1) ?? null
  })
  return {
    /**
     * Of each node counts what was not counted before; all of it or nothing. In one transaction, which costs as much as
     * a report does.
     */
    takeAll: (takes: readonly Take[]): Outcome[] => takeAll.immediate(takes),

    /**
     * Deletes what every ring has outlived, of some nodes: those after this id, in their order. Returns the last one's
     * id, for who goes on; null: there were no more. `share`: of the time that each ring keeps.
     */
    pruneSome: (nowMs: number, after: string, share = 1): string | null =>
      pruneSome.immediate(nowMs, after, share),
  }
}

type Key = [nodeId: string, resolutionSeconds: number, stepSeconds: number]
type Stored = { generation: number; counters: string; stages: Buffer }
type Statements = ReturnType<typeof prepare>

const prepare = (db: MetricsDb) => ({
  seq: db
    .prepare<[string, string], number>('select seq from taken where node_id = ? and boot_id = ?')
    .pluck(),
  remember: db.prepare<[string, string, number, number]>(
    `insert into taken (node_id, boot_id, seq, taken_at_ms) values (?, ?, ?, ?)
     on conflict do update set seq = excluded.seq, taken_at_ms = excluded.taken_at_ms`,
  ),
  cover: db.prepare<[...Key, number]>(
    `insert into coverage (node_id, resolution_s, step_s, covered_ms) values (?, ?, ?, ?)
     on conflict do update set covered_ms = covered_ms + excluded.covered_ms`,
  ),
  series: db.prepare<Key, Stored>(
    `select generation, counters, stages from series
     where node_id = ? and resolution_s = ? and step_s = ?`,
  ),
  keepSeries: db.prepare<[...Key, number, string, Uint8Array]>(
    `replace into series (node_id, resolution_s, step_s, generation, counters, stages)
     values (?, ?, ?, ?, ?, ?)`,
  ),
  nodes: db
    .prepare<[string, number], string>(
      'select distinct node_id from taken where node_id > ? order by node_id limit ?',
    )
    .pluck(),
  outlived: ['coverage', 'series'].map((table) =>
    db.prepare<Key>(`delete from ${table} where node_id = ? and resolution_s = ? and step_s < ?`),
  ),
  /** The newest boot stays whatever its age: it says that the node has rows to prune. */
  forgetBoots: db.prepare<[string, number, string]>(
    `delete from taken where node_id = ? and taken_at_ms < ? and boot_id not in (
       select boot_id from taken where node_id = ? order by taken_at_ms desc limit 1)`,
  ),
})

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

function mergeStep(statements: Statements, nodeId: string, step: Step): void {
  const key: Key = [nodeId, step.resolution, step.start]
  statements.cover.run(...key, step.coveredMs)
  if (step.series.size === 0) return
  const stored = storedSeries(statements, key)
  for (const series of step.series.values()) {
    const { generation } = series
    const same = stored.get(generation)
    const merged = same ? mergeSeries(same, series) : series
    const { counters, stages } = merged
    statements.keepSeries.run(...key, generation, JSON.stringify(counters), packStages(stages))
  }
}

function storedSeries(statements: Statements, key: Key): Map<number, Series> {
  return new Map(
    statements.series.all(...key).map(({ generation, counters, stages }) => {
      const series = { counters: JSON.parse(counters), stages: unpackStages(stages) }
      return [generation, { generation, ...series }]
    }),
  )
}

// SPDX-License-Identifier: MIT
// Takes windows: each is added to its step of the finest ring, once. The coarser rings and the sums of many nodes are made of
// whole steps when those are over (roll-up.ts); a window that comes later than that is added to them here, in the same
// transaction, so that each holds all that was taken whenever the process ends.
import { addGauges, addMeasured, addWindow, type Measured, nothingMeasured } from './measured.ts'
import type { MetricsDb } from './metrics-db.ts'
import { createNames, type Names } from './names.ts'
import { RINGS, type Ring, stepOf } from './rings.ts'
import { createRollUp, type RollUp } from './roll-up.ts'
import { type CountedSites, createSiteCounts, type SiteCounts } from './site-counts.ts'
import { createSlowRequests, type SlowQuery, type SlowRequests } from './slow-requests.ts'
import { createSteps, FINEST, type Steps } from './steps.ts'
import { createSubjects, type Subjects } from './subjects.ts'
import { createTotals } from './totals.ts'
import { lostAmong, type PlacedRequest, type PlacedWindow, withLost } from './windows.ts'

export type Take = {
  nodeId: string
  bootId: string
  windows: readonly PlacedWindow[]
  nowMs: number
  /** Values at the end of the last window. */
  gauges?: Readonly<Record<string, number>> | undefined
  /** As the node counts them. */
  lostWindows?: number | undefined
}
/** `previousSeq`: windows up to it had been taken before. */
export type Taken = { acknowledgedSeq: number; previousSeq: number }
export type Outcome = Taken | { failed: string }

const COARSEST = RINGS.at(-1) as Ring
/** Subjects: reports and charts have their turn between. */
const PRUNED_AT_ONCE = 50
/** Rows of the finest ring. */
const FINEST_AT_ONCE = 5_000
const SITE_ROWS_AT_ONCE = 2_000
/** Boots are remembered longer than a node keeps its windows. */
const FORGET_BOOT_MS = 24 * 3600_000

/** What the worker has of a file. */
export type RingStore = ReturnType<typeof createRingStore>

export function createRingStore(db: MetricsDb) {
  const names: Names = createNames(db)
  const subjects: Subjects = createSubjects(db)
  const steps: Steps = createSteps(db, names)
  const rollUp: RollUp = createRollUp(db, steps, subjects)
  const slow: SlowRequests = createSlowRequests(db)
  const sites: SiteCounts = createSiteCounts(db, subjects)
  const taken = prepare(db)
  const totals = createTotals()

  const take = db.transaction((one: Take): Taken => {
    const { nodeId, bootId, nowMs, gauges } = one
    const node = subjects.keyOfNode(nodeId)
    const previousSeq = taken.seq.get(node, bootId) ?? 0
    const fresh = freshOf(one, previousSeq)
    const acknowledgedSeq = fresh.at(-1)?.seq ?? previousSeq
    if (fresh.length === 0) return { acknowledgedSeq, previousSeq }
    for (const [step, measured] of bySteps(fresh, gauges, nowMs)) {
      const stored = steps.read(node, FINEST, step)
      steps.write(node, FINEST, step, stored ? sum(stored, measured) : measured)
      rollUp.addLate(node, step, measured)
    }
    for (const { slowRequests = [] } of fresh) slow.add(node, slowRequests, nowMs)
    taken.remember.run(node, bootId, acknowledgedSeq, nowMs)
    return { acknowledgedSeq, previousSeq }
  })
  const takeEach = (takes: readonly Take[]): Outcome[] =>
    takes.map((one) => {
      try {
        return take(one)
      } catch (error) {
        // It is over for all of them: a full disk, say. Otherwise the others' is counted.
        if (!db.inTransaction) throw error
        readAgain()
        return { failed: error instanceof Error ? error.message : String(error) }
      }
    })
  const takeAll = db.transaction((takes: readonly Take[]): Outcome[] => {
    const outcomes = takeEach(takes)
    // Of many nodes that serve one config it is one row.
    sites.add(takes.flatMap((one, i) => countedSites(one, outcomes[i])))
    return outcomes
  })
  /** Of what is on the disk now. */
  const addToTotals = (takes: readonly Take[], outcomes: readonly Outcome[]) => {
    for (const [i, one] of takes.entries()) {
      const outcome = outcomes[i]
      if (!outcome || 'failed' in outcome) continue
      totals.add(freshOf(one, outcome.previousSeq), rollUp.groupsOf(one.nodeId))
    }
  }
  const readAgain = () => {
    names.readAgain()
    subjects.readAgain()
    rollUp.readAgain()
  }

  const pruneSome = db.transaction((nowMs: number, after: number, share: number): number | null => {
    const before = (keepSeconds: number) => Math.floor(nowMs / 1000 - keepSeconds * share)
    if (after === 0) {
      slow.pruneFarm(share)
      // What is not rolled up yet stays, unless the disk is full.
      const rolledUp = share < 1 ? Number.POSITIVE_INFINITY : (rollUp.madeUntil(COARSEST) ?? 0)
      const gone = steps.pruneFinest(Math.min(before(FINEST.keepSeconds), rolledUp), FINEST_AT_ONCE)
      if (gone === FINEST_AT_ONCE) return 0
      if (sites.prune(nowMs, share, SITE_ROWS_AT_ONCE) === SITE_ROWS_AT_ONCE) return 0
    }
    const some = subjects.after(after, PRUNED_AT_ONCE)
    for (const subject of some) {
      for (const ring of RINGS) {
        if (ring !== FINEST) steps.prune(subject, ring, before(ring.keepSeconds))
      }
      slow.pruneNode(subject, nowMs, share)
      taken.forget.run(subject, nowMs - FORGET_BOOT_MS, subject)
    }
    return some.at(-1) ?? null
  })

  return {
    steps,
    subjects,
    rollUp,
    sites,
    totals: () => totals.all(rollUp.groups()),

    /** Of a node nothing was ever heard of: none. */
    slowRequests(query: SlowQuery): PlacedRequest[] {
      const node = subjects.find(query.nodeId)
      return node === undefined ? [] : slow.find(node, query)
    },

    /**
     * Of each node counts what was not counted before; all of it or nothing. In one transaction, which costs as much as
     * a report does.
     */
    takeAll(takes: readonly Take[]): Outcome[] {
      try {
        const outcomes = takeAll.immediate(takes)
        addToTotals(takes, outcomes)
        return outcomes
      } catch (error) {
        readAgain()
        throw error
      }
    },

    /**
     * Deletes what every ring has outlived, a part of it: the first time after 0, then after what was returned; null: that
     * was all. `share`: of the time that each ring keeps.
     */
    pruneSome: (nowMs: number, after: number, share = 1): number | null =>
      pruneSome.immediate(nowMs, after, share),
  }
}

const prepare = (db: MetricsDb) => ({
  seq: db
    .prepare<[number, string], number>('select seq from taken where node = ? and boot_id = ?')
    .pluck(),
  remember: db.prepare<[number, string, number, number]>(
    `insert into taken (node, boot_id, seq, taken_at_ms) values (?, ?, ?, ?)
     on conflict do update set seq = excluded.seq, taken_at_ms = excluded.taken_at_ms`,
  ),
  /** The newest boot stays, whatever its age. */
  forget: db.prepare<[number, number, number]>(
    `delete from taken where node = ? and taken_at_ms < ? and boot_id not in (
       select boot_id from taken where node = ? order by taken_at_ms desc limit 1)`,
  ),
})

/** What is news, with what never came before it. */
function freshOf({ windows, lostWindows }: Take, previousSeq: number): readonly PlacedWindow[] {
  const fresh = windows.filter(({ seq }) => seq > previousSeq)
  return withLost(fresh, lostAmong(fresh, { previousSeq, told: lostWindows }))
}

function countedSites(one: Take, outcome: Outcome | undefined): CountedSites[] {
  if (!outcome || 'failed' in outcome) return []
  const fresh = one.windows.filter(({ seq }) => seq > outcome.previousSeq)
  return fresh.flatMap(({ endedAtMs, sites = [] }) =>
    sites.map((sites) => ({ ...sites, endedAtMs })),
  )
}

function bySteps(
  windows: readonly PlacedWindow[],
  gauges: Take['gauges'],
  nowMs: number,
): Map<number, Measured> {
  const steps = new Map<number, Measured>()
  for (const window of windows) {
    const step = stepOf(window.endedAtMs, FINEST, nowMs)
    if (step === null) continue
    const measured = steps.get(step) ?? nothingMeasured()
    steps.set(step, measured)
    addWindow(measured, window)
    if (gauges && window === windows.at(-1)) addGauges(measured, gauges)
  }
  return steps
}

function sum(into: Measured, more: Measured): Measured {
  addMeasured(into, more)
  return into
}

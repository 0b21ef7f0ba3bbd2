// SPDX-License-Identifier: MIT
// Makes what charts read of whole steps once they are over: of the finest ring the sums over many nodes, step by step, and of
// each ring the next coarser one. A part at a time, so that reports and charts have their turn between.
//
// Nothing is lost or counted twice by a crash. Sums of a step are added up in memory and written together with how far they
// are; a coarse step is written anew, from the same finer ones, as often as that is begun. What comes late for a step that is
// made already is added to it in the transaction that takes it (addLate).
import { addMeasured, type Measured, nothingMeasured, withoutGenerations } from './measured.ts'
import type { MetricsDb } from './metrics-db.ts'
import { readable } from './packed-measured.ts'
import { RINGS, type Ring, stepStart } from './rings.ts'
import { FINEST, type Steps } from './steps.ts'
import { FARM, type Subjects } from './subjects.ts'

/** A report that comes within so long of the end of its window is no late one. */
const GRACE_SECONDS = 30
/** The least of all subjects' numbers: none is made before it. */
const FIRST_NODE = 1
/** Rows that are added to sums, and subjects that are rolled up. */
const ADDED_AT_ONCE = 500
const ROLLED_AT_ONCE = 50

/** Of which sums a node is a part, besides the farm's: whatever it serves, and only what it serves by a generation. */
export type Membership = {
  groups: readonly string[]
  versions: readonly { generation: number; sum: string }[]
}

export type RollUp = {
  /** A part of what is due; false: there was nothing. */
  some(nowMs: number): boolean
  /** To what is made of that step already. In the caller's transaction. */
  addLate(node: number, step: number, measured: Measured): void
  /** null: of none any more. */
  setMembership(nodeId: string, membership: Membership | null): void
  /** The sums of the groups it is in, as far as that is known. */
  groupsOf(nodeId: string): readonly string[]
  /** Of all nodes. */
  groups(): Set<string>
  /** Everything before it is made. null: nothing is. */
  madeUntil(ring: Ring): number | null
  /** After a transaction was undone. */
  readAgain(): void
}

/** Steps before `step` are made, and of that one the subjects up to `subject`. */
type Progress = { step: number; subject: number }

export function createRollUp(db: MetricsDb, steps: Steps, subjects: Subjects): RollUp {
  const statements = prepare(db)
  const progress = new Map<Ring, Progress>()
  /** The sums of the step of the finest ring that is under way. */
  const adding = new Map<string, Measured>()
  const memberships = new Map<string, Membership>()

  function readAgain(): void {
    progress.clear()
    adding.clear()
    for (const ring of RINGS) {
      const step = statements.read.get(ring.resolutionSeconds)
      if (step !== undefined) progress.set(ring, { step, subject: 0 })
    }
  }
  readAgain()

  function goOn(ring: Ring, step: number): void {
    statements.write.run(ring.resolutionSeconds, step)
    progress.set(ring, { step, subject: 0 })
  }

  const isMade = (ring: Ring, step: number, subject: number): boolean => {
    const made = progress.get(ring)
    if (!made) return false
    return step < made.step || (step === made.step && subject <= made.subject)
  }

  /** What a node's step adds to each sum. */
  function* shares(node: number, measured: Measured): Generator<[sum: string, share: Measured]> {
    const whole = withoutGenerations(measured)
    yield [FARM, whole]
    const membership = memberships.get(subjects.idOf(node) ?? '')
    for (const group of membership?.groups ?? []) yield [group, whole]
    for (const { generation, sum } of membership?.versions ?? []) {
      const one = measured.series.get(generation)
      if (!one) continue
      const { gauges } = measured
      const { coveredMs } = one
      yield [sum, withoutGenerations({ coveredMs, gauges, series: new Map([[generation, one]]) })]
    }
  }

  function addTo(sums: Map<string, Measured>, node: number, measured: Measured): void {
    for (const [name, share] of shares(node, measured)) {
      const sum = sums.get(name) ?? nothingMeasured()
      addMeasured(sum, share)
      sums.set(name, sum)
    }
  }

  function addToRow(subject: number, ring: Ring, step: number, more: Measured): void {
    const sum = steps.read(subject, ring, step) ?? nothingMeasured()
    addMeasured(sum, more)
    steps.write(subject, ring, step, sum)
  }

  /** Returns whether there was anything to add up. */
  function addUp(nowSeconds: number): boolean {
    const due = stepStart(nowSeconds - GRACE_SECONDS, FINEST)
    const under = progress.get(FINEST)
    const step = under?.step ?? steps.firstStep(0)
    if (step === null || step >= due) return false
    if (!under) write(() => begin(step))
    const rows = steps.ofNodes(step, under?.subject ?? 0, ADDED_AT_ONCE)
    for (const { subject, row } of rows) {
      const measured = readable(() => row().unpack())
      if (measured) addTo(adding, subject, measured)
    }
    const last = rows.at(-1)
    if (last && rows.length === ADDED_AT_ONCE) {
      progress.set(FINEST, { step, subject: last.subject })
      return true
    }
    write(() => {
      for (const [name, sum] of adding) steps.write(subjects.keyOfSum(name), FINEST, step, sum)
      const next = step + FINEST.resolutionSeconds
      // Where nothing was measured there is nothing to add; what comes for it later is late.
      goOn(FINEST, Math.max(next, Math.min(steps.firstStep(next) ?? due, due)))
    })
    adding.clear()
    return true
  }

  function begin(step: number): void {
    for (const ring of RINGS) goOn(ring, stepStart(step, ring))
  }

  /** Of one ring the next coarser. */
  function rollUp(from: Ring, to: Ring): boolean {
    const [source, under] = [progress.get(from), progress.get(to)]
    if (!source || !under) return false
    const { step, subject: after } = under
    const toSeconds = step + to.resolutionSeconds
    if (toSeconds > source.step) return false
    if (after === 0 && skipEmpty(to, step, source.step)) return true
    const some = subjects.after(after, ROLLED_AT_ONCE)
    const isLast = some.length < ROLLED_AT_ONCE
    write(() => {
      for (const subject of some) {
        const whole = nothingMeasured()
        for (const { row } of steps.of(subject, from, { fromSeconds: step, toSeconds })) {
          const measured = readable(() => row().unpack())
          if (measured) addMeasured(whole, measured)
        }
        if (whole.coveredMs > 0) steps.write(subject, to, step, whole)
      }
      if (isLast) goOn(to, toSeconds)
    })
    const last = some.at(-1)
    if (!isLast && last !== undefined) progress.set(to, { step, subject: last })
    return true
  }

  /** After a night without a report there is no use in looking for each minute of it. */
  function skipEmpty(to: Ring, step: number, until: number): boolean {
    const next = steps.firstStep(step) ?? until
    const begins = stepStart(Math.min(next, until), to)
    if (begins <= step) return false
    write(() => goOn(to, begins))
    return true
  }

  function write(work: () => void): void {
    try {
      db.transaction(work).immediate()
    } catch (error) {
      subjects.readAgain()
      readAgain()
      throw error
    }
  }

  return {
    some(nowMs) {
      if (addUp(Math.floor(nowMs / 1000))) return true
      return RINGS.slice(1).some((to, i) => rollUp(RINGS[i] as Ring, to))
    },

    addLate(node, step, measured) {
      const under = progress.get(FINEST)
      if (!under) return
      if (step < under.step) {
        for (const [name, share] of shares(node, measured)) {
          addToRow(subjects.keyOfSum(name), FINEST, step, share)
        }
      } else if (isMade(FINEST, step, node)) addTo(adding, node, measured)
      for (const ring of RINGS.slice(1)) {
        const coarse = stepStart(step, ring)
        // Of most windows nothing is made yet.
        if (!isMade(ring, coarse, FIRST_NODE)) continue
        if (isMade(ring, coarse, node)) addToRow(node, ring, coarse, measured)
        for (const [name, share] of shares(node, measured)) {
          const sum = subjects.keyOfSum(name)
          if (isMade(ring, coarse, sum)) addToRow(sum, ring, coarse, share)
        }
      }
    },

    setMembership(nodeId, membership) {
      if (membership) memberships.set(nodeId, membership)
      else memberships.delete(nodeId)
    },

    groupsOf: (nodeId) => memberships.get(nodeId)?.groups ?? [],
    groups: () => new Set([...memberships.values()].flatMap(({ groups }) => groups)),
    madeUntil: (ring) => progress.get(ring)?.step ?? null,
    readAgain,
  }
}

const prepare = (db: MetricsDb) => ({
  read: db.prepare<[number], number>('select step_s from progress where resolution_s = ?').pluck(),
  write: db.prepare<[number, number]>('replace into progress (resolution_s, step_s) values (?, ?)'),
})

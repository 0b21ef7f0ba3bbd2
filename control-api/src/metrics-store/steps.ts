// SPDX-License-Identifier: MIT
// The rings on the disk. A row is all that was measured of one subject in one step. Its key is one number, so that a row of a
// kilobyte lies in a page with others (in a table without such a key SQLite gives what is longer than a quarter of a page a
// page of its own). The finest ring is ordered by time: what comes in is written at the end, one page after the other, and
// leaves in one piece. The coarser ones are ordered by subject, as charts read them.
import type { Measured } from './measured.ts'
import type { MetricsDb } from './metrics-db.ts'
import type { Names } from './names.ts'
import { PackedMeasured, packMeasured, readable } from './packed-measured.ts'
import { RINGS, type Ring } from './rings.ts'

/** Numbers of subjects: nodes from 1, sums of many nodes from here on. */
export const FIRST_SUM = 2 ** 23
const SUBJECTS = 2 ** 24
/** Of steps: those of 60 s until the year 2097. */
const STEPS = 2 ** 26
const READ_AT_ONCE = 500

/** `row` throws a RangeError when it is damaged: readable() of packed-measured.ts. */
export type Row = { subject: number; step: number; row: () => PackedMeasured }
/** `fromSeconds` and `toSeconds` are starts of steps; the last is not in it. */
type Span = { fromSeconds: number; toSeconds: number }

export type Steps = {
  /** undefined: there is none, or it is damaged. */
  read(subject: number, ring: Ring, step: number): Measured | undefined
  write(subject: number, ring: Ring, step: number, measured: Measured): void
  of(subject: number, ring: Ring, span: Span): Iterable<Row>
  /** Of nodes after this one, in their order, those that have this step of the finest ring. */
  ofNodes(step: number, after: number, most: number): Row[]
  /** The first that is not before this one and has anything of a node; null: there is none. */
  firstStep(notBefore: number): number | null
  /** Deletes what is older, at most so many rows of the finest ring; returns how many. */
  pruneFinest(before: number, most: number): number
  prune(subject: number, ring: Ring, before: number): void
}

export const [FINEST] = RINGS as [Ring, ...Ring[]]

/** The key of a row. */
export function keyOf(subject: number, ring: Ring, step: number): number {
  const index = step / ring.resolutionSeconds
  return ring === FINEST ? index * SUBJECTS + subject : subject * STEPS + index
}

/** Whose row it is, and of when. */
export function placeOf(ring: Ring, at: number): { subject: number; step: number } {
  const [subject, index] =
    ring === FINEST
      ? [at % SUBJECTS, Math.floor(at / SUBJECTS)]
      : [Math.floor(at / STEPS), at % STEPS]
  return { subject, step: index * ring.resolutionSeconds }
}

export function createSteps(db: MetricsDb, names: Names): Steps {
  const statements = new Map(RINGS.map((ring) => [ring, prepare(db, ring)]))
  const of = (ring: Ring) => {
    const found = statements.get(ring)
    if (!found) throw new Error(`no ring of ${ring.resolutionSeconds} s`)
    return found
  }
  const finest = of(FINEST)
  const unpacked = (ring: Ring, { at, measured }: Stored): Row => ({
    ...placeOf(ring, at),
    row: () => new PackedMeasured(measured, names),
  })
  const stepsOf = ({ fromSeconds, toSeconds }: Span, { resolutionSeconds }: Ring) =>
    Array.from(
      { length: Math.ceil((toSeconds - fromSeconds) / resolutionSeconds) },
      (_, i) => fromSeconds + i * resolutionSeconds,
    )

  /** Some at a time: while rows come one by one, nothing can be written. */
  function* within(ring: Ring, from: number, to: number): Generator<Row> {
    for (let next = from; next <= to; ) {
      const some = of(ring).some.all(next, to, READ_AT_ONCE)
      for (const stored of some) yield unpacked(ring, stored)
      if (some.length < READ_AT_ONCE) return
      next = (some.at(-1)?.at ?? to) + 1
    }
  }

  return {
    read(subject, ring, step) {
      const stored = of(ring).read.get(keyOf(subject, ring, step))
      return stored && readable(() => new PackedMeasured(stored.measured, names).unpack())
    },

    write(subject, ring, step, measured) {
      of(ring).write.run(keyOf(subject, ring, step), packMeasured(measured, names))
    },

    *of(subject, ring, span) {
      if (ring !== FINEST) {
        const { fromSeconds, toSeconds } = span
        yield* within(ring, keyOf(subject, ring, fromSeconds), keyOf(subject, ring, toSeconds) - 1)
        return
      }
      for (const step of stepsOf(span, ring)) {
        const at = keyOf(subject, ring, step)
        const stored = finest.read.get(at)
        if (stored) yield unpacked(ring, { at, ...stored })
      }
    },

    ofNodes(step, after, most) {
      const [from, to] = [keyOf(after + 1, FINEST, step), keyOf(FIRST_SUM, FINEST, step)]
      return finest.some.all(from, to - 1, most).map((stored) => unpacked(FINEST, stored))
    },

    firstStep(notBefore) {
      // Sums of a step stand behind its nodes: past them to the next step.
      for (let from = keyOf(1, FINEST, notBefore); ; ) {
        const at = finest.first.get(from)
        if (at === undefined) return null
        const step = Math.floor(at / SUBJECTS) * FINEST.resolutionSeconds
        if (at % SUBJECTS < FIRST_SUM) return step
        from = keyOf(1, FINEST, step + FINEST.resolutionSeconds)
      }
    },

    pruneFinest(before, most) {
      const until = keyOf(0, FINEST, before - (before % FINEST.resolutionSeconds))
      const last = finest.nth.get(until, most - 1)
      return finest.delete.run(0, last ?? until - 1).changes
    },

    prune(subject, ring, before) {
      const to = keyOf(subject, ring, before - (before % ring.resolutionSeconds))
      of(ring).delete.run(keyOf(subject, ring, 0), to - 1)
    },
  }
}

type Stored = { at: number; measured: Buffer }

function prepare(db: MetricsDb, { resolutionSeconds }: Ring) {
  const table = `ring_${resolutionSeconds}`
  return {
    read: db.prepare<[number], { measured: Buffer }>(`select measured from ${table} where at = ?`),
    write: db.prepare<[number, Uint8Array]>(`replace into ${table} (at, measured) values (?, ?)`),
    some: db.prepare<[number, number, number], Stored>(
      `select at, measured from ${table} where at between ? and ? order by at limit ?`,
    ),
    first: db
      .prepare<[number], number>(`select at from ${table} where at >= ? order by at limit 1`)
      .pluck(),
    nth: db
      .prepare<[number, number], number>(
        `select at from ${table} where at < ? order by at limit 1 offset ?`,
      )
      .pluck(),
    delete: db.prepare<[number, number]>(`delete from ${table} where at between ? and ?`),
  }
}

// SPDX-License-Identifier: MIT
// Files of earlier versions, made into this one's in the transaction that opens them.
import { type Measured, nothingMeasured } from './measured.ts'
import type { MetricsDb } from './metrics-db.ts'
import { createNames } from './names.ts'
import { packEncoded, unpackStages } from './packed-stages.ts'
import { RINGS } from './rings.ts'
import { createSteps } from './steps.ts'
import { createSubjects } from './subjects.ts'
import type { StageName } from './windows.ts'

const SERIES = `
  create table series (
    node_id text not null, resolution_s integer not null, step_s integer not null,
    generation integer not null,
    counters text not null,
    stages blob not null,
    primary key (node_id, resolution_s, step_s, generation)
  ) strict, without rowid;
`

/** Version 1 had a row for each stage of a step, and its counters in another table. */
export function fromRowsOfStages(sqlite: MetricsDb): void {
  sqlite.exec(SERIES)
  sqlite.aggregate<unknown>('pack', {
    start: () => new Map<StageName, Uint8Array>(),
    step: (encoded, next) => {
      const [stage, hex] = String(next).split(' ') as [StageName, string]
      return (encoded as Map<StageName, Uint8Array>).set(stage, Buffer.from(hex, 'hex'))
    },
    result: (encoded) => Buffer.from(packEncoded(encoded as Map<StageName, Uint8Array>)),
  })
  sqlite.exec(`
    insert into series select node_id, resolution_s, step_s, generation, counters, (
      select pack(stage || ' ' || hex(histogram)) from histograms h
      where h.node_id = c.node_id and h.resolution_s = c.resolution_s and h.step_s = c.step_s
        and h.generation = c.generation
    ) from counters c;
    drop table counters;
    drop table histograms;
  `)
}

type OldRow = {
  resolution_s: number
  step_s: number
  covered_ms: number
  generation: number | null
  counters: string
  stages: Buffer
}

/**
 * Version 2 had a row for each generation of a step, how much of it was covered in another table, and no sums of many nodes:
 * those begin with the next step.
 */
export function fromRowsOfGenerations(sqlite: MetricsDb): void {
  const subjects = createSubjects(sqlite)
  const steps = createSteps(sqlite, createNames(sqlite))
  const ringOf = new Map(RINGS.map((ring) => [ring.resolutionSeconds, ring]))
  const nodeIds = sqlite.prepare<[], string>('select distinct node_id from coverage').pluck().all()
  const rows = sqlite.prepare<[string], OldRow>(
    `select c.resolution_s, c.step_s, covered_ms, generation, counters, stages from coverage c
     left join series s on s.node_id = c.node_id and s.resolution_s = c.resolution_s and s.step_s = c.step_s
     where c.node_id = ?`,
  )
  for (const nodeId of nodeIds) {
    const node = subjects.keyOfNode(nodeId)
    for (const { ring, step, measured } of together(rows.all(nodeId))) {
      const known = ringOf.get(ring)
      if (known) steps.write(node, known, step, measured)
    }
  }
  sqlite.exec(`
    insert into taken select key, boot_id, seq, taken_at_ms from old_taken join subjects on id = node_id;
    insert into progress select resolution_s, max(step_s) + resolution_s from coverage group by resolution_s;
    drop table old_taken;
    drop table coverage;
    drop table series;
  `)
}

type Whole = { ring: number; step: number; measured: Measured }

function together(rows: readonly OldRow[]): Iterable<Whole> {
  const wholes = new Map<string, Whole>()
  for (const row of rows) {
    const key = `${row.resolution_s}:${row.step_s}`
    const whole = wholes.get(key) ?? {
      ring: row.resolution_s,
      step: row.step_s,
      measured: { ...nothingMeasured(), coveredMs: row.covered_ms },
    }
    wholes.set(key, whole)
    if (row.generation === null) continue
    const { covered_ms: coveredMs } = row
    const counters = JSON.parse(row.counters)
    const counted = { coveredMs, counters, stages: unpackStages(row.stages) }
    whole.measured.series.set(row.generation, counted)
  }
  return wholes.values()
}

// SPDX-License-Identifier: MIT
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openMetricsDb } from '../../../src/metrics-store/open.ts'
import { createGate } from '../../../src/metrics-store/postgres/gate.ts'
import type { Mirror } from '../../../src/metrics-store/postgres/mirror.ts'
import { createRingStore } from '../../../src/metrics-store/ring-store.ts'
import { histogramOf } from '../../histogram-of.ts'
import { makeQuickFolder } from '../../quick-folder.ts'

const T0 = 1_800_000_000_000

function gateOf(mirror: Partial<Mirror>) {
  const dir = makeQuickFolder()
  const db = openMetricsDb(join(dir, 'metrics.db'))
  onTestFinished(() => {
    db.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const gate = createGate({
    trouble: () => null,
    readUntil: () => 0,
    kept: async () => {},
    keepUp: () => {},
    alone: async (work) => work(),
    close: async () => {},
    ...mirror,
  })
  return { gate, rings: createRingStore(db) }
}

const takeOf = (nodeId: string, seq: number, endedAtMs: number) => {
  const series = [{ generation: 1, counters: {}, stages: { total: histogramOf([0.1]) } }]
  const windows = [{ seq, endedAtMs, durationMs: 5_000, series }]
  return { nodeId, bootId: 'boot', windows, nowMs: T0 }
}

describe('what is taken of a mirrored metrics.db', () => {
  it('waits while its time is still being read, and others do not', async () => {
    let ring10 = T0 / 1000 - 60
    const { gate, rings } = gateOf({ readUntil: (seconds) => (seconds === 10 ? ring10 : 0) })
    const takes = [takeOf('node_a', 1, T0 - 5_000), takeOf('node_b', 1, T0 - 120_000)]
    expect(await gate.take(rings, takes)).toMatchObject([
      { acknowledgedSeq: 1, previousSeq: 0 },
      { failed: expect.stringMatching(/still being read/) },
    ])
    ring10 -= 600
    expect(await gate.take(rings, takes)).toMatchObject([
      { acknowledgedSeq: 1, previousSeq: 1 },
      { acknowledgedSeq: 1, previousSeq: 0 },
    ])
  })

  it('is not rolled up of rows that are not here', () => {
    let ring60 = 0
    const { gate, rings } = gateOf({ readUntil: (seconds) => (seconds === 60 ? ring60 : 0) })
    rings.takeAll([takeOf('node_a', 1, T0)])
    rings.rollUp.some(T0 + 60_000)
    expect(gate.canRollUp(rings)).toBe(true)
    ring60 = T0 / 1000 + 60
    expect(gate.canRollUp(rings)).toBe(false)
  })

  it('is news until PostgreSQL has it', async () => {
    let isThere = false
    const { gate, rings } = gateOf({
      kept: async () => {
        if (!isThere) throw new Error('not yet')
      },
    })
    const take = takeOf('node_a', 5, T0)
    await expect(gate.take(rings, [take])).rejects.toThrow('not yet')
    await expect(gate.take(rings, [take])).rejects.toThrow('not yet')
    isThere = true
    expect(await gate.take(rings, [take])).toEqual([{ acknowledgedSeq: 5, previousSeq: 0 }])
    expect(await gate.take(rings, [take])).toEqual([{ acknowledgedSeq: 5, previousSeq: 5 }])
  })

  it('is nothing while PostgreSQL does not answer', async () => {
    const { gate, rings } = gateOf({ trouble: () => 'it is away' })
    await expect(gate.take(rings, [takeOf('node_a', 1, T0)])).rejects.toThrow('it is away')
    expect(rings.subjects.find('node_a')).toBeUndefined()
  })
})

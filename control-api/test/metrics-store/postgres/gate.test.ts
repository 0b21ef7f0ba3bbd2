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

function gateOf(mirror: Partial<Pick<Mirror, 'trouble' | 'readUntil' | 'kept'>>) {
  const dir = makeQuickFolder()
  const db = openMetricsDb(join(dir, 'metrics.db'))
  onTestFinished(() => {
    db.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const rings = createRingStore(db)
  const whole = { trouble: () => null, readUntil: () => 0, kept: async () => {} }
  return { gate: createGate({ ...whole, ...mirror }, rings), rings }
}

const takeOf = (nodeId: string, seq: number, endedAtMs: number) => {
  const series = [{ generation: 1, counters: {}, stages: { total: histogramOf([0.1]) } }]
  const windows = [{ seq, endedAtMs, durationMs: 5_000, series }]
  return { nodeId, bootId: 'boot', windows, nowMs: T0 }
}

describe('what is taken of a mirrored metrics.db', () => {
  it('waits while its time is still being read, and others do not', async () => {
    let ring10 = T0 / 1000 - 60
    const { gate } = gateOf({ readUntil: (seconds) => (seconds === 10 ? ring10 : 0) })
    const takes = [takeOf('node_a', 1, T0 - 5_000), takeOf('node_b', 1, T0 - 120_000)]
    expect(await gate.take(takes)).toMatchObject([
      { acknowledgedSeq: 1, previousSeq: 0 },
      { failed: expect.stringMatching(/still read/) },
    ])
    ring10 -= 600
    expect(await gate.take(takes)).toMatchObject([
      { acknowledgedSeq: 1, previousSeq: 1 },
      { acknowledgedSeq: 1, previousSeq: 0 },
    ])
  })

  it('is not rolled up of rows that are not here', () => {
    let ring60 = 0
    const { gate, rings } = gateOf({ readUntil: (seconds) => (seconds === 60 ? ring60 : 0) })
    rings.takeAll([takeOf('node_a', 1, T0)])
    rings.rollUp.some(T0 + 60_000)
    expect(gate.canRollUp()).toBe(true)
    ring60 = T0 / 1000 + 60
    expect(gate.canRollUp()).toBe(false)
  })

  it('is not answered of before its time is here, nor of a finer one that the coarser is not made of yet', () => {
    const until = new Map([[10, 0]])
    const { gate, rings } = gateOf({ readUntil: (seconds) => until.get(seconds) ?? 0 })
    rings.takeAll([takeOf('node_a', 1, T0 - 600_000), takeOf('node_a', 2, T0)])
    while (rings.rollUp.some(T0 - 300_000));
    const now = T0 / 1000
    const ask = (resolutionSeconds: number, fromSeconds: number) => () =>
      gate.requireRead({
        ...{ kind: 'units', set: [], wanted: { stages: [], counters: [], gauges: [] } },
        ...{ resolutionSeconds, fromSeconds, toSeconds: now, stepSeconds: resolutionSeconds },
      })
    expect(ask(60, now - 3600)).not.toThrow()
    until.set(60, now - 1800)
    expect(ask(60, now - 3600)).toThrow(/still read/)
    expect(ask(60, now - 1800)).not.toThrow()
    expect(ask(10, now - 3600)).not.toThrow()
    // The minutes are made up to five and a half before now.
    until.set(10, now - 420)
    expect(ask(60, now - 1800)).not.toThrow()
    until.set(10, now - 60)
    expect(ask(60, now - 1800)).toThrow(/still read/)
    until.set(1, now - 60)
    const slow = (fromMs: number) => () =>
      gate.requireRead({ kind: 'slow-requests', nodeId: 'node_a', fromMs, toMs: T0, limit: 1 })
    expect(slow(T0 - 61_000)).toThrow(/still read/)
    expect(slow(T0 - 60_000)).not.toThrow()
  })

  it('is news until PostgreSQL has it', async () => {
    let isThere = false
    const { gate } = gateOf({
      kept: async () => {
        if (!isThere) throw new Error('not yet')
      },
    })
    const take = takeOf('node_a', 5, T0)
    await expect(gate.take([take])).rejects.toThrow('not yet')
    await expect(gate.take([take])).rejects.toThrow('not yet')
    isThere = true
    expect(await gate.take([take])).toEqual([{ acknowledgedSeq: 5, previousSeq: 0 }])
    expect(await gate.take([take])).toEqual([{ acknowledgedSeq: 5, previousSeq: 5 }])
  })

  it('is nothing while PostgreSQL does not answer', async () => {
    const { gate, rings } = gateOf({ trouble: () => 'it is away' })
    await expect(gate.take([takeOf('node_a', 1, T0)])).rejects.toThrow('it is away')
    expect(rings.subjects.find('node_a')).toBeUndefined()
  })
})

// SPDX-License-Identifier: MIT
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Histogram } from '../../src/histogram/histogram.ts'
import { addWindow, type Measured, nothingMeasured } from '../../src/metrics-store/measured.ts'
import type { MetricsDb } from '../../src/metrics-store/metrics-db.ts'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore, type RingStore, type Take } from '../../src/metrics-store/ring-store.ts'
import { RINGS, type Ring, stepStart } from '../../src/metrics-store/rings.ts'
import type { Membership } from '../../src/metrics-store/roll-up.ts'
import { FINEST } from '../../src/metrics-store/steps.ts'
import { FARM } from '../../src/metrics-store/subjects.ts'
import { LOST, type PlacedWindow, withLost } from '../../src/metrics-store/windows.ts'
import { tempDir } from '../helper.ts'
import { histogramOf, seededRandom } from '../histogram-of.ts'

const T0 = 1_800_000_000_000

function opened() {
  const path = join(tempDir(), 'metrics.db')
  const file = { db: openMetricsDb(path), rings: null as unknown as RingStore }
  file.rings = createRingStore(file.db)
  onTestFinished(() => {
    file.db.close()
  })
  /** As a process that was killed leaves it for the next. */
  const startAgain = () => {
    file.db.close()
    file.db = openMetricsDb(path)
    file.rings = createRingStore(file.db)
  }
  return { file, startAgain }
}

/** Of one subject in one step: whatever the order in which it was added up, this is the same. */
type Sum = {
  coveredMs: number
  requests: number
  lost: number
  generations: number
  total: number[]
}

function sumOf(measured: Measured | undefined): Sum | null {
  if (!measured) return null
  const series = [...measured.series.values()]
  const counts = new Map<number, number>()
  const add = ({ zeroCount, offset, counts: buckets }: Histogram) => {
    counts.set(-1_000, (counts.get(-1_000) ?? 0) + zeroCount)
    for (const [i, n] of buckets.entries()) {
      counts.set(offset + i, (counts.get(offset + i) ?? 0) + n)
    }
  }
  for (const { stages } of series) if (stages.total) add(stages.total)
  const counted = (name: string) =>
    series.reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0)
  return {
    coveredMs: measured.coveredMs,
    requests: counted('requests'),
    lost: counted(LOST),
    generations: measured.series.size,
    total: [...counts]
      .filter(([, n]) => n > 0)
      .sort(([a], [b]) => a - b)
      .flat(),
  }
}

describe('rolling up', () => {
  it('holds in each ring, of each node and sum, exactly what was taken, whatever comes late or twice and whenever the process is killed', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const random = seededRandom(seed)
      const dice = (n: number) => Math.floor(random() * n)
      const { file, startAgain } = opened()
      const nodes = ['node_a', 'node_b', 'node_c', 'node_d', 'node_e'].slice(0, 1 + dice(5))
      const membershipOf = (i: number): Membership => ({
        groups: i % 2 === 0 ? ['group even'] : [],
        versions: [
          { generation: 1, sum: 'version 1' },
          { generation: 2, sum: 'version 2' },
        ],
      })
      const tell = () => {
        for (const [i, id] of nodes.entries()) file.rings.rollUp.setMembership(id, membershipOf(i))
      }
      tell()
      const model = new Map<string, Measured>()
      const keep = (subject: string, window: PlacedWindow) => {
        for (const ring of RINGS) {
          const step = stepStart(Math.floor(window.endedAtMs / 1000), ring)
          const key = `${subject}:${ring.resolutionSeconds}:${step}`
          const measured = model.get(key) ?? nothingMeasured()
          model.set(key, measured)
          addWindow(measured, window)
        }
      }
      const held = nodes.map((): PlacedWindow[] => [])
      const seqs = nodes.map(() => 0)
      /** Dropped by the node, all of them and those of which nothing is known yet. */
      const dropped = nodes.map(() => ({ all: 0, untold: 0 }))
      let before: Take[] = []
      let nowMs = T0
      for (let turn = 0; turn < 300; turn++) {
        nowMs += 1_000 + dice(6_000)
        if (dice(100) === 0) nowMs += dice(3_600_000)
        for (const [i, windows] of held.entries()) {
          const generation = 1 + dice(2)
          const seconds = Array.from({ length: dice(4) }, () => random() / 100)
          const counters = { requests: seconds.length }
          const series = [{ generation, counters, stages: { total: histogramOf(seconds) } }]
          const seq = (seqs[i] ?? 0) + 1
          seqs[i] = seq
          windows.push({ seq, endedAtMs: nowMs - dice(900), durationMs: 1_000, series })
        }
        // A node is cut off now and then; what it sends afterwards is up to 15 minutes old.
        const takes = nodes.flatMap((nodeId, i): Take[] => {
          if (dice(6) === 0 || (i === 1 && turn % 50 > 5)) return []
          const all = (held[i] ?? []).splice(0)
          const windows = all.filter((w) => nowMs - w.endedAtMs < 900_000)
          const lost = dropped[i] ?? { all: 0, untold: 0 }
          lost.all += all.length - windows.length
          lost.untold += all.length - windows.length
          for (const window of withLost(windows, lost.untold)) {
            keep(nodeId, window)
            keep(FARM, window)
            for (const group of membershipOf(i).groups) keep(group, window)
          }
          if (windows.length > 0) lost.untold = 0
          // Nobody knows which version made what was lost.
          for (const window of windows) keep(`version ${window.series[0]?.generation}`, window)
          return [{ nodeId, bootId: 'boot', windows, nowMs, lostWindows: lost.all }]
        })
        file.rings.takeAll(takes)
        if (dice(10) === 0) file.rings.takeAll(before)
        before = takes
        for (let parts = dice(4); parts > 0; parts--) file.rings.rollUp.some(nowMs)
        if (dice(20) === 0) {
          startAgain()
          tell()
        }
      }
      while (file.rings.rollUp.some(nowMs + 3_600_000));
      for (const [key, expected] of model) {
        const [subject = '', resolution, step] = key.split(':')
        const ring = RINGS.find(({ resolutionSeconds }) => `${resolutionSeconds}` === resolution)
        const number = file.rings.subjects.find(subject)
        const stored = file.rings.steps.read(number ?? 0, ring as Ring, Number(step))
        const wanted = sumOf(expected)
        const isNode = nodes.includes(subject)
        expect(sumOf(stored), `seed ${seed}, ${key}`).toEqual(
          isNode ? wanted : { ...wanted, generations: 1 },
        )
      }
    }
  })

  it('takes a part of the nodes at a time, and what comes meanwhile is counted once', () => {
    const { file } = opened()
    const ids = Array.from({ length: 1_200 }, (_, i) => `node_${i}`)
    const taking = (nodeId: string, seq: number): Take => {
      const series = [{ generation: 1, counters: { requests: 1 }, stages: {} }]
      const windows = [{ seq, endedAtMs: T0, durationMs: 1_000, series }]
      return { nodeId, bootId: 'boot', nowMs: T0, windows }
    }
    file.rings.takeAll(ids.map((id) => taking(id, 1)))
    const farm = (ring: Ring) => {
      const key = file.rings.subjects.find(FARM)
      const stored = key && file.rings.steps.read(key, ring, stepStart(T0 / 1000, ring))
      return stored ? sumOf(stored)?.requests : null
    }
    let parts = 0
    let seq = 1
    while (file.rings.rollUp.some(T0 + 3_600_000)) {
      parts++
      seq++
      // Of the first node, which every part is past, and of the last, which none is.
      file.rings.takeAll([taking('node_0', seq), taking('node_1199', seq)])
    }
    expect(parts).toBeGreaterThan(40)
    expect(RINGS.map(farm)).toEqual(RINGS.map(() => 1_200 + 2 * parts))
    const first = file.rings.subjects.find('node_0') ?? 0
    const rows = RINGS.map((ring) =>
      sumOf(file.rings.steps.read(first, ring, stepStart(T0 / 1000, ring))),
    )
    expect(rows.map((row) => row?.requests)).toEqual(RINGS.map(() => 1 + parts))
  })

  it('goes on after a part that could not be written, and is not stopped by a row that the disk spoilt', () => {
    const { file } = opened()
    const take = (nodeId: string) => {
      const series = [{ generation: 1, counters: { requests: 1 }, stages: {} }]
      const windows = [{ seq: 1, endedAtMs: T0, durationMs: 1_000, series }]
      return { nodeId, bootId: 'boot', nowMs: T0, windows }
    }
    file.rings.takeAll([take('node_a'), take('node_b')])
    file.db.exec(`update ring_10 set measured = x'07' where at % 16777216 = 1;
      create trigger full before insert on ring_10 when new.at % 16777216 >= 8388608
      begin select raise(abort, 'disk full'); end`)
    const roll = (db: MetricsDb) => {
      while (file.rings.rollUp.some(T0 + 3_600_000));
      return db
    }
    expect(() => roll(file.db)).toThrow(/disk full/)
    expect(() => roll(file.db)).toThrow(/disk full/)
    file.db.exec('drop trigger full')
    roll(file.db)
    const farm = file.rings.steps.read(file.rings.subjects.find(FARM) ?? 0, FINEST, T0 / 1000)
    expect(sumOf(farm)?.requests).toBe(1)
  })

  it('looks for nothing in hours without a report', () => {
    const { file } = opened()
    const take = (seq: number, endedAtMs: number): Take => {
      const windows = [{ seq, endedAtMs, durationMs: 1_000, series: [] }]
      return { nodeId: 'node_a', bootId: 'boot', nowMs: endedAtMs, windows }
    }
    const days = 30 * 86_400_000
    file.rings.takeAll([take(1, T0)])
    const roll = (nowMs: number) => {
      let parts = 0
      for (; file.rings.rollUp.some(nowMs); parts++);
      return parts
    }
    expect(roll(T0 + 3_600_000)).toBeLessThan(12)
    file.rings.takeAll([take(2, T0 + days)])
    expect(roll(T0 + days + 3_600_000)).toBeLessThan(12)
    const row = file.rings.steps.read(1, RINGS[2] as Ring, (T0 + days) / 1000)
    expect(row?.coveredMs).toBe(1_000)
  })
})

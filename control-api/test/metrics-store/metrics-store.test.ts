// SPDX-License-Identifier: MIT
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quantile } from '../../src/histogram/histogram.ts'
import { openMetricsStore } from '../../src/metrics-store/metrics-store.ts'
import { planQuery } from '../../src/metrics-store/rings.ts'
import type { Report } from '../../src/metrics-store/windows.ts'
import { histogramOf } from '../histogram-of.ts'
import { makeQuickFolder } from '../quick-folder.ts'

const T0 = 1_800_000_000_000

async function open(clock = { nowMs: T0 }, isDiskFull = () => false) {
  const dataDir = makeQuickFolder()
  const metrics = await openMetricsStore({ dataDir, now: () => clock.nowMs, isDiskFull })
  onTestFinished(async () => {
    await metrics.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return metrics
}

function report(seq: number, seconds: number[]): Report {
  const counters = { requests: seconds.length, responses5xx: 1 }
  const stages = { total: histogramOf(seconds), readWait: histogramOf([0.25]) }
  const series = [{ generation: 1, counters, stages }]
  const windows = [{ seq, startedMs: seq * 5_000 - 5_000, durationMs: 5_000, series }]
  return { bootId: 'boot', uptimeMs: seq * 5_000, windows }
}

describe('the metrics store', () => {
  it('takes nothing while the disk is full, and says so', async () => {
    let isFull = true
    const metrics = await open(undefined, () => isFull)
    await expect(metrics.record('node_a', report(1, [0.1]))).rejects.toThrow(/the disk is full/)
    expect(await metrics.check()).toMatchObject({ ok: false })
    isFull = false
    expect(await metrics.record('node_a', report(1, [0.1]))).toBe(1)
    expect(await metrics.giveWay(1)).toBeGreaterThanOrEqual(0)
  })

  it('keeps reports in its own thread and answers charts from there', async () => {
    const metrics = await open()
    expect(await metrics.record('node_a', report(1, [0.1, 0.2]))).toBe(1)
    expect(await metrics.record('node_a', report(1, [0.1, 0.2]))).toBe(1)
    const plan = planQuery({ fromSeconds: T0 / 1000, toSeconds: T0 / 1000 + 10 }, 10, T0 / 1000)
    expect(
      await metrics.query({ ...plan, nodeIds: ['node_a', 'node_b'], stage: 'total' }),
    ).toMatchObject([
      { nodeId: 'node_a', count: [2], coverage: [0.5] },
      { nodeId: 'node_b', count: [null], coverage: [0] },
    ])
    expect(await metrics.check()).toMatchObject({ ok: true })
  })

  it('sums the last minute up, each window once, and forgets it when it is over', async () => {
    const clock = { nowMs: T0 }
    const metrics = await open(clock)
    await metrics.record('node_a', report(1, [0.1, 0.2]))
    await metrics.record('node_a', report(1, [0.1, 0.2]))
    const summaries = await metrics.latencySummaries(['node_a', 'node_b'], 60)
    expect([...summaries.keys()]).toEqual(['node_a'])
    expect(summaries.get('node_a')).toMatchObject({
      windowSeconds: 60,
      requests: 2,
      errorRatio: 0.5,
      requestsPerSecond: 0.4,
      readWaitP99Seconds: quantile(histogramOf([0.25]), 0.99),
    })
    expect(await metrics.requestRates(['node_a', 'node_b'], 60)).toEqual(new Map([['node_a', 0.4]]))
    clock.nowMs += 61_000
    expect((await metrics.latencySummaries(['node_a'], 60)).size).toBe(0)
    expect((await metrics.requestRates(['node_a'], 60)).size).toBe(0)
  })

  it('sums up some nodes in a turn of the loop, however many are asked for', async () => {
    const counted = { most: 0, sinceTurn: 0, isOver: false }
    const clock = {
      // Each node is looked up at a time of its own.
      get nowMs() {
        counted.most = Math.max(counted.most, ++counted.sinceTurn)
        return T0
      },
    }
    const metrics = await open(clock)
    const ids = Array.from({ length: 2_500 }, (_, i) => `node_${i}`)
    const turn = () => {
      counted.sinceTurn = 0
      if (!counted.isOver) setImmediate(turn)
    }
    for (const [sum, most] of [
      ['latencySummaries', 100],
      ['requestRates', 1_000],
    ] as const) {
      Object.assign(counted, { most: 0, isOver: false })
      turn()
      await metrics[sum](ids, 60)
      counted.isOver = true
      expect(counted.most, sum).toBeLessThanOrEqual(most)
    }
  })

  it('counts nothing as fresh that its clock says is still to come: it was set back', async () => {
    const clock = { nowMs: T0 }
    const metrics = await open(clock)
    await metrics.record('node_a', report(1, [0.1, 0.2]))
    clock.nowMs -= 3_600_000
    expect((await metrics.latencySummaries(['node_a'], 60)).size).toBe(0)
    expect(metrics.samples(['node_a'], clock.nowMs - 60_000)).toEqual([])
    await metrics.record('node_a', report(2, [0.1]))
    const fresh = await metrics.latencySummaries(['node_a'], 60)
    expect(fresh.get('node_a')).toMatchObject({ requests: 1 })
  })

  it('tells listeners which nodes have something new, at most once a second', async () => {
    const metrics = await open()
    const told: string[][] = []
    const first = new Promise<void>((resolve) => {
      metrics.onNewWindows((nodeIds) => {
        told.push(nodeIds)
        resolve()
      })
    })
    await metrics.record('node_a', report(1, [0.1]))
    await metrics.record('node_b', report(1, [0.1]))
    await metrics.record('node_a', report(2, [0.1]))
    await first
    expect(told).toEqual([['node_a', 'node_b']])
  })

  it('refuses a report that contradicts itself, and keeps nothing of it', async () => {
    const metrics = await open()
    const bad = report(1, [0.1])
    const histogram = bad.windows[0]?.series[0]?.stages.total
    if (histogram) histogram.count = 99
    await expect(metrics.record('node_a', bad)).rejects.toMatchObject({
      code: 'invalid_message',
      message: expect.stringContaining('/windows/0/series/0/stages/total'),
    })
    expect(await metrics.record('node_a', report(1, [0.1]))).toBe(1)
  })

  it('says why it cannot open its file', async () => {
    const dataDir = makeQuickFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    writeFileSync(join(dataDir, 'file'), '')
    await expect(
      openMetricsStore({ dataDir: join(dataDir, 'file'), now: () => T0 }),
    ).rejects.toThrow(/directory|open/)
  })
})

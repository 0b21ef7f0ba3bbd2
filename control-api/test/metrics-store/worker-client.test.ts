// SPDX-License-Identifier: MIT
import { EventEmitter } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Request } from '../../src/metrics-store/messages.ts'
import { asSets } from '../../src/metrics-store/node-series.ts'
import { type BeginThread, startMetricsWorker } from '../../src/metrics-store/worker-client.ts'
import { makeQuickFolder } from '../quick-folder.ts'

async function start() {
  const dir = makeQuickFolder()
  const worker = await startMetricsWorker({ path: join(dir, 'metrics.db'), record: null })
  onTestFinished(async () => {
    await worker.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return worker
}

const take = (seq: number) => ({
  nodeId: 'node_a',
  bootId: 'boot',
  nowMs: 1,
  windows: [{ seq, endedAtMs: 1, durationMs: 1, series: [] }],
})

it('a worker that ended is started anew and goes on from its file', async () => {
  const worker = await start()
  await worker.take(take(1))
  await worker.ask({ kind: 'close' })
  await expect
    .poll(() => worker.take(take(2)).catch(() => null))
    .toEqual({
      acknowledgedSeq: 2,
      previousSeq: 1,
    })
})

const chart = asSets({
  ...{ fromSeconds: 0, toSeconds: 10, stepSeconds: 10, resolutionSeconds: 10 },
  ...{ nodeIds: ['node_a'], stage: 'total' as const },
})

it('questions beyond the bound are turned away at once', async () => {
  const worker = await start()
  const asked = Array.from({ length: 600 }, () => worker.ask({ kind: 'sets', ...chart }))
  const results = await Promise.allSettled(asked)
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(512)
  expect(await worker.take(take(1))).toMatchObject({ acknowledgedSeq: 1 })
})

it('so are reports, of which each that was let in is kept', async () => {
  const worker = await start()
  const given = Array.from({ length: 4_200 }, (_, i) => worker.take(take(i + 1)))
  const results = await Promise.allSettled(given)
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(4_096)
  expect(await worker.take(take(4_200))).toEqual({ acknowledgedSeq: 4_200, previousSeq: 4_096 })
})

it('the more reports wait, the more are kept at once', async () => {
  const lots: number[] = []
  const thread = new EventEmitter()
  const begin: BeginThread = () => {
    setImmediate(() => thread.emit('message', { kind: 'ready' }))
    const postMessage = ({ id, question }: Request) => {
      if (question.kind !== 'take') return
      lots.push(question.takes.length)
      const answer = question.takes.map(() => ({ acknowledgedSeq: 1, previousSeq: 0 }))
      setImmediate(() => thread.emit('message', { kind: 'answer', id, answer }))
    }
    return Object.assign(thread, { postMessage, terminate: async () => 0 })
  }
  const worker = await startMetricsWorker({ path: '', record: null }, {}, begin)
  await Promise.all(Array.from({ length: 4_000 }, (_, i) => worker.take(take(i + 1))))
  expect(lots).toEqual([1_000, 1_000, 1_000, 500, 250, 200, 50])
})

it('a chart waits for some reports, not for all that have come', async () => {
  const worker = await start()
  let kept = 0
  const given = Array.from({ length: 2_000 }, (_, i) => worker.take(take(i + 1)).then(() => kept++))
  await worker.ask({ kind: 'sets', ...chart })
  expect(kept).toBeLessThanOrEqual(400)
  await Promise.all(given)
})

it('who started it is told when another takes its place', async () => {
  const dir = makeQuickFolder()
  let restarts = 0
  const worker = await startMetricsWorker(
    { path: join(dir, 'metrics.db'), record: null },
    { onRestart: () => restarts++ },
  )
  onTestFinished(async () => {
    await worker.close()
    rmSync(dir, { recursive: true, force: true })
  })
  await worker.take(take(1))
  expect(restarts).toBe(0)
  await worker.ask({ kind: 'close' })
  await expect.poll(() => restarts, { timeout: 5_000 }).toBe(1)
})

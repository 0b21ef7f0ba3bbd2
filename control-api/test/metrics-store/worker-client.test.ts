// SPDX-License-Identifier: MIT
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startMetricsWorker } from '../../src/metrics-store/worker-client.ts'

async function start() {
  const dir = mkdtempSync(join(tmpdir(), 'farmstead-metrics-'))
  const worker = await startMetricsWorker(join(dir, 'metrics.db'))
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

const chart = {
  ...{ fromSeconds: 0, toSeconds: 10, stepSeconds: 10, resolutionSeconds: 10 },
  ...{ nodeIds: ['node_a'], stage: 'total' as const },
}

it('questions beyond the bound are turned away at once', async () => {
  const worker = await start()
  const asked = Array.from({ length: 600 }, () => worker.ask({ kind: 'query', ...chart }))
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

it('a chart waits for some reports, not for all that have come', async () => {
  const worker = await start()
  let kept = 0
  const given = Array.from({ length: 2_000 }, (_, i) => worker.take(take(i + 1)).then(() => kept++))
  await worker.ask({ kind: 'query', ...chart })
  expect(kept).toBeLessThanOrEqual(400)
  await Promise.all(given)
})

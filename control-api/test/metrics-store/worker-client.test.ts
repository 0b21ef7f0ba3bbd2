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
  kind: 'take' as const,
  nodeId: 'node_a',
  bootId: 'boot',
  nowMs: 1,
  windows: [{ seq, endedAtMs: 1, durationMs: 1, series: [] }],
})

it('a worker that ended is started anew and goes on from its file', async () => {
  const worker = await start()
  await worker.ask(take(1))
  await worker.ask({ kind: 'close' })
  await expect
    .poll(() => worker.ask(take(2)).catch(() => null))
    .toEqual({
      acknowledgedSeq: 2,
      previousSeq: 1,
    })
})

it('questions beyond the bound are turned away at once', async () => {
  const worker = await start()
  const asked = Array.from({ length: 600 }, (_, i) => worker.ask(take(i + 1)))
  const results = await Promise.allSettled(asked)
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(512)
  expect(await worker.ask(take(601))).toMatchObject({ acknowledgedSeq: 601 })
})

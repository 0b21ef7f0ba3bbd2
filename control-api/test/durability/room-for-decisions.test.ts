// SPDX-License-Identifier: MIT
// A farm of real nodes in the middle of a rollout, and the disk of its control plane runs full: measurements
// give way, then rollouts pause, and with room again they go on from there. Only root can have such a disk.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { openPolicy } from '../../../scripts/testing/node-policy.mjs'
import type { Rollout } from '../../src/features/rollouts/shapes/schema.ts'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore } from '../../src/metrics-store/ring-store.ts'
import { RESERVE_FILE } from '../../src/storage/reserve.ts'
import { type Json, RealControlPlane, run } from '../backup/real-process.ts'
import { nodeBinary, tempDir } from '../helper.ts'
import { histogramOf, seededRandom } from '../histogram-of.ts'
import { canMount, type Disk, smallDisk } from './small-disk.ts'

const execute = promisify(execFile)
const MIB = 1024 * 1024
const DISK_BYTES = 80 * MIB
/** For what never comes on a busy machine. */
const PATIENT = { timeout: 120_000, interval: 200 }
const WHOLE_TEST_MS = 400_000
const WINDOW_MS = 30_000
const HISTORY_MS = 6 * 3_600_000

/** What a farm measured in the hours before. */
function remember(to: string, nodes: number): void {
  const path = join(tempDir(), 'metrics.db')
  const db = openMetricsDb(path)
  const rings = createRingStore(db)
  const [random, nowMs] = [seededRandom(1), Date.now()]
  const seconds = () => Array.from({ length: 30 }, () => random() * 10)
  const stages = { total: histogramOf(seconds()), firstByte: histogramOf(seconds()) }
  const series = [{ generation: 1, counters: { requests: 30 }, stages }]
  for (let n = 0; n < nodes; n++) {
    const windows = Array.from({ length: HISTORY_MS / WINDOW_MS }, (_, i) => {
      const endedAtMs = nowMs - HISTORY_MS + (i + 1) * WINDOW_MS
      return { seq: i + 1, endedAtMs, durationMs: WINDOW_MS, series }
    })
    rings.takeAll([{ nodeId: `node_of_before_${n}`, bootId: 'boot', windows, nowMs }])
  }
  db.close()
  copyFileSync(path, to)
}

const page = (root: string, version: number) =>
  JSON.stringify({
    sites: [
      { hosts: ['*'], root, headers: [{ action: 'set', name: 'x-version', value: `${version}` }] },
    ],
  })

async function startNode(controlPlane: RealControlPlane, name: string) {
  const [port, state] = [await freePort(), join(tempDir(), 'state')]
  mkdirSync(state, { mode: 0o700 })
  const mergePatch = { listen: [{ address: '127.0.0.1', port }] }
  const { secret } = await controlPlane.must('POST', '/enrolment-tokens', { mergePatch })
  const url = controlPlane.env.FARMSTEAD_AGENT_URL ?? ''
  const words = ['--insecure-http', '--token', String(secret), '--state', state, '--name', name]
  const policy = openPolicy(tempDir())
  await execute(nodeBinary, ['join', url, ...words, ...policy])
  run([nodeBinary, 'run', '--state', state, ...policy])
  return async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
    await answer?.text()
    return answer?.headers.get('x-version') ?? null
  }
}

async function farmOn(disk: Disk) {
  const dataDir = join(disk.dir, 'data')
  const outside = join(disk.outside, 'data')
  const controlPlane = new RealControlPlane({ FARMSTEAD_DATA_DIR: dataDir }, disk.wrap)
  const root = tempDir()
  writeFileSync(join(root, 'index.html'), 'here')
  const first = join(tempDir(), 'first.jsonc')
  writeFileSync(first, page(root, 1))
  await controlPlane.admin(
    ...['import-config', '--name', 'default', '--file', first, '--message', 'first', '--release'],
  )
  remember(join(outside, 'metrics.db'), 40)
  await controlPlane.start()
  await controlPlane.signIn()
  const served = [await startNode(controlPlane, 'edge-1'), await startNode(controlPlane, 'edge-2')]
  const serve = (...versions: string[]) =>
    expect
      .poll(async () => (await Promise.all(served.map((ask) => ask()))).sort(), PATIENT)
      .toEqual(versions)
  await serve('1', '1')
  const second = { text: page(root, 2), parent: 1, message: 'second' }
  await controlPlane.must('POST', '/configs/default/versions', second)
  return { controlPlane, outside, serve }
}

/** Its first wave soaks for longer than the test takes. */
const STRATEGY = {
  waves: [{ nodes: 1 }, { percent: 100 }],
  minHealthySeconds: 0,
  soakSeconds: 3600,
  maxSoakSeconds: 3600,
  progressDeadlineSeconds: 86_400,
  gates: [],
}

test.runIf(canMount)(
  'decisions find room, and rollouts wait for it',
  {
    timeout: WHOLE_TEST_MS,
  },
  async () => {
    const disk = await smallDisk(DISK_BYTES)
    const { controlPlane, outside, serve } = await farmOn(disk)
    const order = { config: 'default', version: 2, strategy: STRATEGY }
    const { id } = await controlPlane.must<Rollout>('POST', '/rollouts', order)
    const rollout = () => controlPlane.must<Rollout>('GET', `/rollouts/${id}`)
    await expect.poll(async () => (await rollout()).phase, PATIENT).toBe('soaking')
    await expect.poll(() => existsSync(join(outside, RESERVE_FILE)), PATIENT).toBe(true)
    const write = () =>
      controlPlane.ask('POST', '/enrolment-tokens', { labels: { filling: 'x'.repeat(128) } })
    const measured = () => statSync(join(outside, 'metrics.db')).size

    // Measurements give way before anything is refused.
    const before = measured()
    disk.fill()
    for (let i = 0; i < 5_000 && measured() >= before; i++) expect((await write()).status).toBe(201)
    expect(measured()).toBeLessThan(before - MIB)
    expect((await write()).status).toBe(201)
    expect(await rollout()).toMatchObject({ state: 'running' })

    // Nothing is left to give way.
    let refused = await write()
    for (let i = 0; i < 5_000 && refused.status === 201; i++) {
      disk.fill()
      refused = await write()
    }
    expect(await refused.json()).toMatchObject({ status: 507, code: 'storage_full' })
    await expect.poll(async () => (await rollout()).state, PATIENT).toBe('paused')
    const paused = await rollout()
    expect(paused.reason).toMatch(
      /disk of the control plane was full.*Resume goes on once there is/,
    )
    const { items: nodes } = await controlPlane.must<{ items: Json[] }>('GET', '/nodes')
    expect(nodes.map(({ connected }) => connected)).toEqual([true, true])
    const act = (action: string, body: object = {}) =>
      controlPlane.ask('POST', `/rollouts/${id}/actions/${action}`, {
        stateVersion: paused.stateVersion,
        ...body,
      })
    const tooEarly = await act('resume')
    expect(await tooEarly.json()).toMatchObject({
      status: 409,
      detail: expect.stringContaining('make room, then resume'),
    })

    // Not even the reserve is left: it asks the disk once in a while, no more.
    disk.fill()
    const said = controlPlane.output.split('\n').length
    await sleep(2_000)
    expect(controlPlane.output.split('\n').length - said).toBeLessThan(80)
    await serve('1', '2')

    disk.free()
    await expect.poll(async () => (await write()).status, PATIENT).toBe(201)
    expect((await act('resume')).status).toBe(200)
    const running = await rollout()
    expect(running).toMatchObject({ state: 'running', phase: 'soaking' })
    const { stateVersion } = running
    expect((await act('skip-gate', { stateVersion, reason: 'seen' })).status).toBe(200)
    await serve('2', '2')
    await controlPlane.end()
    expect(await controlPlane.admin('verify-audit')).toMatchObject({ ok: true })
  },
)

// SPDX-License-Identifier: MIT
// Each rule on a real node, with the condition made on purpose, and without it.
import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { preloadEnv } from '../../../../server-c/test/support/preload.mjs'
import { seededRandom } from '../../../src/base/seeded-random.ts'
import { advise, READ } from '../../../src/features/advice/advise.ts'
import { openMetricsDb } from '../../../src/metrics-store/open.ts'
import { createRingStore } from '../../../src/metrics-store/ring-store.ts'
import { planQuery } from '../../../src/metrics-store/rings.ts'
import { type Unit, unitsOf } from '../../../src/metrics-store/units.ts'
import { PATIENT } from '../rollouts/real-farm.ts'
import { clients, endsWithTest, type RealNode, realNode } from './real-node.ts'

const LONG_MS = 180_000

const many = (count: number, name: (n: number) => string, content: string | Buffer) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), content]))

const get = async (agent: http.Agent, { port }: { port: number }, path: string) => {
  const module = agent instanceof https.Agent ? https : http
  const request = module.get({ host: '127.0.0.1', port, path, agent })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  expect(answer.statusCode).toBe(200)
  for await (const _ of answer);
}
const kept = () => endsWithTest(new http.Agent({ keepAlive: true }))

/** Reads and look-ups of files with such names take 100 ms: server-c/test/support/bad_disk.c. */
const slowDisk = () => preloadEnv('bad_disk')

test(
  'reads that wait on a slow disk are told of, more threads are tried and stay, and reads that do not wait are not told of',
  async () => {
    const node = await realNode({
      files: many(200, (n) => `slow-read-${n}.bin`, Buffer.alloc(8192)),
      config: { io: { readThreads: 8 }, fileCache: { maxBytes: 0 } },
      env: slowDisk(),
    })
    const agent = kept()
    const slow = clients(48, (n) => get(agent, node, `/slow-read-${n % 200}.bin`))
    const [advice] = await node.advisedUnder(slow, 'readThreads', () => tryThreads(node))
    expect(advice).toMatchObject({
      ...{ rule: 'readThreads', title: 'Reads wait: the disk is slow' },
      change: { pointer: '/io/readThreads', now: 8, times: 2 },
    })
    const figures = new Map(advice?.figures.map(({ name, value }) => [name, value]))
    expect(figures.get('readP99')).toBeGreaterThan(0.09)
    expect(figures.get('busy')).toBeGreaterThan(0.5)
    expect(figures.get('busy')).toBeLessThan(1.5)

    // As slow, but with a thread for each.
    const few = clients(6, (n) => get(agent, node, `/slow-read-${n % 200}.bin`))
    const { advice: none } = await node.judgedUnder(few, 'readThreads')
    expect(none).toEqual([])
  },
  LONG_MS,
)

/** Twice as many halve the wait: the gate lets them stay. */
async function tryThreads({ service: { admin, passTime }, id }: RealNode) {
  const url = `/api/v1/nodes/${id}/advice/readThreads/try`
  const headers = { 'idempotency-key': 'once' }
  const tryIt = () => admin.inject({ method: 'POST', url, headers })
  // The steps after the one that was so may say less: what was advised can still be tried.
  const tried = await tryIt()
  expect(tried.statusCode, tried.body).toBe(201)
  const { rolloutId, ...trial } = tried.json()
  expect(trial).toEqual({
    ...{ config: 'default', version: 2, pointer: '/io/readThreads', from: 8, to: 16 },
  })
  // As a client that heard no answer asks, and as somebody else does.
  const again = await admin.inject({ method: 'POST', url, headers })
  expect(again.json()).toEqual(tried.json())
  const other = await admin.inject({ method: 'POST', url })
  expect(other.json()).toMatchObject({ status: 409, code: 'node_is_taken' })
  const diff = await admin.inject({ url: '/api/v1/configs/default/diff?from=1&to=2&context=0' })
  const { fromText, toText } = diff.json()
  expect(toText).toBe(fromText.replace('"readThreads": 8', '"readThreads": 16'))
  const rollout = async () => (await admin.inject({ url: `/api/v1/rollouts/${rolloutId}` })).json()
  const passing = async () => {
    await passTime(1_000)
    return (await rollout()).state
  }
  await expect.poll(passing, { ...PATIENT, interval: 300 }).not.toBe('running')
  const { state, namesNodes, totalNodes, evidence } = await rollout()
  expect(state, JSON.stringify(evidence)).toBe('succeeded')
  expect({ namesNodes, totalNodes }).toEqual({ namesNodes: true, totalNodes: 1 })
  expect(evidence.gates).toMatchObject([{ metric: 'readWaitP99', verdict: 'pass' }])
  expect(evidence.message).toContain('times its own before')
}

test(
  'a stat cache that forgets too soon is told of',
  async () => {
    const node = await realNode({
      files: many(40, (n) => `slow-open-${n}.html`, 'page'),
      config: { statCache: { ttlMillis: 1 }, io: { statThreads: 16 } },
      env: slowDisk(),
    })
    const agent = kept()
    const load = clients(32, (n) => get(agent, node, `/slow-open-${n % 40}.html`))
    const [advice] = await node.advisedUnder(load, 'statCache')
    expect(advice).toMatchObject({
      ...{ rule: 'statCache', title: 'The stat cache forgets too soon' },
      change: { pointer: '/statCache/ttlMillis', times: 10 },
    })
  },
  LONG_MS,
)

test(
  'a stat cache that is too small is told of, and one that holds all that is asked for is not',
  async () => {
    const node = await realNode({
      files: many(300, (n) => `slow-open-${n}.html`, 'page'),
      config: { statCache: { maxEntries: 16, ttlMillis: 3_600_000 }, io: { statThreads: 16 } },
      env: slowDisk(),
    })
    const agent = kept()
    const load = clients(32, (n) => get(agent, node, `/slow-open-${n % 300}.html`))
    const [advice] = await node.advisedUnder(load, 'statCache')
    expect(advice).toMatchObject({
      ...{ rule: 'statCache', title: 'The stat cache is too small' },
      change: { pointer: '/statCache/maxEntries', now: 16, times: 4 },
    })
    const same = clients(8, (n) => get(agent, node, `/slow-open-${n % 8}.html`))
    expect((await node.judgedUnder(same, 'slowClients')).advice).toEqual([])
  },
  LONG_MS,
)

test(
  'slow clients and sessions that are not resumed are told of, and quick and kept ones are not',
  async () => {
    const node = await realNode({ files: { 'a.html': 'page', 'large.bin': Buffer.alloc(300_000) } })
    const session = () =>
      endsWithTest(
        http2.connect(`https://127.0.0.1:${node.tlsPort}`, {
          rejectUnauthorized: false,
          settings: { initialWindowSize: 16_384 },
        }),
      )
    const sessions = Array.from({ length: 5 }, session)
    const takeSlowly = async (n: number) => {
      const stream = sessions[n % 5]?.request({ ':path': '/large.bin' })
      if (!stream) return
      stream.on('data', () => {
        stream.pause()
        setTimeout(() => stream.resume(), 30)
      })
      await once(stream, 'end')
    }
    const [slow] = await node.advisedUnder(clients(40, takeSlowly), 'slowClients')
    expect(slow).toMatchObject({ rule: 'slowClients', change: null })
    const quick = kept()
    const fetched = clients(2, () => get(quick, node, '/large.bin'))
    expect((await node.judgedUnder(fetched, 'slowClients')).advice).toEqual([])

    const tls = (maxCachedSessions: number) =>
      endsWithTest(new https.Agent({ rejectUnauthorized: false, maxCachedSessions }))
    const over = (agent: https.Agent) =>
      clients(2, () => get(agent, { port: node.tlsPort }, '/a.html'))
    const [shaken] = await node.advisedUnder(over(tls(0)), 'handshakes')
    expect(shaken).toMatchObject({ rule: 'handshakes', change: null })
    const { advice, quiet } = await node.judgedUnder(over(tls(100)), 'handshakes')
    expect(advice).toEqual([])
    expect(quiet.find(({ rule }) => rule === 'handshakes')?.why).toMatch(/\d+ TLS handshakes/)
    await adviseNothingInAnHour(node)
  },
  LONG_MS,
)

/**
 * Windows of healthy traffic of several rates, measured on the real node, and drawn again until they are an hour: at each minute
 * of it, the last fifteen.
 */
async function adviseNothingInAnHour(node: RealNode) {
  const agent = kept()
  const tls = endsWithTest(new https.Agent({ rejectUnauthorized: false, keepAlive: true }))
  const loads = [
    clients(1, async () => {
      await get(agent, node, '/a.html')
      await sleep(20)
    }),
    clients(8, (n) => get(agent, node, n % 4 === 0 ? '/large.bin' : '/a.html')),
    clients(4, () => get(tls, { port: node.tlsPort }, '/a.html')),
  ]
  const measured: Unit[] = []
  for (const load of loads) {
    await node.judgedUnder(load, 'slowClients')
    measured.push(...measuredBy(node))
  }
  expect(measured.length).toBeGreaterThanOrEqual(9)
  const random = seededRandom(7)
  const hour = Array.from({ length: 360 }, () => {
    const unit = measured[Math.floor(random() * measured.length)]
    if (!unit) throw new Error('nothing was measured')
    return unit
  })
  for (let end = 90; end <= hour.length; end += 6) {
    expect(advise(hour.slice(end - 90, end)).advice).toEqual([])
  }
}

function measuredBy({ service, id }: RealNode) {
  const db = openMetricsDb(join(service.config.dataDir, 'metrics.db'))
  const nowSeconds = service.services.now() / 1000
  const plan = planQuery({ fromSeconds: nowSeconds - 900, toSeconds: nowSeconds }, 10, nowSeconds)
  try {
    const set = [{ id, generation: null }]
    for (const parts = unitsOf(createRingStore(db), { ...plan, set, wanted: READ }); ; ) {
      const part = parts.next()
      if (part.done) return part.value
    }
  } finally {
    db.close()
  }
}

// SPDX-License-Identifier: MIT
// A slow disk under a real node, with too few threads to read and with enough.
import { expect, test } from 'vitest'
import { PATIENT } from '../rollouts/real-farm.ts'
import {
  clients,
  get,
  kept,
  LONG_MS,
  many,
  type RealNode,
  realNode,
  slowDisk,
} from './real-node.ts'

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

// SPDX-License-Identifier: MIT
// Single requests: who may see them, how a node is asked for them, and how little of them is kept.
import { describe, expect, it, test, vi } from 'vitest'
import type { RequestSample } from '../../../src/agent-protocol/messages.gen.ts'
import { MOST_WATCHED, SampleWatches } from '../../../src/fleet/sample-watches.ts'
import { enrolNode } from '../../agents/node-client.ts'
import { personWith } from '../../person.ts'
import type { SimulatedNode } from '../../simulated-node.ts'
import { at, type Farm, farm, NOW } from './farm.ts'

const PATIENT = { timeout: 30_000, interval: 20 }

const request = (startedUs: number, path = '/a', total = 0.5): RequestSample => ({
  startedUs,
  generation: 1,
  status: 200,
  bytes: 100,
  protocol: 'HTTP/1.1',
  reason: null,
  path,
  stageSeconds: { write: total / 2, total },
})
const slowWindow = (seq: number, slow: RequestSample[]) => ({
  seq,
  startedMs: (seq - 1) * 5_000,
  durationMs: 5_000,
  series: [],
  slow,
})

async function farmOf(labels: Record<string, Record<string, string>>) {
  const service = await farm(labels)
  for (const node of service.nodes) {
    node.capabilities = ['confirm', 'samples']
    await node.hello()
  }
  const nodeNamed = (name: string): SimulatedNode => {
    const found = service.nodes.find((node) => node.name === name)
    if (!found) throw new Error(`no node ${name}`)
    return found
  }
  return { ...service, nodeNamed }
}
const urlOf = (what: string, { id }: { id: string }) => `/api/v1/nodes/${id}/${what}`

test('both need the permission to see paths, and the node in one’s scope', async () => {
  const service = await farmOf({ 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } })
  const viewer = await service.as('viewer')
  const scoped = await personWith(service, ['operator'], 'zone=eu')
  for (const what of ['samples', 'slow-requests']) {
    const url = urlOf(what, service.nodeNamed('edge-1'))
    expect((await service.anonymous.inject({ url })).statusCode).toBe(401)
    expect((await viewer.inject({ url })).statusCode).toBe(403)
    expect((await scoped.inject({ url })).statusCode).toBe(200)
    const outside = urlOf(what, service.nodeNamed('edge-2'))
    expect((await scoped.inject({ url: outside })).statusCode).toBe(404)
  }
})

describe('looking at a node', () => {
  it('has it send requests until nobody asks any more, each on our clock', async () => {
    const service = await farmOf({ 'edge-1': {} })
    const node = service.nodeNamed('edge-1')
    const url = urlOf('samples', node)
    const look = async (after?: number) =>
      (
        await service.admin.inject({ url: after === undefined ? url : `${url}?after=${after}` })
      ).json()
    // Nobody has looked yet.
    expect(await node.sendSamples([request(1)])).toBe(0)
    expect(await look()).toMatchObject({ state: 'waiting', batches: [] })
    await expect.poll(() => node.watched.length, PATIENT).toBe(1)
    expect(node.watched[0]).toBeGreaterThan(5_000)
    const forMs = await node.sendSamples([request(9_000_000), request(9_999_999, '/b')], {
      seen: 700,
      uptimeUs: 10_000_000,
    })
    expect(forMs).toBeGreaterThan(0)
    expect(forMs).toBeLessThanOrEqual(10_000)
    const seen = await look()
    expect(seen.state).toBe('live')
    expect(seen.batches).toMatchObject([{ seen: 700, receivedAt: at(NOW) }])
    expect(seen.batches[0].samples).toMatchObject([
      {
        startedAt: at(NOW - 1000).replace('Z', '000Z'),
        path: '/a',
      },
      { path: '/b' },
    ])
    expect(await look(seen.next)).toMatchObject({ batches: [], next: seen.next })
    await node.sendSamples([request(1)])
    expect((await look(seen.next)).batches).toHaveLength(1)
    // A number of an earlier start of the service.
    expect((await look(1_000_000)).batches).toHaveLength(2)
  })

  it('believes no node more than its messages may hold, and no clock of its own', async () => {
    const service = await farmOf({ 'edge-1': {} })
    const node = service.nodeNamed('edge-1')
    await service.admin.inject({ url: urlOf('samples', node) })
    const many = Array.from({ length: 101 }, (_, i) => request(i))
    await expect(node.sendSamples(many)).rejects.toThrow(/400|invalid/)
    await expect(node.sendSamples([request(1, 'x'.repeat(8192))])).rejects.toThrow(/400|invalid/)
    // One that began after it ended, and one that began years before.
    await node.sendSamples([request(2_000_000), request(0)], { uptimeUs: 1_000_000 })
    await node.sendSamples([request(0)], { uptimeUs: 2 ** 52 })
    const { batches } = (await service.admin.inject({ url: urlOf('samples', node) })).json()
    const times = batches.flatMap(({ samples }: { samples: { startedAt: string }[] }) =>
      samples.map(({ startedAt }) => Date.parse(startedAt)),
    )
    expect(times).toEqual([NOW, NOW - 1000, NOW - 24 * 3600_000])
  })

  it('says when the node is away or too old for it', async () => {
    const service = await farm({ 'edge-1': {} })
    const look = async (id: string) =>
      (await service.admin.inject({ url: urlOf('samples', { id }) })).json()
    expect(await look(service.nodes[0]?.id ?? '')).toMatchObject({ state: 'too-old', batches: [] })
    const { id } = await enrolNode(service)
    expect(await look(id)).toMatchObject({ state: 'disconnected', batches: [] })
  })
})

describe('the watches', () => {
  const message = { bootId: '', incarnation: '', uptimeUs: 1, seen: 0, samples: [] }

  it('are of so many nodes, and end ten seconds after the last question', () => {
    vi.useFakeTimers()
    try {
      const woken: string[] = []
      const watches = new SampleWatches((nodeId) => woken.push(nodeId), Date.now)
      for (let i = 0; i < MOST_WATCHED; i++) expect(watches.look(`n${i}`)).not.toBe('full')
      expect(watches.look('one more')).toBe('full')
      expect(woken).toHaveLength(MOST_WATCHED)
      vi.advanceTimersByTime(6_000)
      expect(watches.look('n0')).not.toBe('full')
      vi.advanceTimersByTime(6_000)
      expect(watches.heard('n1', message, 0)).toBe(0)
      expect(watches.take('n1')).toBeNull()
      expect(watches.heard('n0', message, 0)).toBe(4_000)
      expect(watches.look('one more')).not.toBe('full')
    } finally {
      vi.useRealTimers()
    }
  })

  it('tell a node once, and again when nothing comes of it', () => {
    vi.useFakeTimers()
    try {
      let woken = 0
      const watches = new SampleWatches(() => woken++, Date.now)
      watches.look('n')
      expect(watches.take('n')).toEqual({ forMs: 10_000 })
      expect(watches.take('n')).toBeNull()
      watches.look('n')
      expect(woken).toBe(1)
      vi.advanceTimersByTime(3_000)
      watches.look('n')
      expect(woken).toBe(2)
      expect(watches.take('n')).toEqual({ forMs: 10_000 })
      watches.heard('n', message, 0)
      vi.advanceTimersByTime(2_000)
      expect(watches.look('n')).toMatchObject({ isLive: true })
      expect(woken).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it('keep the last batches only', () => {
    const watches = new SampleWatches(() => {})
    watches.look('n')
    for (let i = 1; i <= 100; i++) watches.heard('n', { ...message, seen: i }, 0)
    const seen = watches.look('n')
    if (seen === 'full') throw new Error('full')
    expect(seen.batches.map((batch) => batch.seen)).toEqual(
      Array.from({ length: 15 }, (_, i) => 86 + i),
    )
  })
})

describe('slow requests', () => {
  const list = async (service: Farm, node: SimulatedNode, query = '') =>
    (await service.admin.inject({ url: urlOf(`slow-requests${query}`, node) })).json()

  it('are kept once however often they are said, of each node by itself, the newest first', async () => {
    const service = await farmOf({ 'edge-1': {}, 'edge-2': {} })
    const node = service.nodeNamed('edge-1')
    await node.report([])
    const window = slowWindow(2, [request(3_100_000, '/1'), request(3_200_000, '/2', 1.25)])
    await node.send([window])
    await node.send([window])
    expect((await list(service, node)).items).toMatchObject([
      { path: '/2', stageSeconds: { total: 1.25 } },
      { path: '/1' },
    ])
    expect((await list(service, node, '?limit=1')).items).toMatchObject([{ path: '/2' }])
    expect((await list(service, node, `?to=${at(NOW - 100_000)}`)).items).toEqual([])
    expect((await list(service, service.nodeNamed('edge-2'))).items).toEqual([])
  })

  it('refuse a time that is none', async () => {
    const service = await farmOf({ 'edge-1': {} })
    const node = service.nodeNamed('edge-1')
    expect(await list(service, node, `?from=${at(NOW)}&to=${at(NOW)}`)).toMatchObject({
      code: 'empty_range',
    })
  })
})

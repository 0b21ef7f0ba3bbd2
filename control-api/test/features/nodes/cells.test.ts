// SPDX-License-Identifier: MIT
// All nodes in one answer, for a map: who sees what, in which order, and what was measured of each.
import { describe, expect, it } from 'vitest'
import { createCells } from '../../../src/features/nodes/cells.ts'
import type { IndexedNode } from '../../../src/features/nodes/farm-index.ts'
import { build, type Client, withToken } from '../../helper.ts'
import { histogramOf } from '../../histogram-of.ts'
import { personWith } from '../../person.ts'
import { at, farm, NOW } from '../metrics/farm.ts'
import { addLargeRollout, LARGE } from '../rollouts/large-rollout.ts'

const range = { from: at(NOW - 3_000), to: at(NOW + 7_000) }
const ask = (client: Client, parameters: Record<string, string> = {}) =>
  client.inject({ url: `/api/v1/nodes/cells?${new URLSearchParams(parameters)}` })
const read = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).json()

async function measured() {
  const service = await farm({
    'edge-1': { zone: 'us' },
    'edge-2': { zone: 'eu' },
    'edge-3': { rack: '1' },
  })
  const total = { ...histogramOf([0.1]), scale: 3 as const }
  await service.nodes[1]?.report(
    [{ generation: 1, counters: { requests: 1, responses5xx: 1 }, stages: { total } }],
    10_000,
  )
  service.clock.nowMs += 10_000
  return service
}

describe('GET /nodes/cells', () => {
  it('has a letter and a number for each node, by group or by a label, and names in parts', async () => {
    const { admin } = await measured()
    const byGroup = await read(admin, { namesFrom: '1' })
    expect(byGroup).toMatchObject({
      parts: [{ name: 'default', nodes: 3 }],
      labelKeys: ['zone', 'rack'],
      names: [{ name: 'edge-2' }, { name: 'edge-3' }],
      states: ['waiting'],
      cells: 'aaa',
      measured: null,
    })
    const byZone = await read(admin, {
      ...{ ...range, label: 'zone', by: 'share:responses5xx', namesFrom: '0' },
    })
    expect(byZone.parts).toEqual([
      { name: 'eu', nodes: 1 },
      { name: 'us', nodes: 1 },
      { name: null, nodes: 1 },
    ])
    expect(byZone.names.map(({ name }: { name: string }) => name)).toEqual([
      'edge-2',
      'edge-1',
      'edge-3',
    ])
    expect(byZone.measured).toMatchObject({ by: 'share:responses5xx', values: [1, null, null] })
    expect(byZone.order).not.toBe(byGroup.order)
    // A word that every object knows is no label of theirs.
    expect((await read(admin, { label: 'constructor' })).parts).toEqual([{ name: null, nodes: 3 }])
    const slow = await read(admin, { ...range, by: 'quantile:total:0.99' })
    expect(slow.measured.values[1]).toBeCloseTo(0.1, 2)
  })

  it('shows who sees a part of the farm that part, and measurements to who may read them', async () => {
    const service = await measured()
    const scoped = await personWith(service, ['viewer'], 'zone=eu')
    expect(await read(scoped, { namesFrom: '0' })).toMatchObject({
      ...{ parts: [{ name: 'default', nodes: 1 }], labelKeys: ['zone'], cells: 'a' },
      names: [{ name: 'edge-2' }],
    })
    const program = await withToken(service, service.admin, { permissions: ['nodes:read'] })
    expect((await read(program, { ...range, by: 'rate:requests' })).measured).toBeNull()
    expect((await read(service.admin, { ...range, by: 'rate:requests' })).measured).not.toBeNull()
  })

  it('says which rollout under way has come to whom, to who may read rollouts', async () => {
    const service = await build()
    const { db } = service.services
    await addLargeRollout(db, 100)
    const { rollouts, cells } = await read(service.admin)
    expect(rollouts.named).toEqual([{ id: LARGE, config: 'default', version: 1 }])
    // The first wave is through, and the second under way: a quarter of all.
    expect(rollouts.cells).toBe('a'.repeat(25) + '.'.repeat(75))
    expect(cells).toHaveLength(100)
    const program = await withToken(service, service.admin, { permissions: ['nodes:read'] })
    expect((await read(program)).rollouts).toBeNull()
    await db.updateTable('rollouts').set({ ended_at_ms: 1 }).execute()
    expect((await read(service.admin)).rollouts).toEqual({ named: [], cells: '' })
  })

  it('refuses a stage that there is none of, and a range that is empty', async () => {
    const { admin } = await measured()
    const stage = await ask(admin, { by: 'quantile:nosuch:0.5' })
    expect([stage.statusCode, stage.json().code]).toEqual([400, 'unknown_stage'])
    const empty = await ask(admin, { by: 'rate:requests', from: range.to, to: range.from })
    expect([empty.statusCode, empty.json().code]).toEqual([400, 'empty_range'])
  })

  it('is below 200 KB for ten thousand nodes, a number for each', async () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) => {
      const id = `node_${String(i).padStart(26, '0')}`
      const node = { id, name: `edge-${i}`, group: `g-${i % 40}`, labels: {} }
      return { node, state: 'in-sync' } as unknown as IndexedNode
    })
    const cellsOf = createCells({
      index: { nodes: async () => nodes, kept: async () => [] },
      valuesOf: async (ids) => ({
        ...{ from: range.from, to: range.to },
        values: ids.map((_, i) => 0.000123456 * (i + 1)),
      }),
      touchedNow: async () => ({ named: [], touchedBy: new Map() }),
    })
    const may = { measure: true, seeRollouts: true }
    const answer = await cellsOf({ by: 'quantile:total:0.99' }, null, may)
    const bytes = JSON.stringify(answer).length
    expect(answer.cells).toHaveLength(10_000)
    expect(bytes).toBeLessThan(200_000)
  })
})

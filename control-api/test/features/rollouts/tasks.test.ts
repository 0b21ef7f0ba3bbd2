// SPDX-License-Identifier: MIT
// A rollout to ten thousand nodes, in a database on disk: no answer carries what nobody asked for.
import { beforeEach, describe, expect, test } from 'vitest'
import type { ToCome } from '../../../src/features/rollouts/shapes/plan-schema.ts'
import type { Cells, NodeTask, Tasks } from '../../../src/features/rollouts/shapes/task-schema.ts'
import { countTasksByWave, recount } from '../../../src/features/rollouts/store/task-counts.ts'
import { type Built, build } from '../../helper.ts'
import { addLargeRollout, LARGE, nodeId } from './large-rollout.ts'

const NODES = 10_000
const url = `/api/v1/rollouts/${LARGE}`

describe('a rollout to ten thousand nodes', () => {
  let service: Built
  beforeEach(async () => {
    const pressure = { maxEventLoopDelay: 0, maxHeapUsedBytes: 0, sampleInterval: 5000 }
    service = await build({ pressure })
    await addLargeRollout(service.services.db, NODES)
  }, 60_000)

  const page = async (query: string): Promise<Tasks> => {
    const answer = await service.admin.inject({ url: `${url}/tasks?limit=500${query}` })
    expect(answer.statusCode, query).toBe(200)
    return answer.json()
  }
  const all = async (query: string): Promise<NodeTask[]> => {
    const tasks: NodeTask[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const found: Tasks = await page(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
      tasks.push(...found.items)
      cursor = found.nextCursor
    }
    return tasks
  }

  test('is told in a few kilobytes, with how many stand how in each wave', async () => {
    const answer = await service.admin.inject({ url })
    expect(answer.body.length).toBeLessThan(4000)
    expect(answer.json()).toMatchObject({
      totalNodes: NODES,
      waves: [
        { index: 0, nodes: 100, done: 100, states: { done: 100 } },
        { index: 1, nodes: 2400, states: { nacked: 5 } },
        { index: 2, nodes: 7500, done: 0, states: { pending: 7500 } },
      ],
      states: { pending: 7500, nacked: 5 },
    })
  })

  test('has each of its nodes once in all its pages, by wave and name', async () => {
    const tasks = await all('')
    const keys = tasks.map(({ wave, nodeName }) => `${wave} ${nodeName}`)
    expect(new Set(keys).size).toBe(NODES)
    expect(keys).toEqual(keys.toSorted())
    expect((await page('')).total).toBe(NODES)
  })

  test('shows the worst first, and of those what has been so for longest', async () => {
    const found = await all('&exceptions=true')
    const { states } = (await service.admin.inject({ url })).json()
    const moving = states.applied
    expect(found).toHaveLength(states.nacked + states.unreachable + moving)
    expect((await page('&exceptions=true')).total).toBe(found.length)
    const order = found.map(({ state }) => ['nacked', 'unreachable', 'applied'].indexOf(state))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    const refused = found.filter(({ state }) => state === 'nacked').map(({ nodeId: id }) => id)
    expect(refused).toEqual([500, 1000, 1500, 2000, 2500].map(nodeId))
  })

  test('is narrowed by state, wave, name and what runs', async () => {
    const narrowed: [string, number][] = [
      ['&state=nacked', 5],
      ['&state=gate_failed', 0],
      ['&wave=1&state=unreachable', 7],
      ['&wave=9', 0],
      ['&name=edge-00042', 1],
      ['&name=edge-0004', 0],
      ['&q=GE-0004', 10],
      // What is a pattern elsewhere is none.
      ['&q=%25', 0],
      ['&running=true', 0],
    ]
    for (const [query, total] of narrowed) {
      const found = await page(query)
      expect([query, found.total, found.items.length]).toEqual([query, total, total])
    }
  })

  test('does not show a node twice, nor pass one over, while others come before it', async () => {
    const first = await page('')
    const { db } = service.services
    const rename = (from: string, to: string) =>
      db.updateTable('nodes').set({ name: to }).where('name', '=', from).execute()
    await rename('edge-00001', 'edge-00000')
    const second = await page(`&cursor=${first.nextCursor}`)
    expect(second.items[0]?.nodeName).toBe('edge-00501')
  })

  test('refuses a cursor of another list, and one of its own under the other order', async () => {
    const one = await service.admin.inject({ url: `${url}/tasks?exceptions=true&limit=1` })
    const { nextCursor } = one.json()
    for (const query of [`cursor=${nextCursor}`, 'cursor=abc', 'exceptions=true&cursor=abc']) {
      const refused = await service.admin.inject({ url: `${url}/tasks?${query}` })
      expect([query, refused.statusCode]).toEqual([query, 400])
    }
  })

  test('has a letter for each node, and names in parts of less than 200 KB', async () => {
    const ask = (query: string) => service.admin.inject({ url: `${url}/cells${query}` })
    const answer = await ask('')
    const cells: Cells = answer.json()
    expect(answer.body.length).toBeLessThan(NODES + 1000)
    expect(cells.waves.map(({ nodes }) => nodes)).toEqual([100, 2400, 7500])
    const tasks = await all('')
    const letters = new Map(cells.states.map((state, i) => ['abcdefgh'[i], state]))
    expect([...cells.cells].map((one) => letters.get(one))).toEqual(tasks.map(({ state }) => state))
    expect(cells.names).toBeNull()
    const names: string[] = []
    while (names.length < NODES) {
      const part = (await ask(`?namesFrom=${names.length}`)).json()
      expect(part).toEqual({ ...cells, names: part.names })
      expect(part.names.length).toBe(2000)
      names.push(...part.names)
    }
    expect(names).toEqual(tasks.map(({ nodeName }) => nodeName))
    expect((await ask(`?namesFrom=${NODES}`)).json().names).toEqual([])
  })

  test('says what it would still do, with a letter and a number for each node to come', async () => {
    const { db } = service.services
    await db.updateTable('nodes').set({ cordon: '{}' }).where('id', '=', nodeId(9999)).execute()
    await db
      .updateTable('rollouts')
      .set({ strategy: JSON.stringify({ failureDomain: 'zone' }) })
      .execute()
    const answer = await service.admin.inject({ url: `${url}/to-come?namesFrom=7000` })
    expect(answer.statusCode).toBe(200)
    expect(answer.body.length).toBeLessThan(250_000)
    const toCome: ToCome = answer.json()
    // The third wave is to come, and whoever is cordoned is passed by.
    expect(toCome).toMatchObject({ changingNodes: 7499, waves: 3, waveNodes: [0, 0, 7499] })
    expect(toCome.wavePlans[2]).toMatchObject({ kinds: 1, unmeasuredNodes: 7499 })
    expect(toCome.cells).toMatchObject({ standings: ['away'], waves: [0, 0, 7499] })
    expect(toCome.cells.domains).toEqual(['us', 'eu'])
    const names = toCome.cells.names?.map(({ nodeName }) => nodeName)
    expect([names?.length, names?.[0], names?.at(-1)]).toEqual([499, 'edge-09501', 'edge-10000'])
  })

  test('sends no cells while nothing has changed, and says when a name has', async () => {
    const ask = (query: string, etag = '') =>
      service.admin.inject({ url: `${url}/cells${query}`, headers: { 'if-none-match': etag } })
    const first = await ask('')
    const { etag } = first.headers
    expect((await ask('', etag)).statusCode).toBe(304)
    const { db } = service.services
    await db
      .updateTable('rollouts')
      .set((eb) => ({ tasks_version: eb('tasks_version', '+', 1) }))
      .execute()
    expect((await ask('', etag)).statusCode).toBe(200)
    const { order } = first.json()
    const change = { name: 'edge-00042b' }
    await db.updateTable('nodes').set(change).where('id', '=', nodeId(42)).execute()
    const renamed: Cells = (await ask('?namesFrom=0')).json()
    expect(renamed.names).toContain(change.name)
    expect(renamed.order).not.toBe(order)
    await db.updateTable('nodes').set({ name: 'edge-00042' }).where('id', '=', nodeId(42)).execute()
  })

  test('is a tenth of it to who sees a tenth of its nodes', async () => {
    const scoped = await service.as('operator')
    await service.services.db
      .updateTable('users')
      .set({ scope: 'zone=eu' })
      .where('username', '=', 'test-operator')
      .execute()
    const of = async (path: string) => (await scoped.inject({ url: `${url}${path}` })).json()
    expect((await of('')).totalNodes).toBe(NODES / 10)
    expect((await of('/tasks')).total).toBe(NODES / 10)
    expect((await of('/to-come')).changingNodes).toBe((NODES * 3) / 4 / 10)
    expect((await of('/cells?namesFrom=0')).names).toHaveLength(NODES / 10)
    expect((await of('/tasks?name=edge-00001')).total).toBe(0)
    const list = (await scoped.inject({ url: '/api/v1/rollouts' })).json()
    expect(list.items[0].totalNodes).toBe(NODES / 10)
  })
})

describe('counts', () => {
  const done = { wave: 0, state: 'done' as const, code: null }
  const failing = { wave: 0, state: 'healthy' as const, code: 'gate_failed' }
  const passedBy = { wave: 1, state: 'skipped' as const, code: 'cordoned' }

  test('tell what fails its gate and what was cordoned apart', () => {
    expect(countTasksByWave([done, failing, passedBy, { ...passedBy, code: null }])).toEqual({
      0: { done: 1, gate_failed: 1 },
      1: { cordoned: 1, skipped: 1 },
    })
  })

  test('follow tasks from state to state and from wave to wave', () => {
    const before = countTasksByWave([failing, passedBy])
    const after = recount(before, [
      { before: failing, after: done },
      { before: passedBy, after: { ...done, wave: 2 } },
    ])
    expect(after).toEqual({ 0: { done: 1 }, 2: { done: 1 } })
    expect(before).toEqual(countTasksByWave([failing, passedBy]))
  })

  test('that do not hold what has changed are no counts', () => {
    expect(recount(countTasksByWave([done]), [{ before: failing, after: done }])).toBeNull()
  })
})

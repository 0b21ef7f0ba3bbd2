// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { Scope } from '../../../src/access/scope.ts'
import { createFarmSummary } from '../../../src/features/farm/summary.ts'
import { build, type Client, withToken } from '../../helper.ts'
import {
  act,
  addNode,
  BY_WAVES,
  conducts,
  get,
  order,
  reaches,
  servingFarm,
} from '../rollouts/farm.ts'

const read = async (who: Client) => (await who.inject({ url: '/api/v1/farm/summary' })).json()
/** Of a farm that changes it may be a second old. */
const soon = { timeout: 5000 }

describe('GET /farm/summary', () => {
  test('counts nodes by state, and says what is under way and where versions differ', async () => {
    const service = await servingFarm()
    const total = service.nodes.length
    const all = { applying: 0, 'out-of-sync': 0, drift: 0, unknown: 0, waiting: 0 }
    expect(await read(service.admin)).toEqual({
      asOf: expect.any(String),
      nodes: { total, byState: { 'in-sync': total, ...all }, cordoned: 0, silent: [] },
      mixed: [],
      running: [{ config: 'default', version: 1, nodes: total }],
      moreRunning: 0,
      rollouts: { underWay: 0, waiting: 0, named: [] },
    })

    // Its second node takes its time.
    conducts(service, 1, { kind: 'hang' })
    const { id } = (await order(service.admin, { version: 2, strategy: BY_WAVES })).json()
    await expect
      .poll(async () => (await read(service.admin)).rollouts, soon)
      .toMatchObject({
        underWay: 1,
        waiting: 0,
        named: [{ id, config: 'default', version: 2, state: 'running', totalNodes: total }],
      })
    await expect
      .poll(async () => (await read(service.admin)).rollouts.named[0].doneNodes, soon)
      .toBeGreaterThan(0)
    // It brings one version to where the other is.
    expect((await read(service.admin)).mixed).toEqual([])
    expect((await act(service.admin, await get(service, id), 'freeze')).statusCode).toBe(200)
    await reaches(service, id, 'frozen')
    await expect
      .poll(async () => (await read(service.admin)).mixed, soon)
      .toEqual([{ config: 'default', versions: [1, 2], more: 0 }])
    const { rollouts, running } = await read(service.admin)
    expect(rollouts.underWay).toBe(0)
    expect(running).toHaveLength(2)
    expect(running[0].nodes).toBeGreaterThanOrEqual(running[1].nodes)
    expect(running[0].nodes + running[1].nodes).toBe(total)
  })

  test('names some who are silent', async () => {
    const service = await servingFarm()
    const waiting = await addNode(service, 'edge-9', false)
    service.nodes[0]?.disconnect()
    service.fleet.cutOff(String(service.nodes[0]?.id))
    await expect
      .poll(async () => (await read(service.admin)).nodes, soon)
      .toMatchObject({
        byState: { unknown: 1, waiting: 1 },
        silent: [{ id: service.nodes[0]?.id }],
      })
    expect((await read(service.admin)).nodes.silent[0].lastSeenAt).toMatch(/^20\d\d-/)
    expect(waiting.id).toMatch(/^node_/)
  })

  test('says nothing of rollouts to who may not read them', async () => {
    const service = await build()
    const program = await withToken(service, service.admin, { permissions: ['nodes:read'] })
    expect((await read(program)).rollouts).toBeNull()
    expect((await read(service.admin)).rollouts).not.toBeNull()
  })
})

describe('a look at the whole farm', () => {
  const versions = new Map<string, Map<number, number>>()
  const NOTHING = { total: 0, byState: new Map(), cordoned: 0, silent: [], versions }
  const NONE = { underWay: 0, waiting: 0, named: [], configs: new Set<string>() }

  function looking({ tookMs = 100, fails = (): boolean => false, found = NOTHING } = {}) {
    let ms = 0
    const looks: Scope[] = []
    const summaryOf = createFarmSummary({
      now: () => 1_700_000_000_000 + ms,
      monotonicMs: () => ms,
      countNodes: async (scope) => {
        looks.push(scope)
        ms += tookMs
        if (fails()) throw new Error('the disk')
        return found
      },
      rolloutsNow: async () => NONE,
    })
    const pass = (by: number) => {
      ms += by
    }
    return { summaryOf, looks, pass }
  }

  test('is shared by all who ask while it is made, and for a second', async () => {
    const { summaryOf, looks, pass } = looking()
    await Promise.all([summaryOf(null), summaryOf(null), summaryOf(null)])
    pass(999)
    await summaryOf(null)
    expect(looks).toHaveLength(1)
    pass(1)
    await summaryOf(null)
    expect(looks).toHaveLength(2)
  })

  test('tells first what most nodes run, and of versions of equally many the newest', async () => {
    const versions = new Map([
      ['web', new Map([2, 10, 9].map((version) => [version, 1]))],
      ['api', new Map([[1, 1]])],
      ['zip', new Map([[7, 2]])],
    ])
    const { summaryOf } = looking({ found: { ...NOTHING, versions } })
    const { running } = await summaryOf(null)
    expect(running.map(({ config, version }) => `${config} ${version}`)).toEqual([
      ...['zip 7', 'api 1', 'web 10', 'web 9', 'web 2'],
    ])
  })

  test('takes a tenth of the time at most, however long it takes', async () => {
    const { summaryOf, looks, pass } = looking({ tookMs: 1000 })
    await summaryOf(null)
    pass(8999)
    await summaryOf(null)
    expect(looks).toHaveLength(1)
    pass(1)
    await summaryOf(null)
    expect(looks).toHaveLength(2)
  })

  test('of one scope is nobody else’s', async () => {
    const { summaryOf, looks } = looking()
    const scope = [{ kind: 'in' as const, key: 'zone', values: ['eu'] }]
    await summaryOf(null)
    await summaryOf(scope)
    await summaryOf(scope)
    expect(looks).toEqual([null, scope])
  })

  test('that failed is not kept', async () => {
    let fails = true
    const { summaryOf, looks } = looking({ fails: () => fails })
    await expect(summaryOf(null)).rejects.toThrow('the disk')
    fails = false
    await summaryOf(null)
    expect(looks).toHaveLength(2)
  })

  test('is kept for a bounded number of scopes', async () => {
    const { summaryOf, looks } = looking()
    const scope = (i: number) => [{ kind: 'in' as const, key: 'rack', values: [String(i)] }]
    for (let i = 0; i < 100; i += 1) await summaryOf(scope(i))
    await summaryOf(scope(99))
    expect(looks).toHaveLength(100)
    await summaryOf(scope(0))
    expect(looks).toHaveLength(101)
  })
})

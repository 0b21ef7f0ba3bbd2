// SPDX-License-Identifier: MIT
// Machines that come and go by themselves: the farm does not fill with their ghosts.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readGrouping } from '../../../src/features/groups/store.ts'
import { createEndNode } from '../../../src/features/nodes/decommissioning.ts'
import { forgetLongAway } from '../../../src/features/nodes/forgetting.ts'
import { forgetRule } from '../../../src/fleet/forgetting.ts'
import { findNode } from '../../../src/node-identity/store/nodes.ts'
import { enrolNode } from '../../agents/node-client.ts'
import { build } from '../../helper.ts'
import { etagOf, group, ok, push, send } from '../groups/farm.ts'
import { farm, reaches, saveVersion, text } from '../rollouts/farm.ts'

const HOUR_MS = 3600_000

/** A clock that only the test moves, and a control plane that goes by it. */
function handClock() {
  let nowMs = Date.now()
  return {
    now: () => nowMs,
    pass: (hours: number) => {
      nowMs += hours * HOUR_MS
    },
  }
}

/** A control plane with a node that is away since now: what is sent is as if it were over the network. */
async function setUp(tokenHours?: number, labels: Record<string, string> = { pool: 'spot' }) {
  const clock = handClock()
  const service = await build({ now: clock.now })
  const { admin, fleet } = service
  const token = tokenHours === undefined ? {} : { forgetAfterHours: tokenHours }
  const node = await enrolNode(service, { labels, ...token })
  const isThere = async () => (await findNode(service.services.db, node.id)) !== undefined
  const hello = async () => {
    expect((await node.hello()).statusCode).toBe(200)
  }
  const timesGone = async () =>
    (
      await service.services.db
        .selectFrom('events')
        .select('id')
        .where('action', '=', 'disconnected')
        .execute()
    ).length
  const goAway = async () => {
    const before = await timesGone()
    fleet.cutOff(node.id)
    // It is told with others, a turn of the loop later.
    while ((await timesGone()) === before) await setImmediate()
  }
  await hello()
  await goAway()
  return { ...clock, service, admin, node, isThere, hello, goAway, look: service.forgetLongAway }
}

const spot = { selector: 'pool=spot', forgetAfterHours: 6 }

test.each([
  { token: null, group: null, rule: null },
  { token: 6, group: null, rule: { afterHours: 6, by: 'token' } },
  { token: null, group: 6, rule: { afterHours: 6, by: 'group' } },
  { token: 6, group: 5, rule: { afterHours: 5, by: 'group' } },
  { token: 5, group: 6, rule: { afterHours: 5, by: 'token' } },
  { token: 6, group: 6, rule: { afterHours: 6, by: 'token' } },
])('of what the token ($token) and the group ($group) say the shorter one holds', (row) => {
  expect(forgetRule(row)).toEqual(row.rule)
})

describe('a node whose token says for how long it may be away', () => {
  test('shows it, and is forgotten after that time and not before', async () => {
    const { node, look, pass, isThere, now } = await setUp(6)
    const at = new Date(now() + 6 * HOUR_MS).toISOString()
    expect((await node.show()).forgetting).toEqual({ afterHours: 6, by: 'token', at })
    pass(5.9)
    await look()
    expect(await isThere()).toBe(true)
    pass(0.2)
    await look()
    expect(await isThere()).toBe(false)
  })

  test('is not forgotten by a control plane whose machine slept, until it had its time again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { look, pass, isThere } = await setUp(6)
    pass(100)
    await vi.advanceTimersByTimeAsync(60_000)
    await look()
    expect(await isThere()).toBe(true)
    pass(6.1)
    await look()
    expect(await isThere()).toBe(false)
  })

  test('is not away while it is connected', async () => {
    const { node, look, pass, isThere, hello } = await setUp(6)
    pass(4)
    await hello()
    pass(7)
    await look()
    expect(await isThere()).toBe(true)
    expect((await node.show()).forgetting).toEqual({ afterHours: 6, by: 'token', at: null })
  })
})

describe('a node whose group says for how long its nodes may be away', () => {
  test('shows it, and is forgotten after that time and not before', async () => {
    const { admin, node, look, pass, isThere, now } = await setUp()
    expect((await node.show()).forgetting).toBeNull()
    await group(admin, 'spot', spot)
    const at = new Date(now() + 6 * HOUR_MS).toISOString()
    expect((await node.show()).forgetting).toEqual({ afterHours: 6, by: 'group', at })
    pass(5.9)
    await look()
    expect(await isThere()).toBe(true)
    pass(0.2)
    await look()
    expect(await isThere()).toBe(false)
    const { items } = (await ok(admin, 'GET', '/audit?limit=20')).json()
    const said = items.find(({ action }: { action: string }) => action === 'decommissioned')
    const { object, data } = (await ok(admin, 'GET', `/audit/${said.id}`)).json()
    expect([object, data]).toMatchObject([node.id, { awayForHours: 6, by: 'group' }])
  })

  test('stays when only a group behind its own says it', async () => {
    const { admin, look, pass, isThere } = await setUp()
    await group(admin, 'kept', { selector: 'pool' })
    await group(admin, 'spot', spot)
    pass(7)
    await look()
    expect(await isThere()).toBe(true)
  })

  test('goes by the group that it has when it is looked at: labels changed while it was away', async () => {
    const { admin, node, look, pass, isThere } = await setUp()
    await group(admin, 'spot', spot)
    pass(7)
    const path = `/nodes/${node.id}`
    await ok(admin, 'PATCH', path, { labels: { pool: 'lasting' } }, await etagOf(admin, path))
    await look()
    expect(await isThere()).toBe(true)

    const back = { labels: { pool: 'spot' } }
    const etag = await etagOf(admin, path)
    const impact = (await ok(admin, 'PATCH', `${path}?dryRun=1`, back, etag)).json()
    expect(impact.forgets).toMatchObject({
      total: 1,
      items: [{ nodeId: node.id, afterHours: 6, by: 'group' }],
    })
    await ok(admin, 'PATCH', path, back, etag)
    await look()
    expect(await isThere()).toBe(false)
  })

  test('stays when the group is removed, or no longer says it', async () => {
    const { admin, look, pass, isThere } = await setUp()
    await group(admin, 'spot', spot)
    const patch = async (forgetAfterHours: number | null) =>
      ok(admin, 'PATCH', '/groups/spot', { forgetAfterHours }, await etagOf(admin, '/groups/spot'))
    expect((await patch(null)).json().forgetAfterHours).toBeNull()
    pass(7)
    await look()
    expect(await isThere()).toBe(true)
    await patch(6)
    await ok(admin, 'DELETE', '/groups/spot', undefined, await etagOf(admin, '/groups/spot'))
    await look()
    expect(await isThere()).toBe(true)
  })

  test('is named by a dry run when it would go at once, and not when it is to go anyway', async () => {
    const { admin, node, pass } = await setUp()
    pass(7)
    const forgets = async (body: object) =>
      (await ok(admin, 'POST', '/groups?dryRun=1', { name: 'spot', ...body })).json().forgets
    expect(await forgets(spot)).toEqual({
      total: 1,
      items: [{ nodeId: node.id, nodeName: node.name, afterHours: 6, by: 'group' }],
    })
    expect((await forgets({ ...spot, forgetAfterHours: 8 })).total).toBe(0)
    await group(admin, 'spot', spot)
    expect((await forgets({ ...spot, name: 'first', position: 1 })).total).toBe(0)
  })

  test('stays when it came back after it was found', async () => {
    const { service, admin, node, pass, now, isThere, hello, goAway } = await setUp()
    await group(admin, 'spot', spot)
    pass(7)
    const { db, write } = service.services
    const { fleet } = service
    const engine = { onNodesChanged: async () => {} }
    const endNode = createEndNode({ write, now, engine, fleet })
    const listeningSinceMs = 0
    const found: string[] = []
    const look = (before: () => Promise<void>) =>
      forgetLongAway({
        ...{ db, now, fleet, readGrouping },
        absenceOf: (id) => ({ presence: fleet.presence(id), listeningSinceMs }),
        isHeld: () => false,
        endNode: async (id, end) => {
          found.push(id)
          await before()
          await endNode(id, end)
        },
        onError: (error) => {
          throw error
        },
      })
    await look(hello)
    expect(found).toEqual([node.id])
    expect(await isThere()).toBe(true)
    // Gone again at once: its time begins anew.
    await goAway()
    await look(async () => {})
    expect(found).toEqual([node.id])
    // Somebody else ends it in between: no fault of the look.
    pass(7)
    await look(async () => {
      await ok(await service.as('admin'), 'DELETE', `/nodes/${node.id}`)
    })
    expect(await isThere()).toBe(false)
  })

  test('is not away for the time in which nobody could hear it, nor while a restore waits', async () => {
    const { service, admin, pass, now } = await setUp()
    await group(admin, 'spot', spot)
    pass(7)
    const ended: string[] = []
    const { db } = service.services
    const look = (listeningSinceMs: number, isHeld: boolean) =>
      forgetLongAway({
        ...{ db, now, readGrouping, isHeld: () => isHeld, fleet: service.fleet },
        absenceOf: (id) => ({ presence: service.fleet.presence(id), listeningSinceMs }),
        endNode: async (id) => {
          ended.push(id)
        },
        onError: (error) => {
          throw error
        },
      })
    await look(now() - 5 * HOUR_MS, false)
    await look(0, true)
    expect(ended).toEqual([])
    await look(0, false)
    expect(ended).toHaveLength(1)
  })
})

test('a node that goes under a rollout is skipped, and the rollout goes on', async () => {
  const clock = handClock()
  const service = await farm(['edge-1', 'edge-2'], { now: clock.now })
  const { admin, nodes, fleet } = service
  await group(admin, 'spot', { selector: '', forgetAfterHours: 6, position: 1 })
  const away = nodes[1]
  await away?.disconnect()
  fleet.cutOff(away?.id ?? '')
  await saveVersion(admin, text(8090), 1)
  const { id } = (await push(admin, 'default', 2)).json()
  await expect.poll(() => nodes[0]?.ran.at(-1)).toBe(text(8090))
  clock.pass(7)
  await service.forgetLongAway()
  await reaches(service, id, 'succeeded')
  expect((await send(admin, 'GET', `/nodes/${away?.id}`)).statusCode).toBe(404)
  expect((await send(admin, 'GET', `/nodes/${nodes[0]?.id}`)).statusCode).toBe(200)
})

test.each([0, -1, 8761, 1e300, 1.5, '', 'six', true])(
  'a group does not say %o hours',
  async (hours) => {
    const { admin } = await build()
    const payload = { name: 'spot', selector: 'pool=spot', forgetAfterHours: hours }
    expect((await send(admin, 'POST', '/groups', payload)).statusCode).toBe(400)
    expect((await ok(admin, 'GET', '/groups')).json().items).toHaveLength(1)
  },
)

test('a token for a known node does not say it', async () => {
  const { admin, node } = await setUp()
  const payload = { nodeId: node.id, forgetAfterHours: 6 }
  expect((await send(admin, 'POST', '/enrolment-tokens', payload)).statusCode).toBe(400)
})

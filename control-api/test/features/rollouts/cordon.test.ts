// SPDX-License-Identifier: MIT
// Cordoned nodes, over the real engine.
import { expect, it } from 'vitest'
import { addNode, BY_WAVES, type Farm, get, order, reaches, servingFarm, text } from './farm.ts'

const cordon = ({ admin, nodes }: Farm, index: number, method: 'PUT' | 'DELETE' = 'PUT') =>
  admin.inject({
    method,
    url: `/api/v1/nodes/${nodes[index]?.id}/cordon`,
    ...(method === 'PUT' && { payload: { reason: 'new disk' } }),
  })
async function cordonEach(service: Farm, indexes: readonly number[]): Promise<void> {
  for (const index of indexes) await cordon(service, index)
}
const cordonTogether = ({ admin, nodes }: Farm, indexes: readonly number[]) =>
  admin.inject({
    ...{ method: 'POST', url: '/api/v1/nodes/actions/change' },
    payload: {
      nodeIds: indexes.map((index) => nodes[index]?.id),
      change: { kind: 'cordon', reason: 'new disk' },
    },
  })
const reasonOf = async ({ admin, nodes }: Farm, index: number): Promise<string> =>
  (await admin.inject({ url: `/api/v1/nodes/${nodes[index]?.id}` })).json().sync.reason
/** What is kept with the rollout is what its tasks say. */
async function isListedAlike(service: Farm): Promise<void> {
  const { items } = (await service.admin.inject({ url: '/api/v1/rollouts' })).json()
  for (const item of items) {
    const {
      tasks,
      waves,
      states: _,
      distributions: __,
      headline,
      timers,
      ...alone
    } = await get(service, item.id)
    expect(item).toEqual(alone)
    expect(headline).not.toBe('')
    expect(timers).toEqual([])
    expect(item.totalNodes).toBe(tasks.length)
    const inWaves = waves.reduce((total, { done }) => total + done, 0)
    expect(item.doneNodes).toBe(inWaves)
  }
}
const statesOf = async (service: Farm, id: string) =>
  (await get(service, id)).tasks.map(({ state, code }) => code ?? state)

it('a rollout passes a cordoned node by, and says so in the plan, in its reason and at the node', async () => {
  const service = await servingFarm()
  const { admin, nodes } = service
  const wish = { version: 2, strategy: BY_WAVES }
  const before = (await order(admin, wish, '?dryRun=1')).json()
  await cordon(service, 0)
  const plan = (await order(admin, wish, '?dryRun=1')).json()
  expect(plan.planDigest).not.toBe(before.planDigest)
  expect(plan).toMatchObject({ cordonedNodes: 1, waves: 2 })
  // Who proves the version is one that gets it.
  expect(plan.nodes.items.map(({ wave }: { wave: number }) => wave)).toEqual([0, 1, 1])
  expect(plan).toMatchObject({ changingNodes: 2, waveNodes: [1, 1] })
  expect(plan.nodes.items[2].cordon).toMatchObject({ by: 'test-admin', reason: 'new disk' })

  const { id } = (await order(admin, wish)).json()
  const ended = await reaches(service, id, 'succeeded')
  expect(ended.reason).toContain('All 2 nodes have the version. edge-1 was skipped, being cordoned')
  expect(ended).toMatchObject({ cordonedNodes: 1, pendingNodes: 0 })
  expect(ended.tasks[0]).toMatchObject({
    ...{ state: 'skipped', code: 'cordoned', isCordoned: true },
    message: 'cordoned by test-admin: new disk',
  })
  expect(nodes[0]?.ran.at(-1)).toBe(text(8080))
  await isListedAlike(service)

  expect(await reasonOf(service, 0)).toContain('rollouts pass it by, as default v2 did')
  await cordon(service, 0, 'DELETE')
  expect(await reasonOf(service, 0)).toContain('default v2 passed it by while it was cordoned')
  const again = (await order(admin, { version: 2 })).json()
  await reaches(service, again.id, 'succeeded')
  expect(nodes[0]?.ran.at(-1)).toBe(text(8090))
  expect(await reasonOf(service, 0)).toBe('It runs default v2, as assigned.')
})

it.each([
  ['one by one', cordonEach],
  ['together', cordonTogether],
])(
  'nodes cordoned %s while a rollout runs are passed by, unless they have their offer; the way back reaches those',
  async (_, cordonThem) => {
    const service = await servingFarm()
    const strategy = { ...BY_WAVES, soakSeconds: 3_600 }
    const { id } = (await order(service.admin, { version: 2, strategy })).json()
    await expect.poll(async () => (await get(service, id)).phase).toBe('soaking')
    await cordonThem(service, [0, 1])
    const { stateVersion, tasks } = await get(service, id)
    expect(tasks.map(({ isCordoned }) => isCordoned)).toEqual([true, true, false])
    const act = (action: string, body: object) =>
      service.admin.inject({
        method: 'POST',
        url: `/api/v1/rollouts/${id}/actions/${action}`,
        payload: { ...body, reason: 'test' },
      })
    await act('skip-gate', { stateVersion })
    await expect.poll(() => statesOf(service, id)).toEqual(['done', 'cordoned', 'healthy'])
    const listed = (await service.admin.inject({ url: '/api/v1/rollouts' })).json().items[0]
    expect(listed).toMatchObject({ totalNodes: 3, doneNodes: 2, cordonedNodes: 1 })
    await act('revert', { stateVersion })
    await reaches(service, id, 'reverted')
    expect(await statesOf(service, id)).toEqual(['reverted', 'cordoned', 'reverted'])
    await isListedAlike(service)
    expect(service.nodes[0]?.ran.at(-1)).toBe(text(8080))
  },
)

it('an emergency passes it by too, and what passed everybody by is not released', async () => {
  const service = await servingFarm()
  for (const index of [0, 1, 2]) await cordon(service, index)
  const emergency = { reason: 'a hole' }
  const { id } = (await order(service.admin, { version: 2, emergency })).json()
  const { reason } = await reaches(service, id, 'cancelled')
  expect(reason).toContain('Nothing is proven')
  const late = await addNode(service, 'edge-4')
  await expect.poll(() => late.ran.at(-1)).toBe(text(8080))
})

it('a new node that is cordoned has its first version, and what comes after that passes it by', async () => {
  const service = await servingFarm()
  const strategy = { ...BY_WAVES, soakSeconds: 3_600 }
  const { id, stateVersion } = (await order(service.admin, { version: 2, strategy })).json()
  const late = await addNode(service, 'edge-4', false)
  await cordon(service, 3)
  await late.connect()
  await expect.poll(() => late.ran.at(-1)).toBe(text(8080))
  for (let wave = 0; wave < 2; wave++) {
    await expect.poll(async () => (await get(service, id)).phase).toBe('soaking')
    await service.admin.inject({
      method: 'POST',
      url: `/api/v1/rollouts/${id}/actions/skip-gate`,
      payload: { stateVersion, reason: 'test' },
    })
  }
  await reaches(service, id, 'succeeded')
  const given = await service.services.db
    .selectFrom('assignments')
    .select('version')
    .where('node_id', '=', late.id)
    .execute()
  expect(given).toEqual([{ version: 1 }])
})

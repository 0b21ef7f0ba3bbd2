// SPDX-License-Identifier: MIT
// What an earlier rollout left on nodes proves nothing, unless that one had proved it.
import { expect, it } from 'vitest'
import { act, BY_WAVES, type Farm, farm, get, order, reaches } from './farm.ts'

const WATCHED = {
  ...BY_WAVES,
  waves: [{ percent: 100 }],
  soakSeconds: 3_600,
  maxSoakSeconds: 3_600,
}

const released = async ({ services }: Farm) => {
  const rows = await services.db.selectFrom('releases').select(['config', 'version']).execute()
  return rows.map(({ config, version }) => `${config}@${version}`)
}

/** Its only node has version 1, and nobody has waited for the end of its soak. */
async function frozenFarm(): Promise<Farm> {
  const service = await farm(['edge-1'])
  const { id } = (await order(service.admin, { version: 1, strategy: WATCHED })).json()
  await expect.poll(async () => (await get(service, id)).tasks[0]?.state).toBe('healthy')
  await act(service.admin, await get(service, id), 'freeze')
  return service
}

it('what was frozen before it was proved is given again, watched, and not released by an order alone', async () => {
  const service = await frozenFarm()
  const again = (await order(service.admin, { version: 1, strategy: WATCHED })).json()
  expect(again.state).toBe('running')
  expect(await released(service)).toEqual([])
  await expect.poll(async () => (await get(service, again.id)).phase).toBe('soaking')
  expect((await get(service, again.id)).state).toBe('running')
  expect(await released(service)).toEqual([])
})

it('what was frozen is released by a rollout that proves it', async () => {
  const service = await frozenFarm()
  const strategy = { ...WATCHED, soakSeconds: 0 }
  const dry = (await order(service.admin, { version: 1, strategy }, '?dryRun=1')).json()
  expect(dry.nodes.items[0]).toMatchObject({ changes: true, fromVersion: 1 })
  const { id } = (await order(service.admin, { version: 1, strategy })).json()
  await reaches(service, id, 'succeeded')
  expect(await released(service)).toEqual(['default@1'])
})

it('what a rollout to some nodes proved is proof for the whole farm', async () => {
  const service = await farm(['edge-1'])
  const [node] = service.nodes
  const some = (await order(service.admin, { version: 1, nodes: [node?.id] })).json()
  await reaches(service, some.id, 'succeeded')
  expect(await released(service)).toEqual([])
  const all = (await order(service.admin, { version: 1, strategy: WATCHED })).json()
  expect(all).toMatchObject({ state: 'succeeded', states: { done: 1 } })
  expect(all.reason).toMatch(/^Nothing to do/)
  expect(await released(service)).toEqual(['default@1'])
})

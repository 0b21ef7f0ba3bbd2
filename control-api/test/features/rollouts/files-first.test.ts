// SPDX-License-Identifier: MIT
// The files of a release go to all nodes before the first wave, over the real agents' listener.
import { expect, test } from 'vitest'
import { push } from '../releases/pushing.ts'
import {
  act,
  addNode,
  BY_WAVES,
  type Farm,
  farm,
  get,
  order,
  reaches,
  saveVersion,
} from './farm.ts'

const CONFIG = `{
  "listen": [{ "address": "127.0.0.1", "port": 8080 }],
  "sites": [{ "hosts": ["*"], "release": "www" }]
}
`
const NAMES = ['edge-1', 'edge-2', 'edge-3']

/** All serve www 1; www 2 is there. edge-3 is too old to hold anything ahead. */
async function serving(): Promise<Farm & { manifest: string }> {
  const service = await farm(NAMES.slice(2))
  const first = await push(service.admin, 'www', { 'index.html': 'one' }, null)
  const manifest = await push(service.admin, 'www', { 'index.html': 'two' }, 1)
  expect(first).not.toBe(manifest)
  await saveVersion(service.admin, CONFIG, 1)
  for (const name of NAMES.slice(0, 2)) {
    const node = await addNode(service, name, false)
    node.ahead = []
    node.fetches = { state: 'fetching' }
    await node.connect()
  }
  const begun = (await order(service.admin, { version: 2, releases: { www: 1 } })).json()
  await reaches(service, begun.id, 'succeeded')
  return { ...service, manifest }
}

const bring = async ({ admin }: Farm, strategy: object = {}) =>
  (
    await order(admin, {
      version: 2,
      releases: { www: 2 },
      strategy: { ...BY_WAVES, ...strategy },
    })
  ).json()
const phaseOf = async (service: Farm, id: string) => (await get(service, id)).phase
const ranOf = ({ nodes }: Farm) =>
  nodes.map(({ effective }) => effective?.releases?.map(({ number }) => number))
const of = ({ nodes }: Farm, name: string) => {
  const node = nodes.find((one) => one.name === name)
  if (!node) throw new Error(name)
  return node
}
const REFUSED = { code: 'resource_limit', message: 'releases.storeMaxBytes is reached' } as const

test('the first wave begins when all that can have them, or refused', async () => {
  const service = await serving()
  const { id, policy } = await bring(service)
  expect(policy.filesFirstSeconds).toBe(300)
  const [one, two] = [of(service, 'edge-1'), of(service, 'edge-2')]
  await expect.poll(() => [one.ahead?.length, two.ahead?.length]).toEqual([1, 1])
  expect(one.ahead).toEqual([{ manifestSha256: service.manifest, state: 'fetching' }])
  await one.holds({ state: 'held' })
  await expect.poll(async () => (await get(service, id)).filesFirst?.heldNodes).toBe(1)
  const waits = await get(service, id)
  expect(waits).toMatchObject({ state: 'running', phase: 'files', reasonCode: 'files_first' })
  expect(waits.reason).toContain('1 of 2 have them; waiting for edge-2.')
  expect(waits.timers.map(({ kind }) => kind)).toContain('files')
  expect(ranOf(service)).toEqual([[1], [1], [1]])
  await two.holds({ state: 'refused', error: REFUSED })
  const ended = await reaches(service, id, 'succeeded')
  expect(ended.filesFirst).toMatchObject({
    ...{ isOver: true, heldNodes: 1, refusedNodes: 1, waitingNodes: 0, otherNodes: 1 },
    refusals: [{ nodeName: 'edge-2', ...REFUSED }],
  })
  // With the rollout its list ends.
  await expect.poll(() => [one.ahead, two.ahead]).toEqual([[], []])
})

test('people begin at once, and orders leave it out', async () => {
  const service = await serving()
  const first = await bring(service)
  await expect.poll(() => phaseOf(service, first.id)).toBe('files')
  // The clock counts: who is quicker than that finds no numbers.
  await expect.poll(async () => (await get(service, first.id)).filesFirst?.waitingNodes).toBe(2)
  const now = await get(service, first.id)
  expect((await act(service.admin, now, 'skip-gate', { reason: 'now' })).statusCode).toBe(200)
  const ended = await reaches(service, first.id, 'succeeded')
  expect(ended.filesFirst).toMatchObject({ isOver: true, waitingNodes: 2 })
  await push(service.admin, 'www', { 'index.html': 'three' }, 2)
  const plan = async (strategy: object, more: object = {}) => {
    const wanted = { version: 2, releases: { www: 3 }, strategy, ...more }
    return (await order(service.admin, wanted, '?dryRun=1')).json().policy.filesFirstSeconds
  }
  expect(await plan({ filesFirst: false })).toBeNull()
  expect(await plan({ filesFirstSeconds: 20 })).toBe(20)
  expect(await plan({ atOnce: true })).toBeNull()
  expect(await plan({}, { emergency: { reason: 'now' } })).toBeNull()
  expect(await plan({}, { nodes: [of(service, 'edge-1').id] })).toBeNull()
  expect(await plan({}, { releases: { www: 2 } })).toBeNull()
})

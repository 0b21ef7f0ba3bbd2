// SPDX-License-Identifier: MIT
// A plan of ten thousand nodes: in numbers, and its nodes in pages.
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type {
  PlannedRow,
  RolloutPlan,
} from '../../../../src/features/rollouts/shapes/plan-schema.ts'
import { build } from '../../../helper.ts'
import { saveVersion, text } from '../farm.ts'
import { addLargeRollout, nodeId } from '../large-rollout.ts'

const NODES = 10_000
const MOST_BYTES = 200 * 1024
const WAVES = [{ nodes: 10 }, { percent: 100 }]

/** Four are cordoned, and the errors of a fifth's override are many. */
async function largeFarm(nodes = NODES) {
  const service = await build()
  const { admin, services } = service
  await saveVersion(admin, text(8080), null)
  await addLargeRollout(services.db, nodes)
  await services.db.deleteFrom('node_tasks').execute()
  await services.db.deleteFrom('rollouts').execute()
  const cordon = JSON.stringify({ by: 'ana', reason: 'new disk', atMs: 1 })
  for (const i of [1, 2, 3, 4]) {
    await services.db.updateTable('nodes').set({ cordon }).where('id', '=', nodeId(i)).execute()
  }
  return service
}

type Service = Awaited<ReturnType<typeof largeFarm>>

async function planOf({ admin }: Service, strategy: object = { waves: WAVES }) {
  const payload = { config: 'default', version: 1, strategy }
  const answer = await admin.inject({ method: 'POST', url: '/api/v1/rollouts?dryRun=1', payload })
  expect(answer.statusCode, answer.body).toBe(200)
  return { plan: answer.json<RolloutPlan>(), bytes: answer.rawPayload.length }
}

const pagesUrl = (digest: string, query = '') => `/api/v1/rollouts/plans/${digest}/nodes${query}`

const cellsUrl = (digest: string, query = '') => `/api/v1/rollouts/plans/${digest}/cells${query}`

test('says of ten thousand nodes how many, and has each in a page', async () => {
  const service = await largeFarm()
  const { plan, bytes } = await planOf(service)
  expect(bytes).toBeLessThan(MOST_BYTES)
  expect(plan).toMatchObject({
    ...{ changingNodes: NODES - 4, cordonedNodes: 4, awayNodes: NODES - 4, waves: 2 },
    waveNodes: [10, NODES - 14],
    nodes: { total: NODES },
    kinds: { total: 1, items: [{ nodes: NODES }] },
    fromVersions: { total: 1, items: [{ version: null, nodes: NODES }] },
    driftedNodes: { total: 0, items: [] },
  })
  expect(plan.wavePlans).toEqual([
    {
      ...{ nodes: 10, kinds: 1, requestsPerSecond: 0, unmeasuredNodes: 10 },
      failureDomains: { total: 1, items: [null] },
    },
    expect.objectContaining({ nodes: NODES - 14, kinds: 1 }),
  ])
  expect(plan).toMatchObject({ changingKinds: 1, mostAtOnce: { nodes: 40, requestsPerSecond: 0 } })
  const drawn = await service.admin.inject({ url: cellsUrl(plan.planDigest, '?namesFrom=8000') })
  expect(drawn.rawPayload.length).toBeLessThan(MOST_BYTES + 2000 * 60)
  expect(drawn.json().cells).toBe('a'.repeat(NODES - 4))
  expect(drawn.json()).toMatchObject({ standings: ['away'], waves: [10, NODES - 14] })
  expect(drawn.json().names).toHaveLength(NODES - 4 - 8000)
  expect(plan.nodes.items).toHaveLength(50)
  const rows: PlannedRow[] = []
  for (let cursor = ''; ; ) {
    const answer = await service.admin.inject({
      url: pagesUrl(plan.planDigest, `?limit=500${cursor && `&cursor=${cursor}`}`),
    })
    expect(answer.rawPayload.length).toBeLessThan(MOST_BYTES)
    const { items, nextCursor, total } = answer.json()
    expect(total).toBe(NODES)
    rows.push(...items)
    if (nextCursor === null) break
    cursor = nextCursor
  }
  expect(new Set(rows.map((row) => row.nodeId)).size).toBe(NODES)
  expect(rows.slice(0, 50)).toEqual(plan.nodes.items)
  // Who is skipped is none of a wave's.
  expect(rows.slice(-4).map(({ cordon }) => cordon?.by)).toEqual(Array(4).fill('ana'))
  const waves = rows.slice(0, -4).map(({ wave }) => wave)
  expect(waves).toEqual(waves.toSorted((a, b) => a - b))
})

test('is remembered for who asked for it, and while others have not taken its place', async () => {
  const service = await largeFarm(600)
  const { plan } = await planOf(service)
  const asked = async (digest: string, who = service.admin) => {
    const answer = await who.inject({ url: pagesUrl(digest, '?limit=1') })
    return [answer.statusCode, answer.json().code ?? answer.json().items[0].nodeName]
  }
  const [first] = plan.nodes.items
  expect(await asked(plan.planDigest)).toEqual([200, first?.nodeName])
  expect(await asked(plan.planDigest, await service.as('operator'))).toEqual([404, 'plan_gone'])
  expect(await asked(`sha256:${'0'.repeat(64)}`)).toEqual([404, 'plan_gone'])
})

test('that nobody could start says each thing that is wrong once, with the first of its nodes', async () => {
  const service = await largeFarm(600)
  const { db } = service.services
  const merge_patch = JSON.stringify({ workers: 100_000, maxConnections: -1 })
  await db.updateTable('nodes').set({ merge_patch }).where('id', '>', nodeId(100)).execute()
  const { plan, bytes } = await planOf(service)
  expect(bytes).toBeLessThan(MOST_BYTES)
  expect(plan.textErrors.nodes).toBe(500)
  for (const { nodes } of plan.textErrors.findings.items) {
    expect(nodes.total).toBe(500)
    expect(nodes.items).toHaveLength(10)
  }
})

test('gives others a turn every few hundred nodes', async () => {
  const service = await largeFarm(4_000)
  await planOf(service)
  let turns = 0
  let isOver = false
  const count = async () => {
    while (!isOver) {
      await setImmediate()
      turns++
    }
  }
  const counting = count()
  await planOf(service)
  isOver = true
  await counting
  // The farm is read, sorted into groups, rendered, measured, digested and viewed, each in parts of at most 1,000.
  expect(turns).toBeGreaterThan((6 * 4_000) / 1_000)
})

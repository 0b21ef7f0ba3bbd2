// SPDX-License-Identifier: MIT
// Requests by site: whose a node counted, for whom they are shown, and through which versions.
import { expect, it } from 'vitest'
import type { SiteCounts } from '../../../src/agent-protocol/messages.gen.ts'
import type { Site, SiteSummary, SiteTraffic } from '../../../src/features/sites/schema.ts'
import { type Client, withToken } from '../../helper.ts'
import { personWith } from '../../person.ts'
import type { SimulatedNode } from '../../simulated-node.ts'
import { type Farm, farm, order, reaches, saveVersion } from '../rollouts/farm.ts'

const textOf = (...hosts: string[]) =>
  JSON.stringify({
    listen: [{ address: '127.0.0.1', port: 8080 }],
    sites: hosts.map((host) => ({ hosts: [host], root: '/srv' })),
  })

/** Its clock can be put forward. */
async function serving(names: string[], ...versions: string[]) {
  const clock = { aheadMs: 0 }
  const service = await farm(names, { now: () => Date.now() + clock.aheadMs })
  for (const [i, version] of versions.entries()) await saveVersion(service.admin, version, i + 1)
  return { service, clock }
}

async function rollOut(service: Farm, version: number): Promise<void> {
  const { id } = (await order(service.admin, { version, selector: '' })).json()
  await reaches(service, id, 'succeeded')
}

/** A window of five seconds that ends now. */
const tell = (node: SimulatedNode, counts: SiteCounts['counts'], of = node.effective) =>
  node.report([
    {
      ...{ generation: of?.generation ?? 0, counters: {}, stages: {} },
      sites: { digest: of?.digest ?? '', counts },
    },
  ])

const trafficOf = async (client: Client, host: string, query = '') => {
  const url = `/api/v1/sites/default/${host}/traffic${query}`
  const answer = await client.inject({ url })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<SiteTraffic>()
}
const listed = async (client: Client) =>
  (await client.inject({ url: '/api/v1/sites' })).json<{ items: SiteSummary[] }>().items
const sum = (column: readonly (number | null)[] = []) =>
  column.reduce<number>((all, one) => all + (one ?? 0), 0)
const ok = async (client: Client, host: string) =>
  (await trafficOf(client, host)).versions?.map(({ version, responses2xx }) => [
    version,
    sum(responses2xx),
  ])

it('is of the site at its place in each version that nodes ran, of all of them together', async () => {
  const { service, clock } = await serving(
    ['edge-1', 'edge-2'],
    textOf('shop.example', 'docs.example'),
    textOf('docs.example', 'new.example', 'shop.example'),
  )
  const { admin, nodes } = service
  await rollOut(service, 2)
  const before = nodes.map(({ effective }) => effective)
  for (const node of nodes) {
    await tell(node, [
      [0, 20, 3, 4, 1, 2, 1, 5000, 600_000],
      [1, 100, 0, 0, 0, 0, 0, 1, 1],
    ])
  }
  await rollOut(service, 3)
  const [first, second] = nodes as [SimulatedNode, SimulatedNode]
  await tell(first, [[2, 7, 0, 0, 0, 0, 0, 1, 1]])
  // What began before it changed its config ends under the one before.
  await tell(second, [[0, 1, 0, 0, 0, 0, 0, 1, 1]], before[1])
  expect(await ok(admin, 'shop.example')).toEqual([
    [3, 7],
    [2, 41],
  ])
  expect(await ok(admin, 'docs.example')).toEqual([
    [3, 0],
    [2, 200],
  ])
  expect(await ok(admin, 'new.example')).toEqual([[3, 0]])
  const [, older] = (await trafficOf(admin, 'shop.example')).versions ?? []
  expect({
    ...{ moved: sum(older?.responses3xx), missing: sum(older?.responses404) },
    ...{ refused: sum(older?.responsesOther4xx), failed: sum(older?.responses5xx) },
    ...{ aborted: sum(older?.aborted), bytes: sum(older?.bytesSent) },
  }).toEqual({ moved: 6, missing: 8, refused: 2, failed: 4, aborted: 2, bytes: 10_001 })
  expect(sum(older?.totalSeconds)).toBeCloseTo(1.2, 3)
  clock.aheadMs += 90_000
  const rates = (await listed(admin)).map(({ host, traffic }) => [
    host,
    Math.round((traffic?.requestsPerSecond ?? -1) * 300),
  ])
  // Of the versions that nodes run.
  expect(rates).toEqual([
    ['docs.example', 0],
    ['new.example', 0],
    ['shop.example', 7],
  ])
  clock.aheadMs += 20 * 60_000
  expect((await listed(admin)).map(({ traffic }) => traffic)).toEqual([null, null, null])
  expect(await ok(admin, 'shop.example')).toEqual([])
  const from = new Date(Date.now() + clock.aheadMs - 3_600_000).toISOString()
  const { versions } = await trafficOf(admin, 'shop.example', `?from=${from}`)
  expect(versions).toHaveLength(2)
})

it('leaves out a text that somebody left on the node, an override with sites, and a generation nobody gave', async () => {
  const { service } = await serving(['edge-1'], textOf('shop.example'))
  const { admin, nodes } = service
  await rollOut(service, 2)
  const [node] = nodes as [SimulatedNode]
  const { effective } = node
  if (!effective) throw new Error('it runs nothing')
  const counts = [[0, 5, 0, 0, 0, 0, 0, 1, 1]]
  await tell(node, counts, { ...effective, digest: `sha256:${'0'.repeat(64)}` })
  await tell(node, counts, { ...effective, generation: 99 })
  expect(await ok(admin, 'shop.example')).toEqual([])
  const url = `/api/v1/nodes/${node.id}/override`
  const { etag = '' } = (await admin.inject({ url })).headers
  const mergePatch = { sites: [{ hosts: ['other.example'], root: '/srv/other' }] }
  const put = await admin.inject({
    ...{ method: 'PUT', url, headers: { 'if-match': etag }, payload: { mergePatch } },
  })
  expect(put.statusCode, put.body).toBe(200)
  await tell(node, counts)
  expect(await ok(admin, 'shop.example')).toEqual([])
})

it('says so of a site that is counted together with others', async () => {
  const hosts = Array.from({ length: 258 }, (_, i) => `s${i}.example`)
  const { service, clock } = await serving(['edge-1'], textOf(...hosts))
  const { admin, nodes } = service
  await rollOut(service, 2)
  await tell(nodes[0] as SimulatedNode, [
    [255, 5, 0, 0, 0, 0, 0, 1, 1],
    [256, 9, 0, 0, 0, 0, 0, 1, 1],
  ])
  expect(await ok(admin, 's255.example')).toEqual([[2, 5]])
  const { versions } = await trafficOf(admin, 's256.example')
  expect(versions).toMatchObject([{ version: 2, isCountedAlone: false }])
  expect(sum(versions?.[0]?.responses2xx)).toBe(0)
  clock.aheadMs += 90_000
  const url = '/api/v1/sites?q=s25'
  const { items } = (await admin.inject({ url })).json<{ items: SiteSummary[] }>()
  const of = (host: string) => items.find((one) => one.host === host)?.traffic
  expect(of('s255.example')?.requestsPerSecond).toBeCloseTo(5 / 300)
  expect(of('s256.example')).toBeNull()
})

it('is for who may read measurements of the whole farm; of a node its newest report says it', async () => {
  const { service, clock } = await serving(['edge-1', 'edge-2'], textOf('shop.example'))
  const { admin, nodes } = service
  await rollOut(service, 2)
  await tell(nodes[0] as SimulatedNode, [[0, 5, 0, 0, 5, 0, 0, 1, 1]])
  const url = '/api/v1/sites/default/shop.example'
  const rates = async (client: Client) =>
    (await client.inject({ url }))
      .json<Site>()
      .serving?.items.map(({ requestsPerSecond }) => requestsPerSecond)
  expect(await rates(admin)).toEqual([2, null])
  const scoped = await personWith(service, ['viewer'], 'zone=eu')
  expect((await trafficOf(admin, 'shop.example')).versions).toHaveLength(1)
  expect((await trafficOf(scoped, 'shop.example')).versions).toBeNull()
  const program = await withToken(service, admin, { permissions: ['configs:read', 'nodes:read'] })
  expect((await program.inject({ url: `${url}/traffic` })).statusCode).toBe(403)
  expect(await rates(program)).toEqual([null, null])
  clock.aheadMs += 90_000
  const of = async (client: Client) => (await listed(client))[0]?.traffic
  expect(await of(admin)).toMatchObject({ bytesPerSecond: 1 / 300, serverErrorsPerSecond: 0 })
  expect(await of(scoped)).toBeNull()
  expect(await of(program)).toBeNull()
  // It is silent now.
  expect(await rates(admin)).toEqual([null, null])
  const nowhere = await admin.inject({ url: '/api/v1/sites/default/nowhere.example/traffic' })
  expect(nowhere.json().code).toBe('site_not_found')
  const empty = await admin.inject({
    url: `${url}/traffic?to=2000-01-01T00:00:00.000Z&from=2001-01-01T00:00:00.000Z`,
  })
  expect(empty.json().code).toBe('empty_range')
})

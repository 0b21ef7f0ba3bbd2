// SPDX-License-Identifier: MIT
// Sites as people see them: whose they are, who serves them, and what changed them.
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Site, SiteSummary } from '../../../src/features/sites/schema.ts'
import { makeChain } from '../../certificates/make.ts'
import { build, type Client, tempDir, withToken } from '../../helper.ts'
import { personWith } from '../../person.ts'
import { isOnPostgres } from '../../postgres.ts'
import { type Farm, farm, order, reaches, saveVersion } from '../rollouts/farm.ts'

type Wish = { hosts: string[]; root?: string; more?: string }
const site = ({ hosts, root = '/srv/www', more = '' }: Wish) =>
  `    { "hosts": ${JSON.stringify(hosts)}, "root": "${root}"${more} }`
const textOf = (...sites: Wish[]) => `{
  "listen": [{ "address": "127.0.0.1", "port": 8080 }],
  // what is served
  "sites": [
${sites.map(site).join(',\n')}
  ]
}
`
const SHOP = { hosts: ['Shop.example', 'www.shop.example'] }
const DOCS = { hosts: ['docs.example'] }

const list = async (client: Client, query = '') => {
  const answer = await client.inject({ url: `/api/v1/sites${query}` })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ items: SiteSummary[]; nextCursor: string | null; unread: number }>()
}
const ask = (client: Client, host: string, config = 'default') =>
  client.inject({ url: `/api/v1/sites/${config}/${encodeURIComponent(host)}` })
const read = async (client: Client, host: string): Promise<Site> => (await ask(client, host)).json()
const hostsOf = ({ items }: { items: SiteSummary[] }) => items.map(({ host }) => host)

/** Version 1 is of the farm itself, for "*"; so its sites begin with version 2. */
async function serving(names: string[], ...versions: string[]): Promise<Farm> {
  const service = await farm(names)
  for (const [i, version] of versions.entries()) await saveVersion(service.admin, version, i + 1)
  return service
}

async function rollOut(service: Farm, version: number, selector = ''): Promise<void> {
  const { id } = (await order(service.admin, { version, selector })).json()
  await reaches(service, id, 'succeeded')
}

/** Of a service that goes on. */
async function copyOf({ services }: Farm): Promise<string> {
  const dataDir = tempDir()
  await sql`vacuum into ${join(dataDir, 'control.db')}`.execute(services.db)
  return dataDir
}

async function labelled(service: Farm, at: number, labels: Record<string, string>) {
  const { admin, nodes } = service
  const url = `/api/v1/nodes/${nodes[at]?.id}`
  const { etag = '' } = (await admin.inject({ url })).headers
  const headers = { 'if-match': etag }
  const answer = await admin.inject({ method: 'PATCH', url, headers, payload: { labels } })
  expect(answer.statusCode, answer.body).toBe(200)
}

describe('GET /sites', () => {
  it('has the sites of every config’s newest version by host, in pages, and finds by host or config', async () => {
    const service = await serving(['edge-1'], textOf(SHOP, DOCS))
    const payload = {
      text: textOf(DOCS, { hosts: ['*.blog.example'] }),
      parent: null,
      message: 'm',
    }
    const url = '/api/v1/configs/blogs/versions'
    expect((await service.admin.inject({ method: 'POST', url, payload })).statusCode).toBe(201)
    const { admin } = service
    const whole = await list(admin)
    expect(whole.items.map(({ host, config }) => [host, config])).toEqual([
      ['*.blog.example', 'blogs'],
      ['docs.example', 'blogs'],
      ['docs.example', 'default'],
      ['shop.example', 'default'],
    ])
    expect(whole.items[3]).toMatchObject({
      ...{ version: 2, newestVersion: 2, root: '/srv/www', nodes: 0, certificates: [] },
      hosts: { total: 2, items: ['shop.example', 'www.shop.example'] },
    })
    const first = await list(admin, '?limit=3')
    expect(hostsOf(first)).toHaveLength(3)
    expect(hostsOf(await list(admin, `?limit=3&cursor=${first.nextCursor}`))).toEqual([
      'shop.example',
    ])
    expect(hostsOf(await list(admin, '?q=WWW.shop'))).toEqual(['shop.example'])
    expect(hostsOf(await list(admin, '?q=blogs'))).toEqual(['*.blog.example', 'docs.example'])
    expect(hostsOf(await list(admin, '?config=default&q=docs'))).toEqual(['docs.example'])
  })

  it('follows the versions that nodes run, and keeps what is removed while one still serves it', async () => {
    const service = await serving(['edge-1', 'edge-2'], textOf(SHOP, DOCS), textOf(SHOP))
    await rollOut(service, 2)
    const { admin } = service
    expect((await list(admin)).items).toMatchObject([
      { host: 'docs.example', version: 2, newestVersion: 3, nodes: 2 },
      { host: 'shop.example', version: 3, newestVersion: 3, nodes: 2 },
    ])
    await rollOut(service, 3)
    expect(hostsOf(await list(admin))).toEqual(['shop.example'])
    expect((await ask(admin, 'docs.example')).json().code).toBe('site_not_found')
  })

  it('keeps a host that the newest version took from its site while a node answers for it', async () => {
    const both = { hosts: ['old.example', 'new.example', 'also.example'] }
    const service = await serving(
      ['edge-1'],
      textOf(both),
      textOf({ hosts: ['new.example'], root: '/srv/new' }),
    )
    await rollOut(service, 2)
    const { admin } = service
    expect((await list(admin)).items).toMatchObject([
      { host: 'new.example', version: 3, nodes: 1, hosts: { total: 1 } },
      {
        ...{ host: 'old.example', version: 2, newestVersion: 3, nodes: 1, root: '/srv/www' },
        hosts: { items: ['old.example', 'also.example'] },
      },
    ])
    expect(hostsOf(await list(admin, '?q=also'))).toEqual(['old.example'])
    expect(hostsOf(await list(admin, '?config=default&q=old'))).toEqual(['old.example'])
    const first = await list(admin, '?limit=1')
    expect(hostsOf(await list(admin, `?cursor=${first.nextCursor}`))).toEqual(['old.example'])
    const old = await read(admin, 'also.example')
    expect(old).toMatchObject({
      ...{ host: 'old.example', version: 2, newestVersion: 3 },
      versions: [{ version: 2, nodes: 1 }],
      serving: { items: [{ nodeName: 'edge-1', version: 2 }] },
    })
    expect(old.part.text).toContain('also.example')
    expect(old.changes[0]).toMatchObject({ version: 3, what: 'removed' })
    expect(await read(admin, 'new.example')).toMatchObject({ version: 3, nodes: 1 })
    await rollOut(service, 3)
    expect(hostsOf(await list(admin))).toEqual(['new.example'])
    expect((await ask(admin, 'also.example')).statusCode).toBe(404)
  })

  it.skipIf(isOnPostgres)(
    'has what was saved before there was a table of sites, and what nodes went back to',
    async () => {
      const service = await serving(['edge-1'], textOf(SHOP, DOCS), textOf(SHOP))
      const { admin, services } = service
      await rollOut(service, 2)
      await services.db.deleteFrom('sites_read').execute()
      // Its own texts are read at once, whoever asks.
      expect((await ask(admin, 'docs.example')).statusCode).toBe(200)
      await services.db.deleteFrom('sites_read').execute()
      const again = await build({ config: { dataDir: await copyOf(service) } })
      await expect.poll(async () => (await list(again.admin)).unread).toBe(0)
      expect((await list(again.admin)).items).toMatchObject([
        { host: 'docs.example', version: 2, newestVersion: 3 },
        { host: 'shop.example', version: 3 },
      ])
    },
  )

  it('counts nodes of the caller’s scope, and none whose override has other sites', async () => {
    const service = await serving(['edge-1', 'edge-2', 'edge-3'], textOf(SHOP))
    await rollOut(service, 2)
    await labelled(service, 0, { zone: 'eu' })
    const { admin, nodes } = service
    const scoped = await personWith(service, ['viewer'], 'zone=eu')
    expect((await list(scoped)).items).toMatchObject([{ host: 'shop.example', nodes: 1 }])
    const own = await read(scoped, 'shop.example')
    expect(own.serving?.items.map(({ nodeName }) => nodeName)).toEqual(['edge-1'])
    const url = `/api/v1/nodes/${nodes[1]?.id}/override`
    const { etag = '' } = (await admin.inject({ url })).headers
    const mergePatch = { sites: [{ hosts: ['other.example'], root: '/srv/other' }] }
    const put = await admin.inject({
      ...{ method: 'PUT', url, headers: { 'if-match': etag }, payload: { mergePatch } },
    })
    expect(put.statusCode, put.body).toBe(200)
    expect(await read(admin, 'shop.example')).toMatchObject({ nodes: 2, nodesWithOwnSites: 1 })
  })

  it('is for who may read configs; what is of nodes and certificates needs their permission besides', async () => {
    const service = await serving(['edge-1'], textOf(SHOP))
    await rollOut(service, 2)
    expect((await ask(service.anonymous, 'shop.example')).statusCode).toBe(401)
    const stranger = await withToken(service, service.admin, { permissions: ['nodes:read'] })
    expect((await ask(stranger, 'shop.example')).statusCode).toBe(403)
    const program = await withToken(service, service.admin, { permissions: ['configs:read'] })
    expect(await read(program, 'shop.example')).toMatchObject({
      ...{ nodes: 1, serving: null, shown: null },
    })
  })
})

describe('GET /sites/{config}/{host}', () => {
  it('shows its part of the text where it stands, by any of its hosts', async () => {
    const service = await serving(['edge-1'], textOf(DOCS, SHOP))
    const found = await read(service.admin, 'WWW.shop.example')
    expect(found).toMatchObject({ host: 'shop.example', sitesOfConfig: 2 })
    expect(found.part).toEqual({
      ...{ pointer: '/sites/1', line: 6, endLine: 6, isCut: false },
      text: site(SHOP).trim(),
    })
    expect((await ask(service.admin, 'nowhere.example')).statusCode).toBe(404)
    expect((await ask(service.admin, 'ä'.repeat(255))).statusCode).toBe(404)
    expect((await ask(service.admin, 'shop.example', 'nosuch')).statusCode).toBe(404)
  })

  it('names the nodes that serve it with their versions', async () => {
    const service = await serving(['edge-1', 'edge-2'], textOf(SHOP), textOf(DOCS, SHOP))
    await labelled(service, 0, { canary: '1' })
    await rollOut(service, 2)
    await rollOut(service, 3, 'canary')
    const { serving: who, versions } = await read(service.admin, 'shop.example')
    expect(versions).toEqual([
      { version: 3, nodes: 1 },
      { version: 2, nodes: 1 },
    ])
    expect(who).toMatchObject({
      total: 2,
      items: [
        { nodeName: 'edge-1', version: 3, state: 'in-sync' },
        { nodeName: 'edge-2', version: 2 },
      ],
    })
  })

  it('says which versions changed it and by whom, back to where it was added', async () => {
    const changed = { ...SHOP, root: '/srv/shop' }
    const service = await serving(
      ['edge-1'],
      textOf(SHOP),
      // Another site, another place, another way to write it: none of its own.
      textOf(DOCS, SHOP).replaceAll('  ', '    '),
      textOf(DOCS, changed),
      textOf({ ...DOCS, root: '/srv/docs' }, changed),
    )
    const { changes, changesLookedBackTo } = await read(service.admin, 'shop.example')
    expect(changes).toMatchObject([
      { version: 4, what: 'changed', author: 'test-admin', message: 'test' },
      { version: 2, what: 'added' },
    ])
    expect(changesLookedBackTo).toBeNull()
    // What is remembered of one newest version is not said of the next.
    expect((await read(service.admin, 'shop.example')).changes).toEqual(changes)
    await saveVersion(service.admin, textOf(SHOP), 5)
    const [last, ...others] = (await read(service.admin, 'shop.example')).changes
    expect(last).toMatchObject({ version: 6, what: 'changed' })
    expect(others).toEqual(changes)
  })

  it('knows the certificates that it names, and who may not read those sees their names alone', async () => {
    const { chain, key } = await makeChain(['shop.example'])
    const more = ', "certificates": [{ "name": "shop" }]'
    const service = await farm(['edge-1'])
    const payload = { name: 'shop', chain, key }
    const made = await service.admin.inject({
      method: 'POST',
      url: '/api/v1/certificates',
      payload,
    })
    expect(made.statusCode, made.body).toBe(201)
    await saveVersion(service.admin, textOf({ hosts: ['shop.example'], more }), 1)
    const shown = (await read(service.admin, 'shop.example')).certificates
    expect(shown).toMatchObject([{ name: 'shop', state: 'good' }])
    expect(shown[0]?.notAfter).toMatch(/^20/)
    expect((await list(service.admin)).items[0]?.certificates).toEqual(shown)
    const program = await withToken(service, service.admin, { permissions: ['configs:read'] })
    expect((await read(program, 'shop.example')).certificates).toEqual([
      { name: 'shop', notAfter: null, state: null },
    ])
  })
})

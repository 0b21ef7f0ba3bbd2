// SPDX-License-Identifier: MIT
// What all lists have in common. What they ask the database: test/db/list-plans/.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { enrolNode } from '../agents/node-client.ts'
import { type Built, build } from '../helper.ts'

const LISTS = [
  ...['nodes', 'groups', 'configs', 'rollouts', 'enrolment-tokens', 'tokens', 'users'],
  ...['audit', 'webhooks', 'backups', 'certificates'],
]

const names = async ({ admin }: Built, query: string) => {
  const response = await admin.inject({ url: `/api/v1/nodes?${query}` })
  return response.json().items.map(({ name }: { name: string }) => name)
}

describe('every list', () => {
  test('refuses a cursor that is not its own, and says so', async () => {
    const { admin } = await build()
    const others = Buffer.from('["others","x"]', 'utf8').toString('base64url')
    for (const list of LISTS) {
      for (const cursor of ['x', others]) {
        const response = await admin.inject({ url: `/api/v1/${list}?cursor=${cursor}` })
        expect(response.json(), list).toMatchObject({ status: 400, code: 'invalid_cursor' })
      }
    }
  })

  test('has a limit', async () => {
    const { admin } = await build()
    for (const list of LISTS) {
      const response = await admin.inject({ url: `/api/v1/${list}?limit=501` })
      expect(response.json(), list).toMatchObject({ status: 400, code: 'invalid_request' })
    }
  })
})

describe('GET /nodes', () => {
  test('finds nodes by name, by a part of it, and by whether they are there', async () => {
    const service = await build()
    const [first] = [await enrolNode(service), await enrolNode(service)]
    await first?.hello()
    expect(await names(service, 'name=edge-1-2')).toEqual(['edge-1-2'])
    expect(await names(service, 'name=edge')).toEqual([])
    expect(await names(service, 'q=DGE-1')).toEqual(['edge-1', 'edge-1-2'])
    expect(await names(service, 'q=1-2')).toEqual(['edge-1-2'])
    expect(await names(service, 'connected=true')).toEqual(['edge-1'])
    expect(await names(service, 'connected=false')).toEqual(['edge-1-2'])
  })

  test('finds nodes by their labels page by page, however far apart they are', async () => {
    const service = await build()
    const nameOf = (i: number) => `n${String(i).padStart(4, '0')}`
    await service.services.write(async ({ trx }) => {
      for (let i = 0; i < 1200; i++) {
        const labels = JSON.stringify({ zone: i % 600 === 599 ? 'rare' : 'common' })
        await sql`insert into nodes (id, name, labels, merge_patch, revision, enrolled_at_ms,
          hostname, version, os, arch, capabilities, max_epoch, max_generation)
          values (${`node_${nameOf(i)}`}, ${nameOf(i)}, ${labels}, '{}', 1, 0,
          '', '', '', '', '[]', 0, 0)`.execute(trx)
      }
    })
    const pages = async (query: string) => {
      const found: string[][] = []
      for (let cursor = ''; ; ) {
        const url = `/api/v1/nodes?${query}${cursor && `&cursor=${cursor}`}`
        const { items, nextCursor } = (await service.admin.inject({ url })).json()
        found.push(items.map(({ name }: { name: string }) => name))
        if (nextCursor === null) return found
        cursor = nextCursor
      }
    }
    expect(await pages('limit=1&selector=zone%3Drare')).toEqual([['n0599'], ['n1199']])
    const common = Array.from({ length: 1200 }, (_, i) => i).filter((i) => i % 600 !== 599)
    const commonPages = await pages('limit=500&group=default&selector=zone%3Dcommon')
    expect(commonPages.flat()).toEqual(common.map(nameOf))
    expect(commonPages.map(({ length }) => length)).toEqual([500, 500, 198])
    expect(await pages('q=n11&selector=zone%3Drare')).toEqual([['n1199']])
    expect(await pages('selector=!zone')).toEqual([[]])
    expect(await pages('limit=1&selector=zone%3Dcommon%2Czone%3Drare')).toEqual([[]])
    const relabel = sql`update nodes set labels = '{"zone":"new","tier":"a"}' where name = 'n0599'`
    await relabel.execute(service.services.db)
    expect(await pages('selector=zone%3Drare')).toEqual([['n1199']])
    expect(await pages('selector=tier%20in%20(a,b)')).toEqual([['n0599']])
  })
})

describe('GET /enrolment-tokens', () => {
  test('finds those a node can still enrol with', async () => {
    let now = Date.now()
    const service = await build({ now: () => now })
    const make = async (expiresInSeconds: number) => {
      const url = '/api/v1/enrolment-tokens'
      const response = await service.admin.inject({
        method: 'POST',
        url,
        payload: { expiresInSeconds },
      })
      return response.json().id as string
    }
    const short = await make(60)
    const long = await make(3600)
    now += 61_000
    const ids = async (usable: boolean) => {
      const url = `/api/v1/enrolment-tokens?usable=${usable}`
      const response = await service.admin.inject({ url })
      return response.json().items.map(({ id }: { id: string }) => id)
    }
    expect(await ids(true)).toEqual([long])
    expect(await ids(false)).toEqual([short])
  })
})

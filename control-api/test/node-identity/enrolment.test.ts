// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { enrolNode, example, makeToken, post } from '../agents/node-client.ts'
import { build, shared } from '../helper.ts'

/** Whoever needs the first node of a farm, a clock or a limit has one of its own. */
const sharedService = shared()

const request = (token: string, changes: object = {}) => ({
  ...example('enrol.request'),
  token,
  ...changes,
})

describe('POST /agent/v1/enrol', () => {
  test('says which member is wrong', async () => {
    const service = sharedService()
    const { hostname: _, ...incomplete } = request('fst_0123456789abcdef') as Record<
      string,
      unknown
    >
    const response = await post(service, 'enrol', incomplete)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      code: 'invalid_message',
      detail: 'body/hostname: is missing: add it',
    })
  })

  test('ignores members it does not know: they come from a newer node', async () => {
    const service = sharedService()
    const { secret } = await makeToken(service)
    const response = await post(service, 'enrol', request(secret, { favouriteColour: 'teal' }))
    expect(response.statusCode).toBe(200)
  })

  test('refuses an unknown token', async () => {
    const service = sharedService()
    const response = await post(service, 'enrol', request('fst_0123456789abcdef'))
    expect(response.statusCode).toBe(403)
    expect(response.json()).toMatchObject({ code: 'token_invalid' })
  })

  test('refuses a token past its time', async () => {
    let now = Date.now()
    const service = await build({ now: () => now })
    const { secret } = await makeToken(service, { expiresInSeconds: 60 })
    now += 60_000
    const response = await post(service, 'enrol', request(secret))
    expect(response.json()).toMatchObject({ status: 403, code: 'token_expired' })
  })

  test('takes a token as often as it was made for, also when all come at once', async () => {
    const service = sharedService()
    const { secret } = await makeToken(service, { maxUses: 2 })
    const all = await Promise.all([1, 2, 3, 4].map(() => post(service, 'enrol', request(secret))))
    expect(all.filter((response) => response.statusCode === 200)).toHaveLength(2)
    for (const refused of all.filter((response) => response.statusCode !== 200)) {
      expect(refused.json()).toMatchObject({ status: 403, code: 'token_used' })
    }
  })

  test('is told with its token: who joined by it, the last first', async () => {
    let now = Date.now()
    const service = await build({ now: () => now })
    const { id, secret } = await makeToken(service, { maxUses: 3 })
    await enrolNode(service)
    const shown = async () =>
      (await service.admin.inject({ url: `/api/v1/enrolment-tokens/${id}` })).json()
    expect(await shown()).toMatchObject({ uses: 0, joined: { total: 0, items: [] } })
    for (const name of ['a', 'b']) {
      now += 1000
      await post(service, 'enrol', request(secret, { name }))
    }
    const { uses, joined, ...rest } = await shown()
    expect([uses, joined.total]).toEqual([2, 2])
    expect(joined.items.map(({ nodeName }: { nodeName: string }) => nodeName)).toEqual(['b', 'a'])
    expect(JSON.stringify(rest)).not.toContain(secret)
  })

  test('refuses a deleted token; the node that used it stays', async () => {
    const service = await build()
    const { id, secret } = await makeToken(service, { maxUses: 5 })
    const enrolled = await post(service, 'enrol', request(secret))
    const url = `/api/v1/enrolment-tokens/${id}`
    expect((await service.admin.inject({ method: 'DELETE', url })).statusCode).toBe(204)
    expect((await service.admin.inject({ method: 'DELETE', url })).statusCode).toBe(404)
    expect((await post(service, 'enrol', request(secret))).json().code).toBe('token_invalid')
    const nodes = await service.admin.inject({ url: '/api/v1/nodes' })
    expect(nodes.json().items[0].id).toBe(enrolled.json().nodeId)
  })

  test('gives the wanted name, or the first free one like it', async () => {
    const service = await build()
    const names = []
    for (let i = 0; i < 3; i += 1) names.push((await enrolNode(service)).name)
    expect(names).toEqual(['edge-1', 'edge-1-2', 'edge-1-3'])
    const { secret } = await makeToken(service, { maxUses: 2 })
    const long = `${'a'.repeat(60)}.bc`
    await post(service, 'enrol', request(secret, { name: long }))
    const second = await post(service, 'enrol', request(secret, { name: long }))
    expect(second.json().name).toBe(`${'a'.repeat(60)}-2`)
  })

  test('takes labels and override from the token, and keeps no credential readable', async () => {
    const service = sharedService()
    const node = await enrolNode(service, {
      labels: { zone: 'north' },
      mergePatch: { listen: [{ port: 8101 }] },
    })
    expect((await node.show()).labels).toEqual({ zone: 'north' })
    const override = await service.admin.inject({ url: `/api/v1/nodes/${node.id}/override` })
    expect(override.json()).toEqual({ mergePatch: { listen: [{ port: 8101 }] } })
    const rows = await service.services.db.selectFrom('nodes').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(node.credential)
  })

  test('with a token for a known node gives it a new secret, and ends the old one', async () => {
    const service = sharedService()
    const node = await enrolNode(service, { labels: { zone: 'north' } })
    await node.hello()
    const { secret, command } = await makeToken(service, { nodeId: node.id })
    expect(command).toMatch(/--insecure-http --token \S+ --state \S+ --rejoin$/)
    const again = await post(service, 'enrol', request(secret, { name: 'another' }))
    expect(again.json()).toMatchObject({ nodeId: node.id, name: node.name })
    expect((await node.hello()).json()).toMatchObject({ code: 'unknown_credential' })
    const hello = { ...example('hello.request.first'), nodeId: node.id }
    const spoken = await post(service, 'hello', hello, again.json().credential)
    expect(spoken.statusCode).toBe(200)
    expect(await node.show()).toMatchObject({
      labels: { zone: 'north' },
      identity: { kind: 'credential', state: 'good', notAfter: null },
    })
    const twice = await post(service, 'enrol', request(secret))
    expect(twice.json()).toMatchObject({ code: 'token_used' })
  })

  test('made on plain HTTP is worth nothing once the listener speaks TLS', async () => {
    const plain = await build()
    const node = await enrolNode(plain)
    await plain.close()
    const service = await build({
      config: {
        dataDir: plain.config.dataDir,
        agentTransport: 'mtls',
        agentUrl: 'https://127.0.0.1:9701',
      },
    })
    const view = await service.admin.inject({ url: `/api/v1/nodes/${node.id}` })
    expect(view.json().identity).toMatchObject({ kind: 'credential', state: 'revoked' })
  })

  test('says who must be upgraded when no protocol is shared', async () => {
    const service = sharedService()
    const { secret } = await makeToken(service)
    const newer = await post(service, 'enrol', request(secret, { protocol: { min: 2, max: 3 } }))
    expect(newer.statusCode).toBe(426)
    expect(newer.json()).toMatchObject({ code: 'needs_upgrade' })
    expect(newer.json().detail).toMatch(/Upgrade the control plane/)
  })

  test('is slowed down for an address that asks too often', async () => {
    const service = await build()
    const statuses = new Set<number>()
    for (let i = 0; i < 61; i += 1) {
      statuses.add((await post(service, 'enrol', request('fst_0123456789abcdef'))).statusCode)
    }
    expect([...statuses].sort()).toEqual([403, 429])
  })
})

describe('GET /enrolment-tokens', () => {
  test('shows tokens newest first, page by page, never their secrets', async () => {
    const service = await build()
    const made = [await makeToken(service), await makeToken(service), await makeToken(service)]
    const first = await service.admin.inject({ url: '/api/v1/enrolment-tokens?limit=2' })
    expect(first.body).not.toContain('secret')
    const { items, nextCursor } = first.json()
    const rest = await service.admin.inject({
      url: `/api/v1/enrolment-tokens?cursor=${nextCursor}`,
    })
    const ids = [...items, ...rest.json().items].map((token: { id: string }) => token.id)
    expect(ids.sort()).toEqual(made.map((token) => token.id).sort())
    expect(rest.json().nextCursor).toBeNull()
  })

  test('is not for viewers', async () => {
    const { as } = sharedService()
    const viewer = await as('viewer')
    const response = await viewer.inject({ url: '/api/v1/enrolment-tokens' })
    expect(response.json()).toMatchObject({ status: 403, code: 'not_allowed' })
  })
})

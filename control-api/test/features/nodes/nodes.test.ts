// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { enrolNode } from '../../agents/node-client.ts'
import { build, shared } from '../../helper.ts'

/** For what is refused. */
const sharedService = shared()

const MISSING = '/api/v1/nodes/node_01jd4q6v2m8w3x5y7z9abcdefg'

describe('GET /nodes', () => {
  test('shows the nodes by name, page by page', async () => {
    const service = await build()
    for (let i = 0; i < 3; i += 1) await enrolNode(service)
    const viewer = await service.as('viewer')
    const first = await viewer.inject({ url: '/api/v1/nodes?limit=2' })
    const { items, nextCursor } = first.json()
    const rest = await viewer.inject({ url: `/api/v1/nodes?limit=2&cursor=${nextCursor}` })
    const names = [...items, ...rest.json().items].map((node: { name: string }) => node.name)
    expect(names).toEqual(['edge-1', 'edge-1-2', 'edge-1-3'])
    expect(rest.json().nextCursor).toBeNull()
  })

  test('says what a query may be', async () => {
    const { admin } = await build()
    const response = await admin.inject({ url: '/api/v1/nodes?limit=0' })
    expect(response.json()).toMatchObject({
      status: 400,
      detail: 'querystring/limit: must be >= 1',
    })
  })
})

describe('PATCH /nodes/{id}', () => {
  test('is for operators', async () => {
    const service = await build()
    const node = await enrolNode(service)
    const request = {
      method: 'PATCH' as const,
      url: `/api/v1/nodes/${node.id}`,
      payload: { name: 'edge-9' },
      headers: { 'if-match': '"1"' },
    }
    expect((await service.anonymous.inject(request)).statusCode).toBe(401)
    expect((await (await service.as('editor')).inject(request)).statusCode).toBe(403)
    expect((await (await service.as('operator')).inject(request)).statusCode).toBe(200)
  })

  test('needs the ETag of what is changed: 428 without, 412 with an old one', async () => {
    const service = await build()
    const node = await enrolNode(service)
    const url = `/api/v1/nodes/${node.id}`
    const patch = (payload: object, ifMatch?: string) =>
      service.admin.inject({ method: 'PATCH', url, payload, headers: { 'if-match': ifMatch } })
    const { etag } = (await service.admin.inject({ url })).headers
    expect((await patch({ labels: { zone: 'south' } })).json().code).toBe('precondition_required')
    const changed = await patch({ labels: { zone: 'south' } }, String(etag))
    expect(changed.json()).toMatchObject({ name: 'edge-1', labels: { zone: 'south' } })
    expect(changed.headers.etag).not.toBe(etag)
    const stale = await patch({ labels: {} }, String(etag))
    expect(stale.json()).toMatchObject({ status: 412, code: 'precondition_failed' })
    expect(stale.headers.etag).toBe(changed.headers.etag)
    expect((await patch({ name: 'west-1' }, String(stale.headers.etag))).json().name).toBe('west-1')
  })

  test('refuses what is no name, no change, or another node’s name', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await enrolNode(service)
    const patch = (payload: object) =>
      service.admin.inject({
        method: 'PATCH',
        url: `/api/v1/nodes/${node.id}`,
        payload,
        headers: { 'if-match': '"1"' },
      })
    expect((await patch({ name: 'Not A Name' })).statusCode).toBe(400)
    expect((await patch({})).statusCode).toBe(400)
    expect((await patch({ labels: { zone: 5 } })).statusCode).toBe(400)
    expect((await patch({ name: 'edge-1-2' })).json()).toMatchObject({
      status: 409,
      code: 'name_taken',
    })
    const missing = await service.admin.inject({
      method: 'PATCH',
      url: MISSING,
      payload: { name: 'x' },
      headers: { 'if-match': '"1"' },
    })
    expect(missing.json()).toMatchObject({ status: 404, code: 'node_not_found' })
  })
})

describe('PUT /nodes/{id}/override', () => {
  test('replaces the override under the node’s ETag', async () => {
    const service = await build()
    const node = await enrolNode(service)
    const url = `/api/v1/nodes/${node.id}/override`
    const before = await service.admin.inject({ url })
    expect(before.json()).toEqual({ mergePatch: {} })
    const put = (ifMatch?: string) =>
      service.admin.inject({
        method: 'PUT',
        url,
        payload: { mergePatch: { limits: { connections: 10, keepAliveRequests: null } } },
        headers: { 'if-match': ifMatch },
      })
    expect((await put()).statusCode).toBe(428)
    expect((await put(String(before.headers.etag))).statusCode).toBe(200)
    expect((await put(String(before.headers.etag))).statusCode).toBe(412)
    const after = await service.admin.inject({ url })
    expect(after.json()).toEqual({
      mergePatch: { limits: { connections: 10, keepAliveRequests: null } },
    })
  })
})

describe('an override', () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) })
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`k${i}`, 1]))
  test.each([
    ['more members than an override needs', { limits: many }],
    ['a long list', { listen: Array.from({ length: 201 }, () => 1) }],
    ['too much text', { note: 'x'.repeat(70_000) }],
    ['no end of levels', deep(33)],
  ])('is refused with %s, on a node and on a token', async (_name, mergePatch) => {
    const service = sharedService()
    const node = await enrolNode(service)
    const put = await service.admin.inject({
      method: 'PUT',
      url: `/api/v1/nodes/${node.id}/override`,
      payload: { mergePatch },
      headers: { 'if-match': '"1"' },
    })
    expect(put.json()).toMatchObject({ status: 422, code: 'override_too_large' })
    const token = await service.admin.inject({
      method: 'POST',
      url: '/api/v1/enrolment-tokens',
      payload: { mergePatch },
    })
    expect(token.json()).toMatchObject({ status: 422, code: 'override_too_large' })
  })
})

describe('DELETE /nodes/{id}', () => {
  test('frees the name and leaves the history', async () => {
    const service = await build()
    const node = await enrolNode(service)
    const request = { method: 'DELETE' as const, url: `/api/v1/nodes/${node.id}` }
    expect((await service.admin.inject(request)).statusCode).toBe(204)
    expect((await service.admin.inject(request)).statusCode).toBe(404)
    expect((await service.admin.inject({ url: '/api/v1/nodes' })).json().items).toEqual([])
    expect((await enrolNode(service)).name).toBe('edge-1')
    const events = await service.services.db.selectFrom('events').selectAll().execute()
    expect(events.find(({ action }) => action === 'decommissioned')).toMatchObject({
      object_id: node.id,
      actor: 'test-admin',
      data: '{"name":"edge-1"}',
    })
  })
})

describe('PUT and DELETE /nodes/{id}/cordon', () => {
  const put = (url: string, reason = 'new disk') => ({
    method: 'PUT' as const,
    url: `${url}/cordon`,
    payload: { reason },
  })

  test('are for operators, and for nodes there are', async () => {
    const service = await build()
    const url = `/api/v1/nodes/${(await enrolNode(service)).id}`
    const end = { method: 'DELETE' as const, url: `${url}/cordon` }
    for (const request of [put(url), end]) {
      expect((await service.anonymous.inject(request)).statusCode).toBe(401)
      expect((await (await service.as('editor')).inject(request)).statusCode).toBe(403)
      expect((await (await service.as('operator')).inject(request)).statusCode).toBe(204)
    }
    expect((await service.admin.inject(put(url, ' '))).statusCode).toBe(400)
    for (const request of [put(MISSING), { ...end, url: `${MISSING}/cordon` }]) {
      expect((await service.admin.inject(request)).json().code).toBe('node_not_found')
    }
  })

  test('say who, when and why, once however often they are asked', async () => {
    const nowMs = Date.UTC(2030, 0, 1)
    const service = await build({ now: () => nowMs })
    const { admin } = service
    const url = `/api/v1/nodes/${(await enrolNode(service)).id}`
    await enrolNode(service)
    const cordonOf = async () => (await admin.inject({ url })).json().cordon
    const { etag } = (await admin.inject({ url })).headers
    expect(await cordonOf()).toBeNull()
    await admin.inject(put(url))
    await (await service.as('operator')).inject(put(url))
    const at = new Date(nowMs).toISOString()
    expect(await cordonOf()).toEqual({ by: 'test-admin', at, reason: 'new disk' })
    await (await service.as('operator')).inject(put(url, 'a new machine'))
    expect(await cordonOf()).toEqual({ by: 'test-operator', at, reason: 'a new machine' })
    const node = await admin.inject({ url })
    expect(node.headers.etag).toBe(etag)
    expect(node.json().sync.reason).toContain('Cordoned by test-operator (a new machine)')

    const names = async (query: string) => {
      const { items } = (await admin.inject({ url: `/api/v1/nodes?${query}` })).json()
      return items.map(({ name }: { name: string }) => name)
    }
    expect(await names('cordoned=true')).toEqual(['edge-1'])
    expect(await names('cordoned=false')).toEqual(['edge-1-2'])
    for (let i = 0; i < 2; i++) await admin.inject({ method: 'DELETE', url: `${url}/cordon` })
    expect(await cordonOf()).toBeNull()
    const events = await service.services.db.selectFrom('events').selectAll().execute()
    const told = events.filter(({ action }) => action.endsWith('cordoned'))
    expect(told.map(({ action, actor }) => [action, actor])).toEqual([
      ['cordoned', 'test-admin'],
      ['cordoned', 'test-operator'],
      ['uncordoned', 'test-admin'],
    ])
    expect(JSON.parse(told[1]?.data ?? '')).toMatchObject({
      before: { cordon: { by: 'test-admin', reason: 'new disk' } },
      after: { cordon: { by: 'test-operator', reason: 'a new machine' } },
    })
  })
})

// SPDX-License-Identifier: MIT
import { describe, expect, onTestFinished, test } from 'vitest'
import { rolePermissions } from '../../../src/access/permissions.ts'
import { effectivePermissions, tokenIdOf } from '../../../src/features/tokens/rules.ts'
import type { Token } from '../../../src/features/tokens/schema.ts'
import { type Built, build, type Client, PASSWORD, shared, withToken } from '../../helper.ts'

const TOKENS = '/api/v1/tokens'
const NODES = '/api/v1/nodes'
const DAY_MS = 86_400_000

/** Nobody loses anything there, and its clock goes as clocks go. */
const sharedService = shared()
const wish = (more: object = {}) => ({
  method: 'POST' as const,
  url: TOKENS,
  payload: {
    name: 'backup job',
    permissions: null,
    expiresInDays: 30,
    password: PASSWORD,
    ...more,
  },
})
const list = async (who: Client, query = '') =>
  (await who.inject({ url: TOKENS + query })).json<{ items: Token[]; nextCursor: string | null }>()

/** Calls with whatever stands in the Authorization header. */
const call = (service: Built, authorization: string, url = NODES) =>
  service.app.inject({ url, headers: { authorization } })

describe('POST /tokens', () => {
  test('needs somebody, and a name, permissions that exist and a life of at most a year', async () => {
    const { anonymous, admin } = sharedService()
    expect((await anonymous.inject(wish())).statusCode).toBe(401)
    for (const wrong of [
      { name: '' },
      { name: ' padded ' },
      { permissions: [] },
      { permissions: ['nodes:fly'] },
      { permissions: ['session:own'] },
      { permissions: ['nodes:read', 'nodes:read'] },
      { expiresInDays: 0 },
      { expiresInDays: 366 },
      { surprise: true },
    ]) {
      const { statusCode } = await admin.inject(wish(wrong))
      expect(statusCode, JSON.stringify(wrong)).toBe(400)
    }
  })

  test('shows the secret once and keeps only a digest of it', async () => {
    const { admin, services } = sharedService()
    const made = (await admin.inject(wish())).json()
    expect(made.secret).toMatch(/^fsa_[0-9a-z]{26}_[\w-]{43}$/)
    expect(tokenIdOf(made.secret)).toBe(made.id)
    expect(made).toMatchObject({
      name: 'backup job',
      user: { username: 'test-admin' },
      permissions: null,
      madeWith: null,
      lastUsedAt: null,
      lastUsedFrom: null,
    })
    const rows = await services.db.selectFrom('api_tokens').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(made.secret.slice(-43))
    expect(JSON.stringify(await list(admin))).not.toContain(made.secret.slice(-43))
  })

  test('gives nobody more than they have', async () => {
    const service = sharedService()
    const viewer = await service.as('viewer')
    const refused = await viewer.inject(wish({ permissions: ['nodes:read', 'nodes:write'] }))
    expect(refused.statusCode).toBe(403)
    expect(refused.json()).toMatchObject({
      code: 'beyond_own_permissions',
      detail: expect.stringMatching(/not nodes:write\./),
    })
  })

  test('lets a user have many, not endlessly many; those long expired make room', async () => {
    let now = Date.now()
    const service = await build({ now: () => now })
    const editor = await service.as('editor')
    for (let i = 0; i < 50; i += 1) {
      expect((await editor.inject(wish({ expiresInDays: 1 }))).statusCode).toBe(201)
    }
    expect((await editor.inject(wish())).json()).toMatchObject({
      status: 409,
      code: 'too_many_tokens',
    })
    expect((await service.admin.inject(wish())).statusCode).toBe(201)
    now += 5 * DAY_MS
    const later = await service.as('editor')
    expect((await later.inject(wish())).statusCode).toBe(409)
    now += 30 * DAY_MS
    const muchLater = await service.as('editor')
    expect((await muchLater.inject(wish())).statusCode).toBe(201)
    expect((await list(muchLater)).items).toHaveLength(1)
  })
})

describe('a token', () => {
  test('needs no cookie and no Origin, and stands for its user in histories', async () => {
    const service = sharedService()
    const program = await withToken(service, service.admin)
    const made = await program.inject({
      method: 'POST',
      url: '/api/v1/enrolment-tokens',
      payload: {},
    })
    expect(made.statusCode).toBe(201)
    expect(made.json()).toMatchObject({ createdBy: 'test-admin' })
    expect(made.headers['set-cookie']).toBeUndefined()
  })

  test('does what it was given and no more, though its user may', async () => {
    const service = sharedService()
    const program = await withToken(service, service.admin, { permissions: ['nodes:read'] })
    expect((await program.inject({ url: NODES })).statusCode).toBe(200)
    const refused = await program.inject({ url: '/api/v1/configs' })
    expect(refused.statusCode).toBe(403)
    expect(refused.json().detail).toMatch(/"configs:read", which the token "test" does not carry/)
  })

  test('loses what its user loses', async () => {
    const service = await build()
    const editor = await service.as('editor')
    const program = await withToken(service, editor, { permissions: ['configs:write'] })
    const save = { method: 'PUT' as const, url: '/api/v1/configs/default/draft', payload: {} }
    expect((await program.inject(save)).statusCode).toBe(400)
    await setUser(service, 'test-editor', { roles: '["viewer"]' })
    expect((await program.inject(save)).statusCode).toBe(403)
    await setUser(service, 'test-editor', { password_change_required: 1 })
    expect((await program.inject(save)).json()).toMatchObject({ code: 'wrong_token' })
  })

  test('is gone with its user', async () => {
    const service = await build()
    const program = await withToken(service, await service.as('viewer'))
    const { db } = service.services
    await db.deleteFrom('users').where('username', '=', 'test-viewer').execute()
    expect((await program.inject({ url: NODES })).statusCode).toBe(401)
    expect(await db.selectFrom('api_tokens').selectAll().execute()).toEqual([])
  })

  test('ends when it has run out', async () => {
    let now = Date.now()
    const service = await build({ now: () => now })
    const program = await withToken(service, service.admin, { expiresInDays: 1 })
    now += DAY_MS - 1
    expect((await program.inject({ url: NODES })).statusCode).toBe(200)
    now += 1
    const refused = await program.inject({ url: NODES })
    expect(refused.json()).toMatchObject({ status: 401, code: 'wrong_token' })
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer realm="farmstead", error="invalid_token"',
    )
  })

  test('counts, not the cookie that comes with it, and leaves the session alone', async () => {
    const service = await build()
    const { admin, app } = service
    const program = await withToken(service, await service.as('viewer'))
    const headers = { cookie: admin.cookie, authorization: `Bearer ${program.secret}` }
    const both = await app.inject({ url: '/api/v1/session', headers })
    expect(both.json()).toMatchObject({ user: { username: 'test-viewer' } })
    expect(both.headers['set-cookie']).toBeUndefined()
    const wrong = { ...headers, authorization: 'Bearer fsa_wrong' }
    expect((await app.inject({ url: NODES, headers: wrong })).statusCode).toBe(401)
    expect((await admin.inject({ url: NODES })).statusCode).toBe(200)
  })

  test('says who it is, and is not for passwords and sessions', async () => {
    const service = await build()
    const viewer = await service.as('viewer')
    const program = await withToken(service, viewer, { permissions: ['nodes:read'] })
    const who = (await program.inject({ url: '/api/v1/session' })).json()
    expect(who).toMatchObject({
      user: { username: 'test-viewer' },
      permissions: ['nodes:read'],
      token: { id: program.id, name: 'test' },
    })
    expect(who.expiresAt).toBe((await list(viewer)).items[0]?.expiresAt)
    const out = await program.inject({ method: 'DELETE', url: '/api/v1/session' })
    expect(out.json()).toMatchObject({ status: 403, code: 'needs_session' })
  })

  test('is noted when and from where it was used, at most once a minute', async () => {
    let now = Date.now()
    const service = await build({ now: () => now })
    const program = await withToken(service, service.admin)
    const lastUse = async () => (await list(service.admin)).items[0]
    await program.inject({ url: NODES })
    const first = new Date(now).toISOString()
    await expect.poll(lastUse).toMatchObject({ lastUsedAt: first, lastUsedFrom: '127.0.0.1' })
    now += 59_000
    await program.inject({ url: NODES, remoteAddress: '192.0.2.7' })
    now += 1000
    await program.inject({ url: NODES, remoteAddress: '192.0.2.8' })
    const second = new Date(now).toISOString()
    await expect.poll(lastUse).toMatchObject({ lastUsedAt: second, lastUsedFrom: '192.0.2.8' })
  })

  test('makes tokens that say no more, live no longer and are revoked with it', async () => {
    const service = await build()
    const parent = await withToken(service, service.admin, {
      permissions: ['tokens:own', 'nodes:read'],
      expiresInDays: 2,
    })
    const more = await parent.inject(wish({ permissions: ['nodes:write'] }))
    expect(more.json()).toMatchObject({ status: 403, code: 'beyond_own_permissions' })
    const child = await withToken(service, parent, { name: 'child', expiresInDays: 300 })
    const grandchild = await withToken(service, child, { name: 'grandchild' })
    const { items } = await list(service.admin)
    const [young, middle, old] = items
    expect(middle).toMatchObject({
      madeWith: parent.id,
      permissions: ['tokens:own', 'nodes:read'],
      expiresAt: old?.expiresAt,
    })
    expect(young).toMatchObject({ madeWith: child.id, expiresAt: old?.expiresAt })
    await service.admin.inject({ method: 'DELETE', url: `${TOKENS}/${parent.id}` })
    expect((await grandchild.inject({ url: NODES })).statusCode).toBe(401)
    const revoked = await service.services.db
      .selectFrom('events')
      .select('object_id')
      .where('kind', '=', 'token')
      .where('action', '=', 'revoked')
      .execute()
    expect(revoked.map(({ object_id }) => object_id).sort()).toEqual(
      [parent.id, child.id, grandchild.id].sort(),
    )
  })
})

describe('wrong tokens', () => {
  const SECRET = `fsa_${'0'.repeat(26)}_${'x'.repeat(43)}`

  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer fsa_',
    `Bearer ${SECRET}`,
    `bearer ${SECRET}`,
    `Bearer ${SECRET}x`,
    'Basic dXNlcjpwYXNz',
  ])('are refused and told how to ask: %s', async (authorization) => {
    const refused = await call(sharedService(), authorization)
    expect(refused.statusCode).toBe(401)
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer realm="farmstead"/)
  })

  test('are those of another digest, too', async () => {
    const service = await build()
    const { secret } = await withToken(service, service.admin)
    const last = secret.endsWith('A') ? 'B' : 'A'
    expect((await call(service, `Bearer ${secret.slice(0, -1)}${last}`)).statusCode).toBe(401)
  })

  test('are made to wait, without the right ones of the same address', async () => {
    const service = await build()
    const program = await withToken(service, service.admin)
    const statuses = []
    for (let i = 0; i < 22; i += 1) {
      statuses.push((await call(service, `Bearer ${SECRET}`)).statusCode)
    }
    expect(statuses).toEqual([...Array(21).fill(401), 429])
    expect((await program.inject({ url: NODES })).statusCode).toBe(200)
  })
})

describe('GET /tokens', () => {
  test('lists one’s own by pages, and everybody’s to who may', async () => {
    const service = await build()
    const viewer = await service.as('viewer')
    for (const name of ['a', 'b', 'c']) await withToken(service, viewer, { name })
    await withToken(service, service.admin)
    const first = await list(viewer, '?limit=2')
    const second = await list(viewer, `?limit=2&cursor=${first.nextCursor}`)
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['c', 'b', 'a'])
    expect(second.nextCursor).toBeNull()
    expect((await viewer.inject({ url: `${TOKENS}?all=1` })).statusCode).toBe(403)
    const all = await list(await service.as('auditor'), '?all=1')
    expect(all.items.map(({ user }) => user.username)).toEqual([
      'test-admin',
      ...Array(3).fill('test-viewer'),
    ])
  })
})

describe('DELETE /tokens/{id}', () => {
  const revoke = (who: Client, id: string) =>
    who.inject({ method: 'DELETE', url: `${TOKENS}/${id}` })

  test('revokes at once, and tells', async () => {
    const service = await build()
    const program = await withToken(service, service.admin)
    expect((await revoke(service.admin, program.id)).statusCode).toBe(204)
    expect((await program.inject({ url: NODES })).statusCode).toBe(401)
    expect((await revoke(service.admin, program.id)).statusCode).toBe(404)
    const events = await service.services.db
      .selectFrom('events')
      .select(['action', 'actor', 'object_id'])
      .where('kind', '=', 'token')
      .execute()
    expect(events).toEqual([
      { action: 'created', actor: 'test-admin', object_id: program.id },
      { action: 'revoked', actor: 'test-admin', object_id: program.id },
    ])
  })

  test('is for one’s own; an administrator revokes everybody’s', async () => {
    const service = await build()
    const [viewer, editor] = [await service.as('viewer'), await service.as('editor')]
    const program = await withToken(service, editor)
    expect((await revoke(viewer, program.id)).json()).toMatchObject({ code: 'token_not_found' })
    expect((await revoke(service.admin, program.id)).statusCode).toBe(204)
  })
})

test('a stream of events ends with the token that opened it', async () => {
  const service = await build()
  const program = await withToken(service, service.admin)
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const address = service.app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const response = await fetch(`http://127.0.0.1:${address.port}/api/v1/events`, {
    headers: { authorization: `Bearer ${program.secret}` },
    signal: abort.signal,
  })
  expect(response.status).toBe(200)
  const ended = response.text()
  await service.admin.inject({ method: 'DELETE', url: `${TOKENS}/${program.id}` })
  expect(await ended).toContain('"action":"revoked"')
})

test('what a token carries is what was granted and its user still has', () => {
  const { viewer, admin } = rolePermissions
  const reads = viewer.filter((one) => one !== 'session:own')
  expect(effectivePermissions(null, viewer)).toEqual(reads)
  expect(effectivePermissions(['nodes:write', 'nodes:read'], viewer)).toEqual(['nodes:read'])
  expect(effectivePermissions(['nodes:write', 'session:own', 'gone'], admin)).toEqual([
    'nodes:write',
  ])
  expect(effectivePermissions([], admin)).toEqual([])
})

async function setUser(
  { services }: Built,
  username: string,
  values: { roles?: string; password_change_required?: number },
): Promise<void> {
  await services.db.updateTable('users').set(values).where('username', '=', username).execute()
}

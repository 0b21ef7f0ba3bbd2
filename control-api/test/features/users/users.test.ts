// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { Role } from '../../../src/access/roles.ts'
import { type Built, build, client, cookieOf, shared, signInAs, withToken } from '../../helper.ts'

const USERS = '/api/v1/users'

/** Nobody is added there. */
const sharedService = shared()
const NOBODY = `${USERS}/user_${'0'.repeat(26)}`
type Made = { id: string; username: string; oneTimePassword: string; etag: string }

async function add(
  service: Built,
  username: string,
  more: { roles?: Role[]; scope?: string | null } = {},
): Promise<Made> {
  const payload = { username, roles: ['viewer'], ...more }
  const response = await service.admin.inject({ method: 'POST', url: USERS, payload })
  if (response.statusCode !== 201) throw new Error(response.body)
  return { ...response.json(), etag: String(response.headers.etag) }
}

const patch = (service: Built, { id, etag }: Pick<Made, 'id' | 'etag'>, payload: object) =>
  service.admin.inject({
    method: 'PATCH',
    url: `${USERS}/${id}`,
    payload,
    headers: { 'if-match': etag },
  })

/** Signs in with the one-time password and chooses another. */
async function begin(service: Built, { username, oneTimePassword }: Made) {
  const first = await signInAs(service, username, oneTimePassword)
  const changed = await first.inject({
    method: 'PUT',
    url: '/api/v1/session/password',
    payload: { currentPassword: oneTimePassword, newPassword: `${username}'s own password` },
  })
  return client(service, cookieOf(changed))
}

async function ownEtag(service: Built, username: string) {
  const { items } = (await service.admin.inject({ url: USERS })).json()
  const { id } = items.find((user: { username: string }) => user.username === username)
  const { headers } = await service.admin.inject({ url: `${USERS}/${id}` })
  return { id, etag: String(headers.etag) }
}

const eventsOf = async ({ services }: Built, id: string) =>
  (await services.db.selectFrom('events').selectAll().where('object_id', '=', id).execute()).map(
    ({ kind, action, actor, data }) => ({ kind, action, actor, data: JSON.parse(data) }),
  )

describe('POST /users', () => {
  test('makes a user with a one-time password that is shown once and must be replaced', async () => {
    const service = await build()
    const ana = await add(service, 'ana', { roles: ['editor', 'operator'], scope: ' zone = eu ' })
    expect(ana).toMatchObject({
      roles: ['editor', 'operator'],
      scope: 'zone=eu',
      disabled: false,
      passwordChangeRequired: true,
      oneTimePassword: expect.stringMatching(/^(\w{5}-){4}\w{5}$/),
    })
    const seen = await service.admin.inject({ url: `${USERS}/${ana.id}` })
    expect(seen.body).not.toContain(ana.oneTimePassword)
    const first = await signInAs(service, 'ana', ana.oneTimePassword)
    expect((await first.inject({ url: '/api/v1/nodes' })).json()).toMatchObject({
      code: 'password_change_required',
    })
    const own = await begin(service, ana)
    expect((await own.inject({ url: '/api/v1/nodes' })).statusCode).toBe(200)
    expect(await eventsOf(service, ana.id)).toContainEqual({
      kind: 'user',
      action: 'created',
      actor: 'test-admin',
      data: { username: 'ana', roles: ['editor', 'operator'], scope: 'zone=eu' },
    })
  })

  test.each([
    [{ username: 'has space', roles: ['viewer'] }, 400, 'invalid_request'],
    [{ username: 'bo', roles: [] }, 400, 'invalid_request'],
    [{ username: 'bo', roles: ['king'] }, 400, 'invalid_request'],
    [{ username: 'bo', roles: ['viewer'], password: 'mine' }, 400, 'invalid_request'],
    [{ username: 'bo', roles: ['viewer'], scope: 'zone in eu' }, 422, 'bad_scope'],
    [{ username: 'TEST-Admin', roles: ['viewer'] }, 409, 'username_taken'],
  ])('refuses %j', async (payload, status, code) => {
    const { admin } = sharedService()
    const response = await admin.inject({ method: 'POST', url: USERS, payload })
    expect([response.statusCode, response.json().code]).toEqual([status, code])
  })

  test('takes the selector that matches every node for no scope', async () => {
    expect(await add(await build(), 'ana', { scope: ' ' })).toMatchObject({ scope: null })
  })
})

describe('GET /users', () => {
  test('is a page by name', async () => {
    const service = await build()
    for (const name of ['zoe', 'Ben', 'ana']) await add(service, name)
    const first = (await service.admin.inject({ url: `${USERS}?limit=2` })).json()
    expect(first.items.map((user: Made) => user.username)).toEqual(['ana', 'Ben'])
    const url = `${USERS}?limit=5&cursor=${first.nextCursor}`
    const rest = (await service.admin.inject({ url })).json()
    expect(rest).toMatchObject({ nextCursor: null })
    expect(rest.items.map((user: Made) => user.username)).toEqual(['test-admin', 'zoe'])
    expect(JSON.stringify([first, rest])).not.toMatch(/argon|hash/i)
  })

  test('is of those whose name has the words that are asked for', async () => {
    const service = await build()
    await add(service, 'quintus')
    const found = (await service.admin.inject({ url: `${USERS}?q=UINT` })).json()
    expect(found.items.map(({ username }: Made) => username)).toEqual(['quintus'])
    expect((await service.admin.inject({ url: `${USERS}?q=nobody` })).json().items).toEqual([])
  })

  test('answers 404 for who is not there', async () => {
    const { admin } = sharedService()
    expect((await admin.inject({ url: NOBODY })).json()).toMatchObject({ code: 'user_not_found' })
  })
})

describe('PATCH /users/{id}', () => {
  test('needs the ETag, and gives the next', async () => {
    const service = await build()
    const ana = await add(service, 'ana')
    const url = `${USERS}/${ana.id}`
    const payload = { roles: ['editor'] }
    const without = await service.admin.inject({ method: 'PATCH', url, payload })
    expect(without.statusCode).toBe(428)
    const changed = await patch(service, ana, payload)
    expect(changed.json()).toMatchObject({ roles: ['editor'], scope: null })
    expect((await patch(service, ana, payload)).statusCode).toBe(412)
    const next = { id: ana.id, etag: String(changed.headers.etag) }
    expect((await patch(service, next, { scope: 'zone=eu' })).json()).toMatchObject({
      roles: ['editor'],
      scope: 'zone=eu',
    })
    expect(await eventsOf(service, ana.id)).toContainEqual({
      kind: 'user',
      action: 'changed',
      actor: 'test-admin',
      data: {
        username: 'ana',
        before: { roles: ['editor'], scope: null, disabled: false },
        after: { scope: 'zone=eu' },
      },
    })
  })

  test.each([[{ roles: ['operator'] }], [{ scope: 'zone=eu' }], [{ disabled: true }]])(
    'ends the user’s sessions: %j',
    async (change) => {
      const service = await build()
      const ana = await add(service, 'ana')
      const own = await begin(service, ana)
      expect((await patch(service, ana, change)).statusCode).toBe(200)
      expect((await own.inject({ url: '/api/v1/session' })).statusCode).toBe(401)
      expect((await service.admin.inject({ url: '/api/v1/session' })).statusCode).toBe(200)
    },
  )

  test('who is disabled cannot sign in until enabled again', async () => {
    const service = await build()
    const ana = await add(service, 'ana')
    const own = await begin(service, ana)
    const program = await withToken(service, own, { password: "ana's own password" })
    expect((await program.inject({ url: '/api/v1/nodes' })).statusCode).toBe(200)
    const disabled = await patch(service, ana, { disabled: true })
    const signIn = (password: string) =>
      service.app.inject({
        method: 'POST',
        url: '/api/v1/session',
        payload: { username: 'ana', password },
      })
    expect((await signIn('wrong')).json().code).toBe('wrong_credentials')
    const refused = await signIn("ana's own password")
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'account_disabled'])
    const etag = String(disabled.headers.etag)
    await patch(service, { id: ana.id, etag }, { disabled: false })
    expect((await program.inject({ url: '/api/v1/nodes' })).statusCode).toBe(401)
    expect((await signIn("ana's own password")).statusCode).toBe(201)
  })
})

describe('the last administrator of the whole farm', () => {
  test.each([
    ['demoted', { roles: ['operator'] }],
    ['confined', { scope: 'zone=eu' }],
    ['disabled', { disabled: true }],
    ['deleted', null],
  ])('cannot be %s, but can when there is another', async (_how, change) => {
    const service = await build()
    await add(service, 'confined', { roles: ['admin'], scope: 'zone=eu' })
    const disabled = await add(service, 'disabled', { roles: ['admin'] })
    const { headers } = await patch(service, disabled, { disabled: true })
    const self = await ownEtag(service, 'test-admin')
    const request = {
      ...(change ? { method: 'PATCH' as const, payload: change } : { method: 'DELETE' as const }),
      url: `${USERS}/${self.id}`,
      headers: { 'if-match': self.etag },
    }
    const refused = await service.admin.inject(request)
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'last_admin'])
    expect((await service.admin.inject({ url: USERS })).json().items).toHaveLength(3)
    await patch(service, { id: disabled.id, etag: String(headers.etag) }, { disabled: false })
    expect((await service.admin.inject(request)).statusCode).toBeLessThan(300)
    expect((await service.admin.inject({ url: USERS })).statusCode).toBe(401)
  })
})

describe('DELETE /users/{id}', () => {
  test('ends the user, who stays in histories by name', async () => {
    const service = await build()
    const ana = await add(service, 'ana', { roles: ['editor'] })
    const own = await begin(service, ana)
    const text = '{"listen":[{"port":8080}],"sites":[{"hosts":["*"],"root":"/srv"}]}'
    const saved = await own.inject({
      method: 'POST',
      url: '/api/v1/configs/default/versions',
      payload: { text, message: 'First', parent: null },
    })
    expect(saved.statusCode).toBe(201)
    const request = { method: 'DELETE' as const, url: `${USERS}/${ana.id}` }
    expect((await service.admin.inject(request)).statusCode).toBe(428)
    const headers = { 'if-match': ana.etag }
    expect((await service.admin.inject({ ...request, headers })).statusCode).toBe(204)
    expect((await own.inject({ url: '/api/v1/session' })).statusCode).toBe(401)
    const history = await service.admin.inject({ url: '/api/v1/configs/default/versions' })
    expect(history.json().items[0]).toMatchObject({ author: 'ana', message: 'First' })
    expect((await service.admin.inject({ ...request, headers })).statusCode).toBe(404)
  })
})

describe('POST /users/{id}/actions', () => {
  const act = (service: Built, id: string, action: string) =>
    service.admin.inject({ method: 'POST', url: `${USERS}/${id}/actions/${action}` })

  test('reset-password shows a one-time password, and the old one is worth nothing', async () => {
    const service = await build()
    const ana = await add(service, 'ana')
    const own = await begin(service, ana)
    const { oneTimePassword } = (await act(service, ana.id, 'reset-password')).json()
    expect((await own.inject({ url: '/api/v1/session' })).statusCode).toBe(401)
    await expect(signInAs(service, 'ana', "ana's own password")).rejects.toThrow(/wrong_cred/)
    const again = await signInAs(service, 'ana', oneTimePassword)
    expect((await again.inject({ url: '/api/v1/session' })).json()).toMatchObject({
      passwordChangeRequired: true,
    })
    const events = await eventsOf(service, ana.id)
    expect(events.map(({ action }) => action)).toContain('password-reset')
    expect(JSON.stringify(events)).not.toContain(oneTimePassword)
  })

  test('end-sessions signs out everywhere', async () => {
    const service = await build()
    const ana = await add(service, 'ana')
    const own = await begin(service, ana)
    expect((await act(service, ana.id, 'end-sessions')).statusCode).toBe(204)
    expect((await own.inject({ url: '/api/v1/session' })).statusCode).toBe(401)
  })

  test('are not for one’s own account, nor for nobody', async () => {
    const service = sharedService()
    const self = await ownEtag(service, 'test-admin')
    for (const action of ['reset-password', 'end-sessions', 'reset-second-factor']) {
      expect((await act(service, self.id, action)).json()).toMatchObject({ code: 'own_account' })
      expect((await act(service, `user_${'0'.repeat(26)}`, action)).statusCode).toBe(404)
    }
  })
})

// SPDX-License-Identifier: MIT
// Who recovered an account has it alone: whatever let somebody in before is worth nothing.
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/base/ids.ts'
import { letAdminIn } from '../../src/features/session/break-glass.ts'
import { hashPassword, NO_PASSWORD } from '../../src/people/passwords.ts'
import { insertUser } from '../../src/people/user-store.ts'
import {
  type Built,
  build,
  type Client,
  client,
  cookieOf,
  PASSWORD,
  signInAs,
  withToken,
} from '../helper.ts'

const SESSION = '/api/v1/session'
const TOKENS = '/api/v1/tokens'
const NEW = 'another good password'

async function rescuer(service: Built): Promise<Client> {
  const passwordHash = await hashPassword(PASSWORD, { memoryKib: 8, passes: 1 })
  const made = { username: 'rescuer', passwordHash, roles: ['admin' as const], isOneTime: false }
  await service.services.write((unit) => insertUser(unit, { ...made, nowMs: Date.now() }))
  return signInAs(service, 'rescuer', PASSWORD)
}

const idOf = async (person: Client) => (await person.inject({ url: SESSION })).json().user.id

const reset =
  (action: string) =>
  async (service: Built): Promise<string> => {
    const url = `/api/v1/users/${await idOf(service.admin)}/actions/${action}`
    const done = await (await rescuer(service)).inject({ method: 'POST', url })
    if (done.statusCode >= 300) throw new Error(done.body)
    return done.statusCode === 200 ? done.json().oneTimePassword : PASSWORD
  }

const changePassword = (person: Client, currentPassword: string, more = {}) =>
  person.inject({
    method: 'PUT',
    url: `${SESSION}/password`,
    payload: { currentPassword, newPassword: NEW, ...more },
  })

const RECOVERIES: [string, (service: Built) => Promise<string>][] = [
  ['a password reset', reset('reset-password')],
  ['a second factor reset', reset('reset-second-factor')],
  ['break-glass', async ({ services }) => (await letAdminIn(services, 'test-admin')).password],
]

describe('after a recovery', () => {
  test.each(RECOVERIES)('tokens are gone, and told of: %s', async (_name, recover) => {
    const service = await build()
    const thief = await withToken(service, service.admin)
    const child = await withToken(service, thief)
    const password = await recover(service)
    for (const token of [thief, child]) {
      expect((await token.inject({ url: '/api/v1/nodes' })).statusCode).toBe(401)
    }
    const owner = await signInAs(service, 'test-admin', password)
    const mine = client(service, cookieOf(await changePassword(owner, password)))
    expect((await thief.inject({ url: '/api/v1/nodes' })).statusCode).toBe(401)
    expect((await mine.inject({ url: TOKENS })).json().items).toEqual([])
    const told = await service.services.db
      .selectFrom('events')
      .select('object_id')
      .where('action', '=', 'revoked')
      .execute()
    expect(told.map(({ object_id }) => object_id).sort()).toEqual([thief.id, child.id].sort())
  })

  test.each(RECOVERIES)('an identity that was linked is none any more: %s', async (_n, recover) => {
    const service = await build()
    const userId = await idOf(service.admin)
    const { db } = service.services
    const row = { issuer: 'https://id.example', created_at_ms: 1, last_sign_in_at_ms: null }
    const linked = { ...row, subject: 'thief', user_id: userId, origin: 'linked' as const }
    await db.insertInto('oidc_identities').values(linked).execute()
    await recover(service)
    expect(await db.selectFrom('oidc_identities').selectAll().execute()).toEqual([])
  })

  test.each(RECOVERIES)('a second factor somebody began is forgotten: %s', async (_n, recover) => {
    const service = await build()
    const url = `${SESSION}/second-factor`
    const payload = { password: PASSWORD }
    const { secret } = (await service.admin.inject({ method: 'POST', url, payload })).json()
    const password = await recover(service)
    const owner = await signInAs(service, 'test-admin', password)
    const mine = client(service, cookieOf(await changePassword(owner, password)))
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    const confirmed = await mine.inject({ method: 'PUT', url, payload: { code } })
    expect(confirmed.json()).toMatchObject({ code: 'wrong_code' })
  })
})

describe('a password change', () => {
  test('leaves tokens as they are, or revokes them when asked', async () => {
    const service = await build()
    const program = await withToken(service, service.admin)
    const kept = client(service, cookieOf(await changePassword(service.admin, PASSWORD)))
    expect((await program.inject({ url: '/api/v1/nodes' })).statusCode).toBe(200)
    const again = { newPassword: PASSWORD, revokeTokens: true }
    expect((await changePassword(kept, NEW, again)).statusCode).toBe(200)
    expect((await program.inject({ url: '/api/v1/nodes' })).statusCode).toBe(401)
  })
})

describe('making a token', () => {
  const make = (person: Client, proof: object) =>
    person.inject({
      method: 'POST',
      url: TOKENS,
      payload: { name: 'x', permissions: null, expiresInDays: 1, ...proof },
    })

  test('takes the password: a borrowed session is not enough', async () => {
    const { admin } = await build()
    expect((await make(admin, {})).json()).toMatchObject({ code: 'password_required', status: 403 })
    expect((await make(admin, { password: 'wrong' })).json().code).toBe('wrong_credentials')
    expect((await make(admin, { password: PASSWORD })).statusCode).toBe(201)
  })

  test('slows guessing at the password down', async () => {
    const { admin } = await build({ now: () => 1_800_000_000_000 })
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) statuses.push((await make(admin, { password: 'x' })).statusCode)
    expect(statuses.slice(-1)).toEqual([429])
  })

  test('takes a code as well, unless one was given just now', async () => {
    const clock = { now: 1_800_000_000_000 }
    const service = await build({ now: () => clock.now })
    const url = `${SESSION}/second-factor`
    const payload = { password: PASSWORD }
    const { secret } = (await service.admin.inject({ method: 'POST', url, payload })).json()
    const codeNow = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now })
    await service.admin.inject({ method: 'PUT', url, payload: { code: codeNow() } })
    expect((await make(service.admin, payload)).statusCode).toBe(201)
    clock.now += 5 * 60_000
    expect((await make(service.admin, payload)).json().code).toBe('second_factor_required')
    const wrong = await make(service.admin, { ...payload, code: '000000' })
    expect(wrong.json().code).toBe('wrong_code')
    expect((await make(service.admin, { ...payload, code: codeNow() })).statusCode).toBe(201)
  })

  test('takes a sign-in of just now from who has no password here', async () => {
    const clock = { now: 1_800_000_000_000 }
    const service = await build({ now: () => clock.now })
    await service.services.db
      .updateTable('users')
      .set({ password_hash: NO_PASSWORD })
      .where('username', '=', 'test-admin')
      .execute()
    expect((await make(service.admin, {})).statusCode).toBe(201)
    clock.now += 11 * 60_000
    expect((await make(service.admin, {})).json().code).toBe('fresh_sign_in_required')
  })

  test('leaves nothing from which the password could be guessed', async () => {
    const { admin, services } = await build()
    const payload = { name: 'x', permissions: null, expiresInDays: 1, password: PASSWORD }
    const headers = { 'idempotency-key': 'once' }
    await admin.inject({ method: 'POST', url: TOKENS, payload, headers })
    const rows = await services.db.selectFrom('idempotency_keys').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(rows[0]?.request_digest).not.toBe(sha256(`${TOKENS}\n${JSON.stringify(payload)}`))
    const again = await admin.inject({ method: 'POST', url: TOKENS, payload, headers })
    expect(again.json().code).toBe('already_done')
  })
})

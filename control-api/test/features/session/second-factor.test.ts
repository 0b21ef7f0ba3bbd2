// SPDX-License-Identifier: MIT
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { type Built, build, type Client, PASSWORD } from '../../helper.ts'

const URL = '/api/v1/session/second-factor'
const AT = 1_800_000_000_000
const STEP_MS = 30_000

const codeOf = (secret: string, timestamp: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })

function signIn(service: Built, code?: string, password = PASSWORD) {
  const payload = { username: 'test-admin', password, ...(code !== undefined && { code }) }
  return service.app.inject({ method: 'POST', url: '/api/v1/session', payload })
}

const begin = (admin: Client, password = PASSWORD) =>
  admin.inject({ method: 'POST', url: URL, payload: { password } })
const confirm = (admin: Client, code: string) =>
  admin.inject({ method: 'PUT', url: URL, payload: { code } })

/** A service whose clock the test turns, and the administrator's authenticator. */
async function withFactor() {
  const clock = { now: AT }
  const service = await build({ now: () => clock.now })
  const { secret, uri } = (await begin(service.admin)).json()
  const confirmed = await confirm(service.admin, codeOf(secret, clock.now))
  if (confirmed.statusCode !== 200) throw new Error(confirmed.body)
  const { recoveryCodes } = confirmed.json<{ recoveryCodes: string[] }>()
  return { clock, service, secret: String(secret), uri: String(uri), recoveryCodes }
}

describe('a second factor', () => {
  test('is begun with the password, and counts once a code has confirmed it', async () => {
    const service = await build({ now: () => AT })
    expect((await begin(service.admin, 'wrong')).statusCode).toBe(401)
    const { secret, uri } = (await begin(service.admin)).json()
    expect(uri).toMatch(/^otpauth:\/\/totp\/Farmstead:test-admin\?/)
    expect((await signIn(service)).statusCode).toBe(201)
    expect((await confirm(service.admin, '000000')).json().code).toBe('wrong_code')
    const confirmed = await confirm(service.admin, codeOf(secret, AT))
    expect(new Set(confirmed.json().recoveryCodes).size).toBe(10)
    expect((await begin(service.admin)).json().code).toBe('second_factor_exists')
    const session = await service.admin.inject({ url: '/api/v1/session' })
    expect(session.json().secondFactor).toBe(true)
  })

  test('is at rest sealed, its recovery codes as digests', async () => {
    const { service, secret, recoveryCodes } = await withFactor()
    const { db } = service.services
    const rows = [
      await db.selectFrom('users').selectAll().execute(),
      await db.selectFrom('recovery_codes').selectAll().execute(),
      await db.selectFrom('events').selectAll().execute(),
    ]
    expect(rows[1]).toHaveLength(10)
    for (const kept of [secret, ...recoveryCodes]) expect(JSON.stringify(rows)).not.toContain(kept)
  })

  test('is asked for only after the right password', async () => {
    const { service } = await withFactor()
    expect((await signIn(service, undefined, 'wrong')).json().code).toBe('wrong_credentials')
    expect((await signIn(service, '123456', 'wrong')).json().code).toBe('wrong_credentials')
    expect((await signIn(service)).json().code).toBe('second_factor_required')
  })

  test('takes each code once, and those of the steps beside', async () => {
    const { clock, service, secret } = await withFactor()
    const used = codeOf(secret, clock.now)
    expect((await signIn(service, used)).json().code).toBe('wrong_code')
    const next = codeOf(secret, clock.now + STEP_MS)
    expect((await signIn(service, next)).statusCode).toBe(201)
    expect((await signIn(service, next)).json().code).toBe('wrong_code')
    clock.now += 4 * STEP_MS
    expect((await signIn(service, codeOf(secret, clock.now - 2 * STEP_MS))).statusCode).toBe(401)
    const late = codeOf(secret, clock.now - STEP_MS)
    expect((await signIn(service, `${late.slice(0, 3)} ${late.slice(3)}`)).statusCode).toBe(201)
  })

  test('lets a recovery code stand in, once', async () => {
    const { service, recoveryCodes } = await withFactor()
    const [first = '', second = ''] = recoveryCodes
    expect((await signIn(service, first.toUpperCase())).statusCode).toBe(201)
    expect((await signIn(service, first)).json().code).toBe('wrong_code')
    expect((await signIn(service, second)).statusCode).toBe(201)
  })

  test('slows guessing codes down, also with the right password', async () => {
    const { clock, service, secret } = await withFactor()
    clock.now += 10 * STEP_MS
    const statuses: number[] = []
    for (let i = 0; i < 7; i++) statuses.push((await signIn(service, '000000')).statusCode)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429])
    expect((await signIn(service, codeOf(secret, clock.now))).statusCode).toBe(429)
    clock.now += 2 * STEP_MS
    expect((await signIn(service, codeOf(secret, clock.now))).statusCode).toBe(201)
  })

  test('is taken away with password and code, and by an administrator without', async () => {
    const { service, recoveryCodes } = await withFactor()
    const remove = (payload: object) =>
      service.admin.inject({ method: 'DELETE', url: URL, payload })
    const [code = ''] = recoveryCodes
    expect((await remove({ password: 'wrong', code })).json().code).toBe('wrong_credentials')
    expect((await remove({ password: PASSWORD, code: '000000' })).json().code).toBe('wrong_code')
    expect((await remove({ password: PASSWORD, code })).statusCode).toBe(204)
    expect((await signIn(service)).statusCode).toBe(201)
    const left = await service.services.db.selectFrom('recovery_codes').selectAll().execute()
    expect(left).toEqual([])
  })
})

describe('one’s sessions', () => {
  const LIST = '/api/v1/session/list'

  test('are listed with where they come from, and ended one by one or but this', async () => {
    const service = await build()
    await service.as('viewer')
    const payload = { username: 'test-admin', password: PASSWORD }
    const headers = { 'user-agent': `Browser/1 ${'x'.repeat(500)}` }
    for (let i = 0; i < 2; i++) {
      await service.app.inject({ method: 'POST', url: '/api/v1/session', payload, headers })
    }
    const list = async () => (await service.admin.inject({ url: LIST })).json().items
    const items = await list()
    expect(items).toHaveLength(3)
    expect(items.filter(({ current }: { current: boolean }) => current)).toHaveLength(1)
    const other = items.find(({ current }: { current: boolean }) => !current)
    expect(other).toMatchObject({ address: '127.0.0.1', userAgent: expect.stringMatching(/^Brow/) })
    expect(other.userAgent).toHaveLength(200)
    const end = (path: string) => service.admin.inject({ method: 'DELETE', url: path })
    expect((await end(`${LIST}/${other.id}`)).statusCode).toBe(204)
    expect((await end(`${LIST}/${other.id}`)).statusCode).toBe(404)
    expect((await end(LIST)).statusCode).toBe(204)
    expect(await list()).toHaveLength(1)
    expect(await service.services.db.selectFrom('sessions').selectAll().execute()).toHaveLength(2)
  })

  test('of others are not there', async () => {
    const service = await build()
    const viewer = await service.as('viewer')
    const [own] = (await service.admin.inject({ url: LIST })).json().items
    const url = `${LIST}/${own.id}`
    expect((await viewer.inject({ method: 'DELETE', url })).statusCode).toBe(404)
  })
})

describe('guessing', () => {
  test('from elsewhere does not keep a known browser out, nor one at another place', async () => {
    const service = await build({
      now: () => AT,
      config: { trustProxy: ['127.0.0.1'] },
    })
    const attempt = (password: string, address: string, cookie = '') =>
      service.app.inject({
        method: 'POST',
        url: '/api/v1/session',
        payload: { username: 'test-admin', password },
        headers: { 'x-forwarded-for': address, ...(cookie && { cookie }) },
      })
    const good = await attempt(PASSWORD, '198.51.100.7')
    const device = good.cookies.find(({ name }) => name === 'farmstead_device')
    expect(device).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/api' })
    for (let i = 0; i < 7; i++) await attempt('wrong', `203.0.113.${i}`)
    expect((await attempt(PASSWORD, '203.0.113.99')).statusCode).toBe(429)
    expect((await attempt(PASSWORD, '192.0.2.1')).statusCode).toBe(201)
    const known = `farmstead_device=${device?.value}`
    expect((await attempt(PASSWORD, '203.0.113.99', known)).statusCode).toBe(201)
    expect((await attempt(PASSWORD, '203.0.113.99', `${known}x`)).statusCode).toBe(429)
  })

  test('is told of at most once a minute, account and network', async () => {
    const clock = { now: AT }
    const service = await build({ now: () => clock.now })
    const attempt = (username: string) =>
      service.app.inject({
        method: 'POST',
        url: '/api/v1/session',
        payload: { username, password: 'wrong' },
      })
    const told = async () =>
      (
        await service.services.db
          .selectFrom('events')
          .selectAll()
          .where('action', '=', 'sign-in-failed')
          .execute()
      ).map(({ data }) => JSON.parse(data).username)
    for (let i = 0; i < 3; i++) await attempt('test-admin')
    for (const name of ['my password', 'bo']) await attempt(name)
    expect(await told()).toEqual(['test-admin', null])
    clock.now += 61_000
    await attempt('test-admin')
    expect(await told()).toEqual(['test-admin', null, 'test-admin'])
  })
})

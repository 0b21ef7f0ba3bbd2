// SPDX-License-Identifier: MIT
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildService } from '../../../src/app.ts'
import { letAdminIn } from '../../../src/features/session/break-glass.ts'
import { newSetupToken } from '../../../src/features/session/setup.ts'
import { hashPassword, verifyPassword } from '../../../src/people/passwords.ts'
import { insertUser } from '../../../src/people/user-store.ts'
import { limits } from '../../../src/plugins/limits.ts'
import {
  build,
  type Client,
  client,
  cookieOf,
  ORIGIN,
  PASSWORD,
  shared,
  signInAs,
  testConfig,
} from '../../helper.ts'

const SESSION = '/api/v1/session'

/** Its administrator stays signed in, and nobody is slowed down there. */
const sharedService = shared()

describe('POST /session', () => {
  test('a wrong password and an unknown user get the same answer', async () => {
    const { app } = sharedService()
    const attempt = (username: string) =>
      app.inject({ method: 'POST', url: SESSION, payload: { username, password: 'wrong' } })
    const [known, unknown] = [await attempt('test-admin'), await attempt('nobody')]
    expect(known.statusCode).toBe(401)
    expect(known.json()).toMatchObject({ code: 'wrong_credentials', status: 401 })
    expect(known.headers['content-type']).toMatch('application/problem+json')
    expect({ ...unknown.json(), requestId: '' }).toEqual({ ...known.json(), requestId: '' })
    expect(known.headers['set-cookie']).toBeUndefined()
  })

  test('refuses what does not fit, and says where and what to do', async () => {
    const { app } = sharedService()
    const payload = { username: 'admin', password: 'x', remember: true }
    const response = await app.inject({ method: 'POST', url: SESSION, payload })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      code: 'invalid_request',
      detail: 'body/remember: is not known here: remove it or check its spelling',
      errors: [{ pointer: '/remember' }],
    })
  })

  test('slows guessing down with 429 and Retry-After, and lets in again after the wait', async () => {
    let now = Date.now()
    const { app } = await build({ now: () => now })
    const attempt = (password: string) =>
      app.inject({ method: 'POST', url: SESSION, payload: { username: 'test-admin', password } })
    const statuses = await Promise.all(Array.from({ length: 8 }, () => attempt('wrong')))
    expect(statuses.filter((r) => r.statusCode === 429).length).toBe(2)
    const refused = await attempt(PASSWORD)
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBe(1)
    now += 1000
    expect((await attempt(PASSWORD)).statusCode).toBe(201)
  })

  test('lets nobody wait for hours after the clock was put back', async () => {
    let now = Date.now()
    const { app } = await build({ now: () => now })
    const attempt = (password: string) =>
      app.inject({ method: 'POST', url: SESSION, payload: { username: 'test-admin', password } })
    await Promise.all(Array.from({ length: 6 }, () => attempt('wrong')))
    now -= 3600_000
    expect((await attempt(PASSWORD)).statusCode).toBe(201)
  })

  test('turns a flood away before it costs memory', async () => {
    const cheap = { memoryKib: 8, passes: 1 }
    const flood = Array.from({ length: 60 }, () => hashPassword('wrong', cheap))
    const refused = (await Promise.allSettled(flood)).filter(({ status }) => status === 'rejected')
    // One is made, four wait.
    expect(refused).toHaveLength(55)
    expect(refused[0]).toMatchObject({
      reason: { statusCode: 503, code: 'too_many_sign_ins', headers: { 'retry-after': '5' } },
    })
    await expect(hashPassword('right', cheap)).resolves.toMatch(/^\$argon2id/)
  })

  test('strangers in any number keep nobody out who is known; one network not the others', async () => {
    const cheap = { memoryKib: 8, passes: 1 }
    const hash = await hashPassword('right', cheap)
    const ask = (place: string, isKnown = false) =>
      verifyPassword('right', hash, { isKnown, place }).catch(({ code }) => code)
    const oneNetwork = Array.from({ length: 20 }, () => ask('192.0.2'))
    const others = Array.from({ length: 50 }, (_, i) => ask(`198.51.${i}`))
    const known = ask('a device', true)
    const full = 'too_many_sign_ins'
    expect((await Promise.all(oneNetwork)).filter((answer) => answer === full)).toHaveLength(11)
    expect((await Promise.all(others)).filter((answer) => answer === true)).toHaveLength(22)
    expect(await known).toBe(true)
  })

  test('one person with many browsers fills no line of the others', async () => {
    const { app, services } = await build()
    // Dear: what is cheap is done before a line is full.
    const passwordHash = await hashPassword(PASSWORD, { memoryKib: 65_536, passes: 1 })
    for (const username of ['greedy', 'other']) {
      const made = { username, passwordHash, roles: ['viewer' as const], isOneTime: false }
      await services.write((unit) => insertUser(unit, { ...made, nowMs: Date.now() }))
    }
    const signIn = (username: string, cookie = '') =>
      app.inject({
        ...{ method: 'POST', url: SESSION, payload: { username, password: PASSWORD } },
        headers: { cookie },
      })
    const browserOf = async (username: string, cookie = '') => {
      const { cookies } = await signIn(username, cookie)
      const device = cookies.find(({ name }) => name === 'farmstead_device')
      return `farmstead_device=${device?.value}`
    }
    const other = await browserOf('other')
    const first = await browserOf('greedy')
    const browsers = [first]
    for (let i = 0; i < 11; i++) browsers.push(await browserOf('greedy', first))
    let refused = 0
    const flood = browsers
      .flatMap((one) => Array.from({ length: 9 }, () => one))
      .map(async (one) => {
        if ((await signIn('greedy', one)).statusCode === 503) refused++
      })
    await expect.poll(() => refused, { interval: 5 }).toBeGreaterThan(0)
    expect((await signIn('other', other)).statusCode).toBe(201)
    await Promise.all(flood)
  })

  test('a browser that is known is not counted with the strangers at its address', async () => {
    const { app } = await build()
    const ask = (username: string, cookie = '') =>
      app.inject({
        ...{ method: 'POST', url: SESSION },
        payload: { username, password: 'x'.repeat(5000) },
        headers: cookie ? { cookie } : {},
      })
    const payload = { username: 'test-admin', password: PASSWORD }
    const good = await app.inject({ method: 'POST', url: SESSION, payload })
    const device = good.cookies.find(({ name }) => name === 'farmstead_device')
    const cookie = `farmstead_device=${encodeURIComponent(device?.value ?? '')}`
    for (let i = 0; i < limits.signIn.max; i++) await ask('nobody')
    expect((await ask('nobody')).statusCode).toBe(429)
    expect((await ask('nobody', cookie)).statusCode).toBe(429)
    expect((await ask('test-admin', `${cookie}x`)).statusCode).toBe(429)
    expect((await ask('test-admin', cookie)).statusCode).toBe(400)
    const again = await app.inject({ method: 'POST', url: SESSION, payload, headers: { cookie } })
    expect(again.statusCode).toBe(201)
  })

  test('sets a cookie scripts cannot read and other sites cannot send', async () => {
    const { app } = sharedService()
    const payload = { username: 'test-admin', password: PASSWORD }
    const response = await app.inject({ method: 'POST', url: SESSION, payload })
    expect(response.statusCode).toBe(201)
    const cookie = String(response.headers['set-cookie'])
    expect(cookie).toMatch(/HttpOnly/)
    expect(cookie).toMatch(/SameSite=Strict/)
    expect(cookie).toMatch(/Path=\/api/)
    expect(cookie).not.toMatch(/Secure/)
  })

  test('marks the cookie Secure behind a trusted proxy that ends TLS', async () => {
    const { app } = await build({ config: { trustProxy: ['127.0.0.1'] } })
    const response = await app.inject({
      method: 'POST',
      url: SESSION,
      payload: { username: 'test-admin', password: PASSWORD },
      headers: { 'x-forwarded-proto': 'https' },
    })
    expect(response.statusCode).toBe(201)
    expect(String(response.headers['set-cookie'])).toMatch(/Secure/)
  })

  test('marks every cookie Secure when the console’s address is https, whatever the proxy hides', async () => {
    const { app } = await build({ config: { publicUrl: 'https://farm.example.org' } })
    const payload = { username: 'test-admin', password: PASSWORD }
    const response = await app.inject({ method: 'POST', url: SESSION, payload })
    const cookies = [response.headers['set-cookie'] ?? []].flat()
    expect(cookies).toHaveLength(2)
    for (const cookie of cookies) expect(cookie.match(/; Secure/g)).toHaveLength(1)
    const person = client({ app }, cookieOf(response))
    expect((await person.inject({ url: SESSION })).statusCode).toBe(200)
  })

  test('is kept by no cache, nor is any other answer of the API, refusals included', async () => {
    const { app, admin } = sharedService()
    const payload = { username: 'test-admin', password: PASSWORD }
    const answers = [
      await app.inject({ method: 'POST', url: SESSION, payload }),
      await admin.inject({ url: '/api/v1/nodes' }),
      await admin.inject({ url: '/api/v1/configs?limit=1' }),
      await admin.inject({ url: '/api/v1/users' }),
      await admin.inject({ url: '/api/v1/openapi.json' }),
      await app.inject({ url: '/api/v1/nodes' }),
      await admin.inject({ url: '/api/v1/no-such-thing' }),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 200, 200, 200, 200, 401, 404])
    for (const { headers } of answers) expect(headers['cache-control']).toBe('no-store')
  })

  test('gives a new session id, and keeps only a digest of it', async () => {
    const { app, admin, services } = await build()
    const response = await app.inject({
      method: 'POST',
      url: SESSION,
      payload: { username: 'test-admin', password: PASSWORD },
      headers: { cookie: admin.cookie, origin: ORIGIN },
    })
    const cookie = cookieOf(response)
    expect(cookie).not.toBe(admin.cookie)
    const id = decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? ''
    expect(id.length).toBeGreaterThan(20)
    const rows = await services.db.selectFrom('sessions').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(id)
    expect((await admin.inject({ url: SESSION })).statusCode).toBe(401)
  })
})

describe('the session', () => {
  test('is needed, and says who it is and what they may do', async () => {
    const { anonymous, as } = sharedService()
    const refused = await anonymous.inject({ url: SESSION })
    expect(refused.statusCode).toBe(401)
    expect(refused.json()).toMatchObject({ code: 'not_signed_in' })
    expect(refused.json().requestId).toBe(refused.headers['x-request-id'])
    const viewer = await as('viewer')
    expect((await viewer.inject({ url: SESSION })).json()).toMatchObject({
      user: { username: 'test-viewer', roles: ['viewer'] },
      passwordChangeRequired: false,
      permissions: expect.arrayContaining(['nodes:read']),
    })
  })

  test.each([
    'farmstead_session=junk; ',
    'farmstead_session=; ',
    'farmstead_session=%E0%A4%A; ',
    'a="; farmstead_session=forged.x; ',
  ])('is found behind a cookie of its name that somebody else left: %s', async (junk) => {
    const { admin, app } = sharedService()
    const headers = { cookie: `${junk}${admin.cookie}`, origin: ORIGIN }
    const response = await app.inject({ url: SESSION, headers })
    expect([response.statusCode, response.json().user.username]).toEqual([200, 'test-admin'])
  })

  test('ends when signed out, also for who kept the cookie', async () => {
    const { admin } = await build()
    const out = await admin.inject({ method: 'DELETE', url: SESSION })
    expect(out.statusCode).toBe(204)
    expect((await admin.inject({ url: SESSION })).statusCode).toBe(401)
  })

  test('ends after twelve idle hours, and after a week however busy', async () => {
    let now = Date.now()
    const { admin } = await build({ now: () => now })
    const hour = 3600_000
    for (let elapsed = 0; elapsed < 7 * 24; elapsed += 11) {
      expect((await admin.inject({ url: SESSION })).statusCode).toBe(200)
      now += 11 * hour
    }
    expect((await admin.inject({ url: SESSION })).statusCode).toBe(401)
    const { admin: idle } = await build({ now: () => now })
    now += 12 * hour + 1
    expect((await idle.inject({ url: SESSION })).statusCode).toBe(401)
  })

  test('is not that of who a page takes itself to speak for, when another signed in meanwhile', async () => {
    const service = await build()
    const viewer = await service.as('viewer')
    const { id } = (await service.admin.inject({ url: SESSION })).json().user
    const send = (who: Client, user: string) =>
      who.inject({
        method: 'DELETE',
        url: `${SESSION}/list`,
        headers: { 'farmstead-user': user },
      })
    const refused = await send(viewer, id)
    expect([refused.statusCode, refused.json().code]).toEqual([401, 'not_signed_in'])
    expect((await send(service.admin, id)).statusCode).toBe(204)
  })

  test('leaves nothing in the database for visitors who never signed in', async () => {
    const { anonymous, services } = await build()
    await anonymous.inject({ url: '/api/v1/health' })
    await anonymous.inject({
      url: '/api/v1/health',
      headers: { cookie: 'farmstead_session=forged.x' },
    })
    expect(await services.db.selectFrom('sessions').selectAll().execute()).toHaveLength(1)
  })
})

describe('requests from other pages', () => {
  const change = { currentPassword: PASSWORD, newPassword: 'another good password' }
  test.each([
    ['another origin', { origin: 'http://evil.example' }],
    ['another port of this host', { origin: 'http://localhost:8080' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a page the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a page the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
    ['nobody says where', { origin: undefined }],
  ])('are refused: %s', async (_name, headers) => {
    const { admin } = sharedService()
    const response = await admin.inject({
      method: 'PUT',
      url: `${SESSION}/password`,
      payload: change,
      headers,
    })
    expect(response.statusCode).toBe(403)
    expect(response.json()).toMatchObject({ code: 'cross_origin' })
  })

  test('are refused with a body that needs no preflight', async () => {
    const { admin } = sharedService()
    const response = await admin.inject({
      method: 'PUT',
      url: `${SESSION}/password`,
      payload: JSON.stringify(change),
      headers: { 'content-type': 'text/plain' },
    })
    expect(response.statusCode).toBe(415)
  })
})

describe('PUT /session/password', () => {
  const newPassword = 'a new and long password'
  const change = (currentPassword: string, chosen = newPassword) => ({
    method: 'PUT' as const,
    url: `${SESSION}/password`,
    payload: { currentPassword, newPassword: chosen },
  })

  test('needs the current password, a long new one, and another one', async () => {
    const { admin } = await build()
    expect((await admin.inject(change('wrong'))).statusCode).toBe(401)
    expect((await admin.inject(change(PASSWORD, 'short'))).statusCode).toBe(400)
    expect((await admin.inject(change(PASSWORD, PASSWORD))).json()).toMatchObject({
      code: 'same_password',
    })
  })

  test('ends the other sessions of the user and goes on in a new one', async () => {
    const service = await build()
    const other = await signInAs(service, 'test-admin', PASSWORD)
    const viewer = await service.as('viewer')
    const response = await service.admin.inject(change(PASSWORD))
    expect(response.statusCode).toBe(200)
    expect((await other.inject({ url: SESSION })).statusCode).toBe(401)
    expect((await service.admin.inject({ url: SESSION })).statusCode).toBe(401)
    const fresh = client(service, cookieOf(response))
    expect((await fresh.inject({ url: SESSION })).statusCode).toBe(200)
    expect((await viewer.inject({ url: SESSION })).statusCode).toBe(200)
    await expect(signInAs(service, 'test-admin', PASSWORD)).rejects.toThrow(/wrong_credentials/)
  })
})

describe('set-up', () => {
  const SETUP = '/api/v1/setup'
  const chosen = { username: 'Ana', password: 'my very own password' }
  /** A service nobody has used. */
  const bare = async (now = Date.now) => {
    const service = await buildService(testConfig(), { now })
    onTestFinished(() => service.close())
    const post = (token: string, more = {}) =>
      service.app.inject({ method: 'POST', url: SETUP, payload: { token, ...chosen, ...more } })
    return { service, post, token: (await newSetupToken(service.services.write)) ?? '' }
  }

  test('makes the first administrator with the printed token, once, and signs in', async () => {
    const { service, post, token } = await bare()
    expect(token).toMatch(/^fss_[\w-]{43}$/)
    expect((await service.app.inject({ url: SETUP })).json()).toEqual({ required: true })
    const made = await post(token)
    expect(made.statusCode).toBe(201)
    expect(made.json()).toMatchObject({
      user: { username: 'Ana', roles: ['admin'], scope: null },
      passwordChangeRequired: false,
    })
    const admin = client(service, cookieOf(made))
    expect((await admin.inject({ url: '/api/v1/system' })).statusCode).toBe(200)
    expect((await service.app.inject({ url: SETUP })).json()).toEqual({ required: false })
    expect((await post(token)).json()).toMatchObject({ code: 'setup_done', status: 409 })
    expect(await newSetupToken(service.services.write)).toBeNull()
  })

  test('keeps only a digest of the token, and each start’s makes the one before worthless', async () => {
    const { service, post, token } = await bare()
    const meta = await service.services.db.selectFrom('meta').selectAll().execute()
    expect(JSON.stringify(meta)).not.toContain(token)
    const next = await newSetupToken(service.services.write)
    expect((await post(token)).json()).toMatchObject({ code: 'wrong_setup_token', status: 401 })
    expect((await post(next ?? '')).statusCode).toBe(201)
  })

  test('makes one administrator when two use the token at once', async () => {
    const { service, post, token } = await bare()
    const both = await Promise.all([post(token), post(token, { username: 'bo' })])
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
    const users = await service.services.db.selectFrom('users').selectAll().execute()
    expect(users).toHaveLength(1)
  })

  test('refuses short passwords, odd names, and foreign pages', async () => {
    const { service, post, token } = await bare()
    expect((await post(token, { password: 'short' })).statusCode).toBe(400)
    expect((await post(token, { username: 'a b' })).statusCode).toBe(400)
    const foreign = await service.app.inject({
      method: 'POST',
      url: SETUP,
      payload: { token, ...chosen },
      headers: { origin: 'http://evil.example' },
    })
    expect(foreign.json()).toMatchObject({ code: 'cross_origin' })
  })

  test('slows guessing down', async () => {
    const { post, token } = await bare(() => 1_700_000_000_000)
    for (let i = 0; i < 11; i++) expect((await post(`fss_${i}`)).statusCode).toBe(401)
    const slowed = await post(token)
    expect([slowed.statusCode, slowed.headers['retry-after']]).toEqual([429, '1'])
  })
})

describe('who runs commands on this machine', () => {
  test('lets an administrator in with a password for one use', async () => {
    const service = await build()
    const first = await letAdminIn(service.services, 'test-admin')
    expect((await service.admin.inject({ url: SESSION })).statusCode).toBe(401)
    const admin = await signInAs(service, first.username, first.password)
    const refused = await admin.inject({ url: '/api/v1/system' })
    expect(refused.statusCode).toBe(403)
    expect(refused.json()).toMatchObject({ code: 'password_change_required' })
    const changed = await admin.inject({
      method: 'PUT',
      url: `${SESSION}/password`,
      payload: { currentPassword: first.password, newPassword: 'my very own password' },
    })
    expect(changed.json()).toMatchObject({ passwordChangeRequired: false })
    const free = client(service, cookieOf(changed))
    expect((await free.inject({ url: '/api/v1/system' })).statusCode).toBe(200)
  })

  test('makes an administrator when nobody has the name, and raises nobody', async () => {
    const service = await build()
    const { username, password } = await letAdminIn(service.services, 'rescue')
    const admin = await signInAs(service, username, password)
    expect((await admin.inject({ url: SESSION })).json().user.roles).toEqual(['admin'])
    await service.as('viewer')
    await expect(letAdminIn(service.services, 'test-viewer')).rejects.toThrow(/no administrator/)
  })
})

// SPDX-License-Identifier: MIT
// Signing in through a real identity provider (oidc-provider) on a socket of its own.
import { describe, expect, test } from 'vitest'
import type { OidcConfig } from '../../../src/environment/oidc.ts'
import { enrolNode } from '../../agents/node-client.ts'
import { type Built, build, PASSWORD, withToken } from '../../helper.ts'
import { Browser, PUBLIC_URL } from './browser.ts'
import { CLIENT, otherKey, startProvider, type TestProvider } from './test-provider.ts'

const CALLBACK = `${PUBLIC_URL}/api/v1/session/oidc/callback`
const NOBODY = { code: 'not_signed_in' }
type Setup = {
  oidc?: Partial<OidcConfig>
  now?: () => number
  inIdToken?: boolean
  isPublicClient?: boolean
}
type Farm = { service: Built; provider: TestProvider; browser: Browser }

async function farm({ oidc, now, ...options }: Setup = {}): Promise<Farm> {
  const provider = await startProvider({ redirectUri: CALLBACK, inIdToken: true, ...options })
  provider.people.set('sub-ana', { username: 'ana', groups: ['ops', 'choir'] })
  const service = await build({
    ...(now && { now }),
    config: {
      oidc: {
        issuer: provider.issuer,
        clientId: CLIENT.id,
        clientSecret: options.isPublicClient ? null : CLIENT.secret,
        scopes: 'openid profile groups',
        groupsClaim: 'groups',
        rolesOfGroup: new Map([
          ['ops', ['operator', 'approver']],
          ['admins', ['admin']],
        ]),
        label: 'Company account',
        publicUrl: PUBLIC_URL,
        ...oidc,
      },
    },
  })
  return { service, provider, browser: new Browser(service) }
}

/** Where the console's sign-in page is told why. */
const turnedAway = (problem: string, page = '/sign-in') =>
  expect.objectContaining({ href: `${PUBLIC_URL}${page}?problem=${problem}` })

const usersOf = async ({ service }: Farm) => {
  const { db } = service.services
  return await db.selectFrom('users').select(['username', 'roles']).orderBy('id').execute()
}

/** Everything up to the provider's redirect back, which is left to the test. */
async function almost({ browser }: Farm, change = (url: URL) => url): Promise<URL> {
  const start = await browser.open('/api/v1/session/oidc', 'http://127.0.0.1')
  const page = await browser.open(change(start.url).href)
  return (await browser.signInAt(page, 'sub-ana', CALLBACK)).url
}

describe('signing in through the provider', () => {
  test('makes a user with the roles of the groups, and leads to where one wanted to go', async () => {
    const it = await farm()
    const page = await it.browser.signIn('sub-ana', '/nodes?label=a')
    expect(page.url.href).toBe(`${PUBLIC_URL}/nodes?label=a`)
    expect(await it.browser.session()).toMatchObject({
      user: { username: 'ana', roles: ['approver', 'operator'] },
      passwordChangeRequired: false,
    })
    expect(await usersOf(it)).toHaveLength(2)
    await it.browser.signIn('sub-ana')
    expect(await usersOf(it)).toHaveLength(2)
  })

  test('finds groups that only the userinfo endpoint tells', async () => {
    const it = await farm({ inIdToken: false })
    await it.browser.signIn('sub-ana')
    expect((await it.browser.session()).user.roles).toEqual(['approver', 'operator'])
  })

  test('works for a client without a secret', async () => {
    const it = await farm({ isPublicClient: true })
    await it.browser.signIn('sub-ana')
    expect((await it.browser.session()).user.username).toBe('ana')
  })

  test('is told to the sign-in page, and to the audit', async () => {
    const it = await farm()
    const { service } = it
    const methods = await service.app.inject({ url: '/api/v1/session/methods' })
    expect(methods.json()).toEqual({ password: true, oidc: { label: 'Company account' } })
    await it.browser.signIn('sub-ana')
    const events = await service.services.db
      .selectFrom('events')
      .select(['kind', 'action', 'data'])
      .where('kind', 'in', ['user', 'session'])
      .where('actor', 'is distinct from', 'test-admin')
      .orderBy('id')
      .execute()
    expect(events.map(({ kind, action }) => `${kind} ${action}`)).toEqual([
      'user created',
      'session signed-in',
    ])
    expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({ subject: 'sub-ana' })
  })

  test('never makes two people one because of their names', async () => {
    const it = await farm()
    it.provider.people.set('sub-2', { username: 'TEST-ADMIN', groups: ['ops'] })
    await it.browser.signIn('sub-2')
    expect((await it.browser.session()).user).toMatchObject({
      username: 'TEST-ADMIN-2',
      roles: ['approver', 'operator'],
    })
  })

  test('leaves no password by which one could sign in', async () => {
    const it = await farm()
    await it.browser.signIn('sub-ana')
    for (const password of ['any', ' ']) {
      const payload = { username: 'ana', password }
      const request = { method: 'POST' as const, url: '/api/v1/session', payload }
      expect((await it.service.app.inject(request)).statusCode).toBe(401)
    }
  })
})

describe('two tabs', () => {
  const begin = async ({ browser }: Farm) =>
    (await browser.open('/api/v1/session/oidc', 'http://127.0.0.1')).url
  const answerTo = async ({ browser }: Farm, start: URL) => {
    const page = await browser.open(start.href, CALLBACK)
    return (await browser.signInAt(page, 'sub-ana', CALLBACK)).url
  }
  const flowsOf = ({ browser }: Farm): string[] =>
    browser.cookiesOf(CALLBACK).match(/farmstead_oidc_[\w-]+=/g) ?? []

  test('each get their answer, in whatever order it comes', async () => {
    const it = await farm()
    const [first, second] = [await begin(it), await begin(it)]
    const answers = [await answerTo(it, first), await answerTo(it, second)]
    for (const url of answers) expect((await it.browser.open(url.href)).url.pathname).toBe('/')
    expect(flowsOf(it)).toEqual([])
  })

  test('lose nothing by an answer that is of neither', async () => {
    const it = await farm()
    const answer = await answerTo(it, await begin(it))
    for (const state of ['another', 'a; b', '']) {
      const url = `${CALLBACK}?${new URLSearchParams({ code: 'x', state })}`
      expect((await it.browser.open(url)).url).toEqual(turnedAway('oidc_flow_lost'))
    }
    expect((await it.browser.open(answer.href)).url.pathname).toBe('/')
  })

  test('may be four; of more the oldest is lost', async () => {
    let now = Date.now()
    const it = await farm({ now: () => now })
    const starts: URL[] = []
    for (let i = 0; i < 6; i += 1) {
      now += 1000
      starts.push(await begin(it))
    }
    expect(flowsOf(it)).toHaveLength(4)
    const kept = starts.map(({ searchParams }) =>
      flowsOf(it).includes(`farmstead_oidc_${searchParams.get('state')}=`),
    )
    expect(kept).toEqual([false, false, true, true, true, true])
  })
})

describe('nobody is signed in', () => {
  test('by an answer with another state', async () => {
    const it = await farm()
    const url = await almost(it)
    url.searchParams.set('state', 'another')
    expect((await it.browser.open(url.href)).url).toEqual(turnedAway('oidc_flow_lost'))
    expect(await it.browser.session()).toMatchObject(NOBODY)
  })

  test('in a browser that did not begin', async () => {
    const it = await farm()
    const url = await almost(it)
    const other = new Browser(it.service)
    expect((await other.open(url.href)).url).toEqual(turnedAway('oidc_flow_lost'))
    expect(await other.session()).toMatchObject(NOBODY)
  })

  test('by an answer that was used before, whoever kept the cookie', async () => {
    const it = await farm()
    const url = await almost(it)
    const [again, thief] = [it.browser.copy(), new Browser(it.service)]
    expect((await it.browser.open(url.href)).url.pathname).toBe('/')
    expect((await it.browser.open(url.href)).url).toEqual(turnedAway('oidc_flow_lost'))
    thief.restore(again)
    expect((await thief.open(url.href)).url).toEqual(turnedAway('oidc_refused'))
    expect(await thief.session()).toMatchObject(NOBODY)
  })

  test('by a token with another nonce', async () => {
    const it = await farm()
    const url = await almost(it, (start) => {
      start.searchParams.set('nonce', 'another')
      return start
    })
    expect((await it.browser.open(url.href)).url).toEqual(turnedAway('oidc_refused'))
    expect(await it.browser.session()).toMatchObject(NOBODY)
  })

  test.each([
    ['signed with a wrong key', {}, otherKey()],
    ['for another client', { aud: 'somebody' }, undefined],
    ['of another issuer', { iss: 'https://evil.example' }, undefined],
    ['that has expired', { exp: 1_700_000_000 }, undefined],
    ['for nobody', { sub: undefined }, undefined],
  ])('by a token %s', async (_name, change, key) => {
    const it = await farm()
    it.provider.falsify = (claims) => ({ claims: { ...claims, ...change }, ...(key && { key }) })
    expect((await it.browser.signIn('sub-ana')).url).toEqual(turnedAway('oidc_refused'))
    expect(await it.browser.session()).toMatchObject(NOBODY)
    // The same way is open as soon as the token is what it should be.
    it.provider.falsify = (claims) => ({ claims })
    expect((await it.browser.signIn('sub-ana')).url.pathname).toBe('/')
  })

  test('after ten minutes', async () => {
    let now = Date.now()
    const it = await farm({ now: () => now })
    const url = await almost(it)
    now += 10 * 60_000 + 1
    expect((await it.browser.open(url.href)).url).toEqual(turnedAway('oidc_flow_lost'))
  })

  test('who says no at the provider', async () => {
    const it = await farm()
    const page = await it.browser.open('/api/v1/session/oidc')
    const abort = /href="([^"]+\/abort)"/.exec(page.body)?.[1] ?? ''
    const { url } = await it.browser.open(new URL(abort, page.url).href)
    expect(url).toEqual(turnedAway('oidc_denied'))
  })

  test('without a group that has a role', async () => {
    const it = await farm()
    it.provider.people.set('sub-ben', { username: 'ben', groups: ['choir'] })
    expect((await it.browser.signIn('sub-ben')).url).toEqual(turnedAway('oidc_no_role'))
    expect(await usersOf(it)).toHaveLength(1)
  })

  test('whose account is disabled', async () => {
    const it = await farm()
    await it.browser.signIn('sub-ana')
    const { db } = it.service.services
    await db.updateTable('users').set({ disabled: 1 }).where('username', '=', 'ana').execute()
    const again = await new Browser(it.service).signIn('sub-ana')
    expect(again.url).toEqual(turnedAway('oidc_account_disabled'))
  })
})

test('a scope given here holds for who comes through the provider, time after time', async () => {
  const it = await farm()
  const { service, browser } = it
  const inside = await enrolNode(service, { labels: { zone: 'eu' } })
  await enrolNode(service, { labels: { zone: 'us' } })
  await browser.signIn('sub-ana')
  const url = `/api/v1/users/${(await browser.session()).user.id}`
  const { headers } = await service.admin.inject({ url })
  const confined = await service.admin.inject({
    method: 'PATCH',
    url,
    payload: { scope: 'zone=eu' },
    headers: { 'if-match': String(headers.etag) },
  })
  expect(confined.statusCode).toBe(200)
  expect(await browser.session()).toMatchObject(NOBODY)
  await browser.signIn('sub-ana')
  expect((await browser.call('GET', '/nodes')).json().items).toMatchObject([{ id: inside.id }])
})

describe('groups', () => {
  test('that changed change the roles with the next sign-in, and end the sessions before', async () => {
    const it = await farm()
    await it.browser.signIn('sub-ana')
    it.provider.people.set('sub-ana', { username: 'ana', groups: ['admins'] })
    const second = new Browser(it.service)
    await second.signIn('sub-ana')
    expect((await second.session()).user.roles).toEqual(['admin'])
    expect(await it.browser.session()).toMatchObject(NOBODY)
  })

  test('that were lost are lost at once, for tokens as well', async () => {
    const it = await farm()
    await it.browser.signIn('sub-ana')
    const cookie = it.browser.cookiesOf('/api/v1/tokens')
    const owner = { cookie, inject: it.service.anonymous.inject }
    const program = await withToken(it.service, {
      ...owner,
      inject: (request) => owner.inject({ ...request, headers: { ...request.headers, cookie } }),
    })
    expect((await program.inject({ url: '/api/v1/nodes' })).statusCode).toBe(200)
    it.provider.people.set('sub-ana', { username: 'ana', groups: [] })
    const { url } = await new Browser(it.service).signIn('sub-ana')
    expect(url).toEqual(turnedAway('oidc_no_role'))
    expect(await it.browser.session()).toMatchObject(NOBODY)
    expect((await program.inject({ url: '/api/v1/nodes' })).statusCode).toBe(403)
  })
})

describe('an account with a password', () => {
  const IDENTITY = '/session/oidc/identity'

  async function signedInLocally(it: Farm, username = 'test-admin'): Promise<Browser> {
    const payload = { username, password: PASSWORD }
    const browser = new Browser(it.service)
    const response = await it.service.app.inject({
      method: 'POST',
      url: '/api/v1/session',
      payload,
    })
    browser.take(response.headers['set-cookie'])
    return browser
  }
  const linkAs = async (browser: Browser, login: string) => {
    const { url } = (await browser.call('POST', IDENTITY, { password: PASSWORD })).json()
    return await browser.signInAt(await browser.open(url), login)
  }

  test('gets an identity linked, signs in by it with the roles it has here, and unlinks it', async () => {
    const it = await farm()
    it.provider.people.set('sub-root', { username: 'whoever', groups: [] })
    const browser = await signedInLocally(it)
    expect((await browser.call('GET', IDENTITY)).json()).toEqual({
      identity: null,
      canUnlink: false,
    })
    const page = await linkAs(browser, 'sub-root')
    expect(page.url.href).toBe(`${PUBLIC_URL}/settings/single-sign-on`)
    expect((await browser.call('GET', IDENTITY)).json()).toMatchObject({
      identity: { issuer: it.provider.issuer, subject: 'sub-root' },
      canUnlink: true,
    })
    await it.browser.signIn('sub-root')
    expect((await it.browser.session()).user).toMatchObject({
      username: 'test-admin',
      roles: ['admin'],
    })
    expect((await browser.call('DELETE', IDENTITY)).statusCode).toBe(204)
    expect((await browser.call('DELETE', IDENTITY)).json()).toMatchObject({
      code: 'oidc_not_linked',
    })
    const again = await new Browser(it.service).signIn('sub-root')
    expect(again.url).toEqual(turnedAway('oidc_no_role'))
  })

  test('gets none linked by who has only its session', async () => {
    const it = await farm()
    const browser = await signedInLocally(it)
    expect((await browser.call('POST', IDENTITY, {})).json()).toMatchObject({
      code: 'password_required',
    })
    const guessed = await browser.call('POST', IDENTITY, { password: 'guess' })
    expect(guessed.json()).toMatchObject({ code: 'wrong_credentials' })
  })

  test('does not get somebody else’s identity, nor a second one', async () => {
    const it = await farm()
    await it.browser.signIn('sub-ana')
    const browser = await signedInLocally(it)
    const taken = turnedAway('oidc_identity_taken', '/settings/single-sign-on')
    expect((await linkAs(browser, 'sub-ana')).url).toEqual(taken)
    it.provider.people.set('sub-1', { username: 'one', groups: [] })
    it.provider.people.set('sub-2', { username: 'two', groups: [] })
    expect((await linkAs(await signedInLocally(it), 'sub-1')).url.search).toBe('')
    expect((await linkAs(await signedInLocally(it), 'sub-2')).url).toEqual(taken)
  })

  test('gets nothing linked when the session that asked has ended', async () => {
    const it = await farm()
    const browser = await signedInLocally(it)
    const { url } = (await browser.call('POST', IDENTITY, { password: PASSWORD })).json()
    const page = await browser.open(url)
    await browser.call('DELETE', '/session')
    expect((await browser.signInAt(page, 'sub-ana')).url).toEqual(
      turnedAway('oidc_flow_lost', '/settings/single-sign-on'),
    )
    const { db } = it.service.services
    expect(await db.selectFrom('oidc_identities').selectAll().execute()).toEqual([])
  })

  test('is needed to unlink: nobody locks themselves out', async () => {
    const it = await farm()
    await it.browser.signIn('sub-ana')
    expect((await it.browser.call('GET', IDENTITY)).json()).toMatchObject({ canUnlink: false })
    expect((await it.browser.call('DELETE', IDENTITY)).json()).toMatchObject({
      code: 'no_other_way_in',
    })
  })
})

describe('a provider that is away', () => {
  test('keeps neither the service from starting nor people from signing in with a password', async () => {
    const it = await farm()
    it.provider.away = true
    const { url } = await it.browser.open('/api/v1/session/oidc')
    expect(url).toEqual(turnedAway('oidc_away'))
    const admin = await it.service.admin.inject({
      method: 'POST',
      url: '/api/v1/session/oidc/identity',
      payload: { password: PASSWORD },
    })
    expect(admin.json()).toMatchObject({ status: 503, code: 'oidc_away' })
    it.provider.away = false
    await it.browser.signIn('sub-ana')
    expect((await it.browser.session()).user.username).toBe('ana')
  })

  test('when one comes back says so', async () => {
    const it = await farm()
    const url = await almost(it)
    it.provider.away = true
    expect((await it.browser.open(url.href)).url).toEqual(turnedAway('oidc_away'))
  })
})

test('without a provider there is none to sign in by', async () => {
  const { app, admin } = await build()
  expect((await app.inject({ url: '/api/v1/session/methods' })).json()).toEqual({
    password: true,
    oidc: null,
  })
  for (const path of ['/session/oidc', '/session/oidc/callback', '/session/oidc/identity']) {
    const response = await admin.inject({ url: `/api/v1${path}` })
    expect(response.json()).toMatchObject({ status: 404, code: 'oidc_not_configured' })
  }
})

// SPDX-License-Identifier: MIT
// Below a path of another host, whether the proxy takes that path off or leaves it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { documentBelow, withoutBase } from '../../src/plugins/base-path.ts'
import { build, client, cookieOf, PASSWORD, tempDir } from '../helper.ts'

test.each([
  ['/farm/api/v1/nodes?limit=2', '/api/v1/nodes?limit=2'],
  ['/api/v1/nodes', '/api/v1/nodes'],
  ['/farm', '/'],
  ['/farm?x=1', '/?x=1'],
  ['/farm/', '/'],
  ['/farmers/x', '/farmers/x'],
])('below /farm, %s is %s', (url, expected) => {
  expect(withoutBase('/farm')({ url })).toBe(expected)
  expect(withoutBase('')({ url })).toBe(url)
})

test('the document’s own addresses are put below, others stay', () => {
  const html = '<head><link href="/a.css"><script src="/b.js"></script><a href="//x.org/"></head>'
  expect(documentBelow('/farm', html)).toBe(
    '<head>\n    <meta name="farmstead-base" content="/farm/" /><link href="/farm/a.css"><script src="/farm/b.js"></script><a href="//x.org/"></head>',
  )
})

describe.each(['/farm', ''])('below /farm, asked for as %s/…', (prefix) => {
  const below = { config: { basePath: '/farm' } }

  test('people sign in with a cookie for there, and sign out of it', async () => {
    const { app } = await build(below)
    const credentials = { username: 'test-admin', password: PASSWORD }
    const url = `${prefix}/api/v1/session`
    const signedIn = await app.inject({ method: 'POST', url, payload: credentials })
    expect(signedIn.statusCode).toBe(201)
    expect(String(signedIn.headers['set-cookie'])).toMatch(/; Path=\/farm\/api;/)
    const person = client({ app } as never, cookieOf(signedIn))
    expect((await person.inject({ url })).statusCode).toBe(200)
    const signedOut = await person.inject({ method: 'DELETE', url })
    expect(String(signedOut.headers['set-cookie'])).toMatch(/; Path=\/farm\/api;/)
    expect((await person.inject({ url })).statusCode).toBe(401)
  })

  test('what was made is where the answer says', async () => {
    const { admin } = await build(below)
    const payload = { username: 'bob', roles: ['viewer'] }
    const url = `${prefix}/api/v1/users`
    const { headers } = await admin.inject({ method: 'POST', url, payload })
    expect(headers.location).toMatch(/^\/farm\/api\/v1\/users\/user_/)
    expect((await admin.inject({ url: String(headers.location) })).statusCode).toBe(200)
  })

  test('the console’s document names its files there', async () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'assets'))
    writeFileSync(join(dir, 'assets/a.js'), 'start()')
    writeFileSync(join(dir, 'index.html'), '<head></head><script src="/assets/a.js"></script>')
    const { app } = await build({ config: { ...below.config, consoleDir: dir } })
    const headers = { accept: 'text/html' }
    const { body } = await app.inject({ url: `${prefix}/nodes`, headers })
    expect(body).toContain('src="/farm/assets/a.js"')
    expect((await app.inject({ url: `${prefix}/assets/a.js` })).body).toBe('start()')
  })

  test('the API’s description and its reader are of there', async () => {
    const { admin, anonymous } = await build(below)
    const { servers } = (await admin.inject({ url: `${prefix}/api/v1/openapi.json` })).json()
    expect(servers).toEqual([{ url: '/farm/' }])
    const headers = { accept: 'text/html' }
    const asked = await anonymous.inject({ url: `${prefix}/api/docs`, headers })
    expect(asked.headers.location).toBe('/farm/sign-in?next=%2Fapi%2Fdocs')
  })
})

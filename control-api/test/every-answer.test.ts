// SPDX-License-Identifier: MIT
// What no answer of the API may hold or allow, route by route. Each stands for a fault that the console of another server
// had: docs/security/known-faults-elsewhere.md.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LightMyRequestResponse, RouteOptions } from 'fastify'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { makeChain } from './certificates/make.ts'
import { type Built, shared } from './helper.ts'
import { isOnPostgres } from './postgres.ts'

type Route = { method: string; url: string; permission: string; body: string }

const routes: Route[] = []
const built = shared({
  onRoute: ({ method, url, config, schema }: RouteOptions) => {
    const [permission, body] = [config?.permission ?? '', JSON.stringify(schema?.body ?? {})]
    for (const one of [method].flat()) routes.push({ method: one, url, permission, body })
  },
})

const CA = { directoryUrl: 'https://ca.example.org/directory', termsOfServiceAgreed: true }

/** One of each thing that has a secret; what was said of them, and what they are called in addresses. */
async function withSecrets(service: Built) {
  const make = async (path: string, payload: object) => {
    const made = await service.admin.inject({ method: 'POST', url: `/api/v1/${path}`, payload })
    expect(made.statusCode, made.body).toBe(201)
    return made.json()
  }
  const { chain, key } = await makeChain(['a.example'])
  const user = await make('users', { username: 'ana', roles: ['viewer'] })
  const hook = await make('webhooks', { url: 'https://hooks.example.org/', events: ['rollout'] })
  const dns = await make('dns-webhooks', { name: 'dns', url: 'https://dns.example.org/' })
  const password = 'correct horse battery staple'
  const token = await make('tokens', {
    name: 'ci',
    permissions: ['nodes:read'],
    expiresInDays: 9,
    password,
  })
  const enrolment = await make('enrolment-tokens', {})
  await make('certificates', { name: 'cert', chain, key })
  const hmacKey = randomBytes(48).toString('base64url')
  await make('certificate-authorities', {
    ...{ name: 'ca', ...CA },
    externalAccount: { keyId: 'kid', hmacKey },
  })
  const names: [part: string, name: string][] = [
    ['/users/', user.id],
    ['/dns-webhooks/', 'dns'],
    ['/webhooks/', hook.id],
    ['/enrolment-tokens/', enrolment.id],
    ['/tokens/', token.id],
    ['/certificate-authorities/', 'ca'],
    ['/certificates/', 'cert'],
    ['/versions/', '1'],
  ]
  const told = [user.oneTimePassword, hook.secret, dns.secret, token.secret, enrolment.secret]
  expect(told.every((one) => typeof one === 'string')).toBe(true)
  return { names, secrets: [...told, hmacKey, ...key.split('\n').slice(1, -2)] }
}

/** What lies in control.db and beside it that opens something, as it lies there. */
async function atRest({ services: { db }, config: { dataDir } }: Built): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select ${isOnPostgres ? sql`tablename as name from pg_tables where schemaname = 'public'` : sql`name from sqlite_schema where type = 'table'`}`.execute(
    db,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.id(name)}`.execute(db)
    for (const [column, value] of rows.flatMap((row) => Object.entries(row))) {
      if (typeof value !== 'string') continue
      // A session's digest is its name in one's own list; who has it has no session.
      const isDigest = /^(?:secret|credential|code)_digest$/.test(column)
      if (isDigest || value.startsWith('box1.') || value.startsWith('$argon2')) found.push(value)
    }
  }
  const keys = ['session.key', 'secrets.key'].map((name) =>
    readFileSync(join(dataDir, name), 'utf8'),
  )
  return [...found, ...keys]
}

/** With a name for each parameter: that of the thing where one was made. */
const addressOf = (url: string, names: [string, string][]) =>
  names
    .reduce((path, [part, name]) => path.replace(new RegExp(`${part}:\\w+`), `${part}${name}`), url)
    .replaceAll(/:\w+/g, 'x')

// nginx-ui's settings told the secret that opens everything, and the key of sign-ins: CVE-2026-42220, CVE-2026-42223.
test('no answer holds a secret, nor what is kept of one', async () => {
  const service = built()
  const { names, secrets } = await withSecrets(service)
  const kept = await atRest(service)
  expect(kept.length).toBeGreaterThan(10)
  const looks = routes.filter(
    ({ method, permission }) => method === 'GET' && permission !== 'agent',
  )
  let answered = 0
  for (const { url } of looks) {
    // No stream is opened by a number that is none.
    const headers = { 'last-event-id': 'none' }
    const { statusCode, body } = await service.admin.inject({ url: addressOf(url, names), headers })
    if (statusCode === 200) answered++
    for (const one of [...secrets, ...kept]) expect(body.includes(one), `GET ${url}`).toBe(false)
    expect(body, `GET ${url}`).not.toMatch(/\$argon2|box1\.|PRIVATE KEY-----\n/)
  }
  expect(answered).toBeGreaterThan(50)
})

// Nginx Proxy Manager lent its answers to the page that asked: its issue 4509. Caddy's admin API did as any page said:
// CVE-2026-27589.
test('no answer is lent to a page of another origin, and no preflight is granted', async () => {
  const service = built()
  const origin = 'https://elsewhere.example'
  for (const { method, url, permission } of routes) {
    if (method === 'HEAD') continue
    const path = addressOf(url, [])
    const headers = { origin, 'last-event-id': 'none', 'sec-fetch-site': 'cross-site' }
    const asked = await service.admin.inject({ method: method as 'GET', url: path, headers })
    expect([`${method} ${url}`, lentBy(asked)]).toEqual([`${method} ${url}`, []])
    if (method === 'GET' || permission === 'agent') continue
    expect([`${method} ${url}`, asked.json().code]).toEqual([`${method} ${url}`, 'cross_origin'])
  }
  const headers = { origin, 'access-control-request-method': 'PATCH' }
  for (const url of new Set(routes.map(({ url }) => addressOf(url, [])))) {
    const preflight = await service.anonymous.inject({ method: 'OPTIONS', url, headers })
    expect([url, lentBy(preflight)]).toEqual([url, []])
    expect(preflight.statusCode, url).toBeGreaterThanOrEqual(400)
  }
}, 60_000)

const lentBy = ({ headers }: LightMyRequestResponse) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

// nginx-ui's WebSockets were open to pages of other origins: CVE-2026-34403.
test('no route is a WebSocket', async () => {
  const service = built()
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'last-event-id': 'none' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
  }
  for (const { url } of routes.filter(({ method }) => method === 'GET')) {
    const { statusCode } = await service.admin.inject({ url: addressOf(url, []), headers })
    expect(statusCode, url).not.toBe(101)
  }
  expect(service.app.server.listenerCount('upgrade')).toBe(0)
})

// nginx-ui took a backup from anybody on its first day: CVE-2026-42238.
test('no route takes a backup in', () => {
  const ofBackups = routes.filter(({ url, method }) => /backup/.test(url) && method !== 'HEAD')
  expect(ofBackups.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
    'DELETE /api/v1/backups/:id',
    'GET /api/v1/backups',
    'GET /api/v1/backups/:id',
    'GET /api/v1/backups/:id/content',
    'GET /api/v1/backups/settings',
    'POST /api/v1/backups',
  ])
  expect(ofBackups.filter(({ body }) => body !== '{}')).toEqual([])
})

// Users of Nginx Proxy Manager could write roles into their own account: its issue 5441.
test('nobody’s own account has a place for roles or a scope', () => {
  const own = routes.filter(({ permission, body }) => permission.endsWith(':own') && body !== '{}')
  expect(own.length).toBeGreaterThan(3)
  for (const { method, url, body } of own) {
    expect([`${method} ${url}`, /"(?:roles|scope|disabled)"/.test(body)]).toEqual([
      `${method} ${url}`,
      false,
    ])
  }
})

// A name with encoded dots led nginx-ui to the folder of all configs, which it then removed: CVE-2026-33027.
test('no name in an address leads to a file', async () => {
  const service = built()
  const named = routes.filter(({ method, url }) => method !== 'HEAD' && url.includes('/:'))
  expect(named.length).toBeGreaterThan(60)
  const names = ['%2e%2e%2f%2e%2e%2fcontrol.db', '%2Fetc%2Fpasswd%00']
  for (const { method, url } of named) {
    for (const name of names) {
      const path = url.replaceAll(/:\w+/g, name)
      const headers = { 'if-match': '*', 'last-event-id': 'none' }
      const { statusCode } = await service.admin.inject({
        method: method as 'GET',
        url: path,
        headers,
      })
      expect([400, 404], `${method} ${path} → ${statusCode}`).toContain(statusCode)
    }
  }
}, 60_000)

// SPDX-License-Identifier: MIT
// What holds for every request: its id, its limits, its methods, and how its answer is packed.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BODY_BYTES, bodyLimitOf, limits, PUBLIC_BODY_BYTES } from '../../src/plugins/limits.ts'
import { enrolNode } from '../agents/node-client.ts'
import { type Built, build, ORIGIN, shared } from '../helper.ts'

const NODES = '/api/v1/nodes'
/** Whoever uses a limit up or listens on a port has one of its own. */
const sharedService = shared()

describe('the id of a request', () => {
  test('is the caller’s own when it is one, in the header and in a problem', async () => {
    const { admin } = sharedService()
    const headers = { 'x-request-id': 'deploy-42.step_7' }
    const good = await admin.inject({ url: NODES, headers })
    expect(good.headers['x-request-id']).toBe('deploy-42.step_7')
    const bad = await admin.inject({ url: `${NODES}?limit=0`, headers })
    expect(bad.json()).toMatchObject({ status: 400, requestId: 'deploy-42.step_7' })
    const lost = await admin.inject({ url: '/api/v1/nowhere', headers })
    expect(lost.json()).toMatchObject({ status: 404, requestId: 'deploy-42.step_7' })
  })

  test.each(['short', 'x'.repeat(65), 'with a space', 'line\\nbreak', 'grüße-aus-köln'])(
    'is made when "%s" is sent',
    async (sent) => {
      const { admin } = sharedService()
      const response = await admin.inject({ url: NODES, headers: { 'x-request-id': sent } })
      expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/)
    },
  )
})

test('a value of the wrong form is refused in words; the pattern is a hint for programs', async () => {
  const { admin } = sharedService()
  const payload = { name: 'Not A Name!', selector: '' }
  const response = await admin.inject({ method: 'POST', url: '/api/v1/groups', payload })
  expect(response.statusCode).toBe(400)
  const { detail, errors } = response.json()
  expect(detail).toBe('body/name: is not of the form that is taken here')
  expect(errors[0]).toMatchObject({ pointer: '/name', code: 'pattern' })
  expect(errors[0].hint).toContain('^')
})

describe('a path', () => {
  test('that does not take a method says which it takes', async () => {
    const { admin } = sharedService()
    const response = await admin.inject({ method: 'PATCH', url: '/api/v1/configs/default/draft' })
    expect(response.json()).toMatchObject({ status: 405, code: 'method_not_allowed' })
    expect(response.headers.allow).toBe('DELETE, GET, HEAD, PUT')
    const trace = await admin.inject({ method: 'TRACE' as 'GET', url: NODES })
    expect(trace.statusCode).toBe(405)
    const word = await admin.inject({ method: 'DELETE', url: '/api/v1/backups/settings' })
    expect(word.statusCode).toBe(405)
    expect(word.headers.allow).toBe('GET, HEAD')
  })

  test('that is none of ours is not found, with any method', async () => {
    const { admin } = sharedService()
    for (const method of ['GET', 'POST'] as const) {
      const response = await admin.inject({ method, url: '/api/v1/nodes/x/y/z' })
      expect(response.json()).toMatchObject({ status: 404, code: 'not_found' })
    }
  })
})

describe('limits', () => {
  test('are told with each answer, and count for a session, not for an address', async () => {
    const { admin, as } = sharedService()
    const remaining = async (client: typeof admin) =>
      Number((await client.inject({ url: NODES })).headers['ratelimit-remaining'])
    const first = await remaining(admin)
    expect(await remaining(admin)).toBe(first - 1)
    expect(await remaining(await as('viewer'))).toBeGreaterThan(first - 2)
    const { headers } = await admin.inject({ url: NODES })
    expect(headers).toMatchObject({ 'ratelimit-limit': '3000' })
    expect(headers).toHaveProperty('ratelimit-reset')
  })

  test('are lower for signing in, and a refusal says when to come again', async () => {
    const { app } = await build()
    const ask = () => app.inject({ method: 'POST', url: '/api/v1/session', payload: {} })
    const statuses = new Set<number>()
    let last = await ask()
    for (let i = 0; i <= limits.signIn.max; i++) {
      last = await ask()
      statuses.add(last.statusCode)
    }
    expect([...statuses].sort()).toEqual([400, 429])
    expect(last.json()).toMatchObject({ code: 'too_many_requests' })
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('a body', () => {
  test('may be as large as what it carries needs', async () => {
    const { admin } = sharedService()
    const text = 'x'.repeat(BODY_BYTES)
    const token = { labels: { text } }
    const small = await admin.inject({
      method: 'POST',
      url: '/api/v1/enrolment-tokens',
      payload: token,
    })
    expect(small.json()).toMatchObject({ status: 413, code: 'too_large' })
    const payload = { text: `// ${text}` }
    const url = '/api/v1/configs/validate'
    expect((await admin.inject({ method: 'POST', url, payload })).statusCode).toBe(200)
  })

  test('has the limit that openapi.json says', async () => {
    const { app } = sharedService()
    await app.ready()
    const { paths = {} } = app.swagger() as { paths?: Record<string, Record<string, unknown>> }
    const validate = paths['/api/v1/configs/validate']?.post
    expect(validate).toMatchObject({ 'x-body-limit-bytes': BODY_BYTES + 4 * 1024 * 1024 })
    expect(bodyLimitOf({})).toBe(BODY_BYTES)
  })
})

test('a body of who is nobody yet is small', async () => {
  const { anonymous } = sharedService()
  const payload = { username: 'ana', password: 'x'.repeat(PUBLIC_BODY_BYTES) }
  const refused = await anonymous.inject({ method: 'POST', url: '/api/v1/session', payload })
  expect(refused.json()).toMatchObject({ status: 413, code: 'too_large' })
})

describe('a query', () => {
  test('with a parameter nobody knows is refused, and does nothing', async () => {
    const { admin } = sharedService()
    const payload = { name: 'canary', selector: 'canary' }
    for (const query of ['dry_run=1', 'dryrun=1', 'dryRun=1&x=1', '__proto__=1']) {
      const url = `/api/v1/groups?${query}`
      const refused = await admin.inject({ method: 'POST', url, payload })
      expect(refused.json()).toMatchObject({ status: 400, code: 'invalid_request' })
    }
    expect((await admin.inject({ url: '/api/v1/groups/canary' })).statusCode).toBe(404)
    const near = await admin.inject({ url: `${NODES}?selektor=zone%3Deu` })
    expect(near.json().detail).toContain('Did you mean "selector"?')
  })

  test('is closed on every route but the one that identity providers call', async () => {
    const open: string[] = []
    const spelt = new Set<string>()
    await build({
      onRoute: ({ method, url, schema }) => {
        if (schema?.hide) return
        const { additionalProperties, properties = {} } = (schema?.querystring ?? {}) as {
          additionalProperties?: boolean
          properties?: object
        }
        if (additionalProperties !== false) open.push(`${method} ${url}`)
        for (const name of Object.keys(properties)) spelt.add(name)
      },
    })
    expect(open).toEqual(['GET /api/v1/session/oidc/callback'])
    expect([...spelt].filter((name) => !/^[a-z]+([A-Z][a-z]+)*$/.test(name))).toEqual([])
  })
})

describe('an answer', () => {
  const url = '/api/v1/openapi.json'
  const packed = async ({ admin }: Built, encoding: string) =>
    await admin.inject({ url, headers: { 'accept-encoding': encoding } })

  test('that is long is compressed as the caller likes it', async () => {
    const service = sharedService()
    const plain = await service.admin.inject({ url })
    expect(plain.headers['content-encoding']).toBeUndefined()
    const brotli = await packed(service, 'gzip, br')
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body)
    const gzip = await packed(service, 'gzip')
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body)
  })

  test('that is a stream of events is not: it would wait in a buffer', async () => {
    const { app, admin } = await build()
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const ended = new AbortController()
    const response = await fetch(`${origin}/api/v1/events`, {
      headers: { cookie: admin.cookie, origin: ORIGIN, 'accept-encoding': 'gzip, br' },
      signal: ended.signal,
    })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('content-encoding')).toBeNull()
    ended.abort()
  })
})

describe('a thing with an ETag', () => {
  test('is not sent again to who has it', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    const url = `${NODES}/${node.id}/override`
    const first = await service.admin.inject({ url })
    const etag = String(first.headers.etag)
    const ask = (tags: string) =>
      service.admin.inject({ url, headers: { 'if-none-match': tags, 'accept-encoding': 'br' } })
    const same = await ask(`"other", W/${etag}`)
    expect(same).toMatchObject({ statusCode: 304, body: '' })
    expect(same.headers).toMatchObject({ etag })
    expect(same.headers).not.toHaveProperty('content-type')
    expect((await ask('"other"')).statusCode).toBe(200)
    const write = { method: 'PUT' as const, url, payload: { mergePatch: { a: 1 } } }
    const headers = { 'if-match': etag, 'if-none-match': etag }
    expect((await service.admin.inject({ ...write, headers })).statusCode).toBe(200)
    expect((await ask(etag)).statusCode).toBe(200)
  })

  test('but a node changes under its ETag, so it is always sent', async () => {
    const service = sharedService()
    const { id } = await enrolNode(service)
    const { headers } = await service.admin.inject({ url: `${NODES}/${id}` })
    const again = { url: `${NODES}/${id}`, headers: { 'if-none-match': String(headers.etag) } }
    expect((await service.admin.inject(again)).statusCode).toBe(200)
  })
})

describe('an address', () => {
  test.each([`${NODES}/${'x'.repeat(200)}`, `${NODES}/%zz`])('like %s is refused', async (url) => {
    const { admin } = sharedService()
    const response = await admin.inject({ url, headers: { 'x-request-id': 'request-1' } })
    expect(response.json()).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(response.headers).toMatchObject({
      'x-request-id': 'request-1',
      'content-type': expect.stringMatching(/^application\/problem\+json/),
    })
  })

  test('does not take a method nobody knows, with a body or without', async () => {
    const { admin } = sharedService()
    for (const payload of ['{}', undefined]) {
      const query = { method: 'QUERY' as 'GET', url: NODES, ...(payload && { payload }) }
      expect((await admin.inject(query)).statusCode).toBe(405)
    }
  })
})

test('query parameters that nobody knows are refused by pages that are in no description, too', async () => {
  const { admin } = sharedService()
  for (const url of ['/metrics', '/api/v1/openapi.json', '/api/docs', '/api/docs/reader.js']) {
    expect((await admin.inject({ url })).statusCode, url).toBe(200)
    const refused = await admin.inject({ url: `${url}?x=1` })
    expect([refused.statusCode, refused.json().detail], url).toEqual([
      400,
      'querystring/x: is not known here: remove it or check its spelling',
    ])
  }
})

// SPDX-License-Identifier: MIT
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { build, tempDir } from '../helper.ts'

function builtConsole(): string {
  const dir = join(tempDir(), 'dist')
  mkdirSync(join(dir, 'assets'), { recursive: true })
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>Farmstead</title>')
  writeFileSync(join(dir, 'assets', 'app-1a2b3c.js'), 'start()')
  writeFileSync(join(dir, '..', 'secret.txt'), 'not for you')
  return dir
}
const html = { accept: 'text/html,application/xhtml+xml' }

describe('the console', () => {
  test('is one document for every page, checked again at each visit', async () => {
    const { app } = await build({ config: { consoleDir: builtConsole() } })
    for (const url of ['/', '/nodes', '/configs/default/versions/3?from=2']) {
      const response = await app.inject({ url, headers: html })
      expect(response.statusCode).toBe(200)
      expect(response.body).toMatch('<title>Farmstead')
      expect(response.headers['cache-control']).toBe('public, max-age=0')
    }
  })

  test('lets browsers keep what has a hash in its name', async () => {
    const { app } = await build({ config: { consoleDir: builtConsole() } })
    const response = await app.inject({ url: '/assets/app-1a2b3c.js' })
    expect(response.body).toBe('start()')
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(response.headers['content-type']).toMatch('javascript')
  })

  test('sends the compressed copy that lies beside a file to who takes it', async () => {
    const consoleDir = builtConsole()
    const copy = brotliCompressSync('start()')
    writeFileSync(join(consoleDir, 'assets', 'app-1a2b3c.js.br'), copy)
    const { app } = await build({ config: { consoleDir } })
    const url = '/assets/app-1a2b3c.js'
    const response = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
    expect(response.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': expect.stringMatching('javascript'),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: expect.stringMatching(/accept-encoding/i),
    })
    expect(response.rawPayload).toEqual(copy)
    expect((await app.inject({ url })).body).toBe('start()')
  })

  test('is served whole while the service is overloaded, which its pages then say', async () => {
    const pressure = { maxEventLoopDelay: 1, maxHeapUsedBytes: 1, sampleInterval: 10 }
    const { app } = await build({ config: { consoleDir: builtConsole() }, pressure })
    await app.ready()
    await expect.poll(async () => (await app.inject({ url: '/api/v1/setup' })).statusCode).toBe(503)
    for (const url of ['/', '/assets/app-1a2b3c.js']) {
      expect((await app.inject({ url, headers: html })).statusCode).toBe(200)
    }
  })

  test.each([
    ['/assets/app-old.js', html],
    ['/api/v1/nowhere', html],
    ['/nodes', { accept: 'application/json' }],
    ['/..%2fsecret.txt', { accept: '*/*' }],
    ['/%2e%2e/secret.txt', { accept: '*/*' }],
  ])('answers 404, not the document, for %s', async (url, headers) => {
    const { app } = await build({ config: { consoleDir: builtConsole() } })
    const response = await app.inject({ url, headers })
    expect(response.json()).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('allows its pages no foreign code, frames or connections', async () => {
    const { app } = await build({ config: { consoleDir: builtConsole() } })
    const { headers } = await app.inject({ url: '/', headers: html })
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/default-src 'none'/)
    expect(policy).toMatch(/script-src 'self';/)
    expect(policy).toMatch(/connect-src 'self';/)
    expect(policy).toMatch(/frame-ancestors 'none'/)
    expect(policy).not.toMatch(/unsafe-eval/)
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('says how to build it when the folder holds none', async () => {
    const built = build({ config: { consoleDir: tempDir() } })
    await expect(built).rejects.toThrow(/holds no index.html. Build the console/)
  })
})

describe('problems', () => {
  test('an unknown path says where to look', async () => {
    const { anonymous } = await build()
    const response = await anonymous.inject({ url: '/api/v1/nowhere' })
    expect(response.headers['content-type']).toMatch('application/problem+json')
    expect(response.json()).toEqual({
      type: 'about:blank',
      title: 'Nothing here',
      status: 404,
      code: 'not_found',
      detail: expect.stringMatching(/There is no GET \/api\/v1\/nowhere/),
      requestId: response.headers['x-request-id'],
    })
  })

  test('a failure of ours tells nothing but the request id', async () => {
    const { admin, services } = await build()
    await services.db.schema.dropTable('assignments').execute()
    await services.db.schema.dropTable('enrolment_tokens').execute()
    const response = await admin.inject({ url: '/api/v1/enrolment-tokens' })
    expect(response.json()).toMatchObject({ status: 500, code: 'internal' })
    expect(response.body).not.toMatch(/enrolment_tokens|sqlite|no such table/i)
  })

  test('a body that is not JSON, or too much of it, is the sender’s affair', async () => {
    const { app } = await build()
    const send = (payload: string) =>
      app.inject({
        method: 'POST',
        url: '/api/v1/session',
        payload,
        headers: { 'content-type': 'application/json' },
      })
    expect((await send('{"username":')).json()).toMatchObject({
      status: 400,
      code: 'invalid_request',
    })
    const large = JSON.stringify({ username: 'x'.repeat(5 * 1024 * 1024) })
    expect((await send(large)).json()).toMatchObject({ status: 413, code: 'too_large' })
  })
})

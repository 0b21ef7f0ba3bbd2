// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { build } from './helper.ts'

const COMMITTED = resolve(import.meta.dirname, '../openapi.json')
type Operation = { operationId?: string; tags?: string[]; summary?: string; responses: object }

test('openapi.json is what the routes say (else: npm run openapi)', async () => {
  const { app } = await build()
  await app.ready()
  expect(`${JSON.stringify(app.swagger(), null, 2)}\n`).toBe(readFileSync(COMMITTED, 'utf8'))
})

test('every operation has a name of its own, a tag, a summary and its refusals', async () => {
  const { app } = await build()
  await app.ready()
  const { paths = {} } = app.swagger() as unknown as {
    paths?: Record<string, Record<string, Operation>>
  }
  const names = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, tags, summary, responses } = operation
      expect({ path, method, operationId, tags, summary }).toEqual({
        path,
        method,
        operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
        tags: [expect.any(String)],
        summary: expect.any(String),
      })
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['4XX', '5XX']))
      return operationId
    }),
  )
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(10)
})

test('the description is served to who is signed in', async () => {
  const { admin, anonymous } = await build()
  const url = '/api/v1/openapi.json'
  expect((await anonymous.inject({ url })).statusCode).toBe(401)
  expect((await admin.inject({ url })).json()).toMatchObject({ openapi: '3.1.0' })
})

test('what is long is compressed for who can read it', async () => {
  const { admin } = await build()
  const url = '/api/v1/openapi.json'
  const gzip = await admin.inject({ url, headers: { 'accept-encoding': 'gzip' } })
  expect(gzip.headers['content-encoding']).toBe('gzip')
  expect(JSON.parse(gunzipSync(gzip.rawPayload).toString())).toMatchObject({ openapi: '3.1.0' })
  const plain = await admin.inject({ url })
  expect(plain.headers['content-encoding']).toBeUndefined()
})

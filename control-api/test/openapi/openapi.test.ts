// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { defineError } from '../../src/api-shapes/errors.ts'
import { LONGEST_PATH_PART } from '../../src/http/create.ts'
import { isSchema } from '../../src/json/json-schema.ts'
import { exampleOf } from '../../src/openapi/examples.ts'
import { refusalsOf } from '../../src/openapi/refusals.ts'
import { shared } from '../helper.ts'

const COMMITTED = resolve(import.meta.dirname, '../../openapi.json')
type Media = { schema?: object; example?: unknown; examples?: object }
type Body = { description?: string; content?: Record<string, Media>; 'x-problem-codes'?: string[] }
type Parameter = {
  name: string
  in: string
  schema?: { type?: string; pattern?: string; maxLength?: number }
}
type Operation = {
  operationId: string
  tags: string[]
  summary: string
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, Body>
}
type Described = {
  document: object
  tags: { name: string; description: string }[]
  operations: { path: string; method: string; operation: Operation }[]
}

const service = shared()

async function describeIt(): Promise<Described> {
  const { app } = service()
  await app.ready()
  const document = app.swagger() as unknown as {
    paths: Record<string, Record<string, Operation>>
    tags: Described['tags']
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return { document, tags: document.tags, operations }
}

test('openapi.json is what the routes say (else: npm run openapi)', async () => {
  const { document } = await describeIt()
  expect(`${JSON.stringify(document, null, 2)}\n`).toBe(readFileSync(COMMITTED, 'utf8'))
})

test('it is OpenAPI 3.1 by a validator of its own', async () => {
  const config = await createConfig({ extends: ['spec'] })
  const text = readFileSync(COMMITTED, 'utf8')
  const lint = async (source: string) => {
    const found = await lintFromString({ source, config })
    return found.map(({ message, location }) => [location[0]?.pointer, message])
  }
  expect(await lint(text)).toEqual([])
  // It finds what is wrong: asked of one path of it, as all take seconds.
  const { paths, ...rest } = JSON.parse(text)
  const one = JSON.stringify({
    ...rest,
    paths: Object.fromEntries(Object.entries(paths).slice(0, 1)),
  })
  expect(await lint(one)).toEqual([])
  expect(await lint(one.replace('"operationId"', '"operation"'))).not.toEqual([])
})

test('every operation has a name of its own, a tag that is described, and a summary', async () => {
  const { operations, tags } = await describeIt()
  const described = new Map(tags.map(({ name, description }) => [name, description]))
  for (const { path, method, operation } of operations) {
    const { operationId, summary } = operation
    const where = `${method} ${path}`
    expect(operationId, where).toMatch(/^[a-z][A-Za-z]+$/)
    expect(summary, where).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.tags, where).toHaveLength(1)
    expect(described.get(operation.tags[0] ?? ''), `${where}: see openapi/tags.ts`).toMatch(/\.$/)
  }
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(10)
})

test('every operation lists its refusals by status and code', async () => {
  const { operations } = await describeIt()
  for (const { path, method, operation } of operations) {
    const where = `${method} ${path}`
    const refused = Object.entries(operation.responses).filter(([status]) => /^[45]/.test(status))
    expect(Object.keys(operation.responses), where).toContain('500')
    // What is named in a path may be missing: the route's config says with which error.
    if (/\{(id|name|number)\}/.test(path) && method !== 'post') {
      expect(Object.keys(operation.responses), `${where}: config.errors`).toContain('404')
    }
    for (const [status, { content, ...refusal }] of refused) {
      if (content?.['application/problem+json'] === undefined) continue
      const codes = refusal['x-problem-codes'] ?? []
      expect(codes.length, `${where} ${status}`).toBeGreaterThan(0)
      for (const code of codes) expect(refusal.description).toContain(`\`${code}\`: `)
      expect(Object.keys(content['application/problem+json'].examples ?? {})).toEqual(codes)
    }
  }
})

test('every body has an example, and each example fits its schema', async () => {
  const { document, operations } = await describeIt()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'api')
  const fits = (pointer: string, media: Media, where: string) => {
    expect(media, where).toHaveProperty('example')
    const validate = ajv.compile({ $ref: `api#${pointer}/schema` })
    expect(validate(media.example), `${where}: ${ajv.errorsText(validate.errors)}`).toBe(true)
  }
  for (const { path, method, operation } of operations) {
    const at = `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`
    const bodies: [string, Body | undefined][] = [
      [`${at}/requestBody`, operation.requestBody],
      ...Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, body]): [string, Body] => [`${at}/responses/${status}`, body]),
    ]
    for (const [pointer, body] of bodies) {
      for (const [type, media] of Object.entries(body?.content ?? {})) {
        const escaped = type.replaceAll('/', '~1')
        fits(`${pointer}/content/${encodeURI(escaped)}`, media, `${method} ${path}: ${type}`)
      }
    }
  }
})

test('the router reads every part of a path that its schema takes', async () => {
  const { operations } = await describeIt()
  const parts = operations.flatMap(({ path, operation }) =>
    (operation.parameters ?? [])
      .filter((one) => one.in === 'path')
      .map((one) => ({ path, ...one })),
  )
  expect(parts.length).toBeGreaterThan(50)
  for (const { path, name, schema } of parts) {
    const { type, pattern, maxLength = Number.POSITIVE_INFINITY } = schema ?? {}
    // An id is as long as its pattern says; a character is two UTF-16 units at most.
    if (type === 'string' && !/^\^[^*+]*\$$/.test(pattern ?? ''))
      expect(maxLength * 2, `${path}: ${name}`).toBeLessThanOrEqual(LONGEST_PATH_PART)
  }
})

/** Where a schema takes whole numbers that are beyond exact ones: PostgreSQL stores none of 64 bits and more. */
function endlessIn(schema: unknown, where: string): string[] {
  if (!isSchema(schema)) return []
  const { type, maximum } = schema
  const isEndless = type === 'integer' && !(Number(maximum) <= Number.MAX_SAFE_INTEGER)
  const parts = Object.entries(schema).flatMap(([name, part]) =>
    [part].flat().flatMap((one) => endlessIn(one, `${where}/${name}`)),
  )
  return isEndless ? [where, ...parts] : parts
}

test('a number that somebody sends has an end', async () => {
  const { operations } = await describeIt()
  expect(endlessIn({ items: { anyOf: [{ type: 'integer', minimum: 1 }] } }, '')).toHaveLength(1)
  for (const { path, method, operation } of operations) {
    const sent = [operation.parameters, operation.requestBody?.content].map((part) => ({ part }))
    expect(endlessIn({ sent }, `${method} ${path}`)).toEqual([])
  }
})

test('an example is made of what a schema says', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      given: { type: 'string', examples: ['a', 'b'] },
      either: { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 7 }] },
      list: { type: 'array', items: { enum: ['x', 'y'] } },
      merged: {
        allOf: [{ type: 'object', properties: { a: { default: 2 } } }, { type: 'object' }],
      },
      anything: {},
    },
  }
  expect(exampleOf(schema)).toEqual({
    name: 'name',
    given: 'a',
    either: 7,
    list: ['x'],
    merged: { a: 2 },
    anything: {},
  })
})

test('what a route refuses with follows from its kind and from what it names', () => {
  const Odd = defineError(409, 'odd', 'Odd', () => '')
  const codes = (route: Parameters<typeof refusalsOf>[0]) =>
    refusalsOf(route).map(({ code }) => code)
  expect(codes({ method: 'GET', config: { permission: 'public', rateLimit: false } })).toEqual([
    'internal',
    'overloaded',
  ])
  expect(codes({ method: 'POST', config: { heavy: true } })).toContain('too_much_at_once')
  const change = codes({
    method: 'PUT',
    schema: { headers: { properties: { 'if-match': {} } } },
    config: { permission: 'nodes:write', errors: [Odd] },
  })
  expect(change).toEqual(
    expect.arrayContaining(['odd', 'cross_origin', 'precondition_required', 'storage_full']),
  )
})

test('the description is served to who is signed in', async () => {
  const { admin, anonymous } = service()
  const url = '/api/v1/openapi.json'
  expect((await anonymous.inject({ url })).statusCode).toBe(401)
  expect((await admin.inject({ url })).json()).toMatchObject({ openapi: '3.1.0' })
})

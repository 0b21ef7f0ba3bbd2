// SPDX-License-Identifier: MIT
// A schema is compiled when the first request is held against it, long after the start: here each is, whatever is asked.
import fastJsonStringify from 'fast-json-stringify'
import type { RouteOptions } from 'fastify'
import { expect, test } from 'vitest'
import { compileOnce, compileWhenCalled } from '../../src/json/compile-once.ts'
import { withoutNullUnions } from '../../src/plugins/serialization.ts'
import { createAjv } from '../../src/plugins/validation.ts'
import { build } from '../helper.ts'

test('every schema of every route can be compiled', async () => {
  const routes: RouteOptions[] = []
  await build({ onRoute: (route) => routes.push(route) })
  const [bodies, texts] = [createAjv(false), createAjv(true)]
  const asBody = compileOnce((schema: object) => bodies.compile(schema))
  const asText = compileOnce((schema: object) => texts.compile(schema))
  const asAnswer = compileOnce((schema: object) => fastJsonStringify(withoutNullUnions(schema)))
  for (const { method, url, schema = {} } of routes) {
    const compileAll = () => {
      for (const part of bodiesOf(schema.body)) asBody(part)
      for (const part of [schema.params, schema.querystring, schema.headers]) {
        if (part) asText(part)
      }
      for (const part of answersOf(schema.response)) asAnswer(part)
    }
    expect(compileAll, `${method} ${url}`).not.toThrow()
  }
  expect(routes.length).toBeGreaterThan(100)
})

/** One for each media type, where the route says so. */
function bodiesOf(body: unknown): object[] {
  const { content } = (body ?? {}) as { content?: Record<string, { schema: object }> }
  if (content) return Object.values(content).map(({ schema }) => schema)
  return body ? [body] : []
}

function answersOf(response: unknown): object[] {
  return Object.values(response ?? {}).flatMap((one) =>
    one.content
      ? Object.values<{ schema: object }>(one.content).map(({ schema }) => schema)
      : [one],
  )
}

test('a function is compiled once for schemas of one text, when it is called', () => {
  const compiled: object[] = []
  const compile = compileWhenCalled((schema: { max: number }) => {
    compiled.push(schema)
    return (value: number) => value <= schema.max
  })
  const [one, same, other] = [compile({ max: 1 }), compile({ max: 1 }), compile({ max: 2 })]
  expect(compiled).toEqual([])
  expect([one(1), same(2), other(2)]).toEqual([true, false, true])
  expect(compiled).toEqual([{ max: 1 }, { max: 2 }])
})

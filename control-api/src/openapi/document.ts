// SPDX-License-Identifier: MIT
// What @fastify/swagger does not say of an operation: its refusals, by code, and examples.
import type { FastifySchema } from 'fastify'
import { ProblemSchema } from '../api-shapes/common.ts'
import type { Refusal } from '../api-shapes/errors.ts'
import { hasProperty, isSchema, type JsonSchema } from '../json/json-schema.ts'
import { exampleOf } from './examples.ts'
import { type DescribedRoute, refusalsOf } from './refusals.ts'

type Responses = Record<string, unknown>
const PROBLEM = 'application/problem+json'
const anyProblem = { content: { [PROBLEM]: { schema: ProblemSchema } } }
const ANY_REFUSAL = { '4xx': anyProblem, '5xx': anyProblem }

/** How a route's answers become text: whatever it refuses with, it is a problem. */
export const serializedAs = (own: unknown): FastifySchema['response'] => ({
  ...(isSchema(own) && own),
  ...ANY_REFUSAL,
})

/**
 * Each refusal by its status, which takes a tenth of a start to write down: only for who asks for the description. A route
 * may give a status a schema of its own, for the members its problems carry.
 */
export function withRefusals(route: DescribedRoute): FastifySchema['response'] {
  const own: Responses = Object.fromEntries(
    Object.entries(route.schema?.response ?? {}).filter(([status]) => !(status in ANY_REFUSAL)),
  )
  const byStatus = Map.groupBy(refusalsOf(route), ({ statusCode }) => String(statusCode))
  const refused = [...byStatus].map(([status, refusals]) => [
    status,
    describeRefusals(refusals, own[status]),
  ])
  const notModified = hasProperty(route.schema?.headers, 'if-none-match') && {
    304: { type: 'null', description: 'It is still what If-None-Match names' },
  }
  return { ...own, ...notModified, ...Object.fromEntries(refused) }
}

function describeRefusals(refusals: readonly Refusal[], own: unknown) {
  const lines = refusals.map(({ code, title }) => `- \`${code}\`: ${title}`)
  // A status that is no problem, such as the 503 of a health check, is described by its route.
  if (isSchema(own) && 'content' in own) return own
  return {
    description: lines.join('\n'),
    content: { [PROBLEM]: { schema: isSchema(own) ? own : ProblemSchema } },
  }
}

/** What answers 304 has an ETag. */
export function addEtags(document: object): void {
  for (const { responses } of operationsOf(document)) {
    if (!isSchema(responses) || !('304' in responses) || !isSchema(responses['200'])) continue
    const description = 'Of this state: for If-None-Match, and for If-Match when changing it'
    responses['200'].headers = { ETag: { description, schema: { type: 'string' } } }
  }
}

/** Gives each request and each success an example, and each refusal one per code. */
export function addExamples(document: object): void {
  for (const operation of operationsOf(document)) {
    for (const media of mediaOf(operation.requestBody)) media.example ??= exampleOf(media.schema)
    for (const [status, response] of entriesOf(operation.responses)) {
      if (status.startsWith('2')) {
        for (const media of mediaOf(response)) media.example ??= exampleOf(media.schema)
      } else addProblemExamples(status, response)
    }
  }
}

function addProblemExamples(status: string, response: JsonSchema): void {
  const { description, content } = response
  const media = isSchema(content) ? content[PROBLEM] : undefined
  if (!isSchema(media) || typeof description !== 'string') return
  const found = [...description.matchAll(/^- `(\w+)`: (.+)$/gm)]
  response['x-problem-codes'] = [...new Set(found.map(([, code]) => code))]
  media.examples = Object.fromEntries(
    found.map(([, code = '', title = '']) => {
      const value = { type: 'about:blank', title, status: Number(status), code, detail: title }
      return [code, { value: { ...value, requestId: 'req_01jd4q6v2m8w3x5y7z9abcdefg' } }]
    }),
  )
}

export const operationsOf = (document: object): JsonSchema[] =>
  entriesOf('paths' in document ? document.paths : {}).flatMap(([, path]) =>
    entriesOf(path).map(([, operation]) => operation),
  )

const mediaOf = (body: unknown): JsonSchema[] =>
  isSchema(body) ? entriesOf(body.content).map(([, media]) => media) : []

const entriesOf = (value: unknown): [string, JsonSchema][] =>
  Object.entries(isSchema(value) ? value : {}).filter((entry): entry is [string, JsonSchema] =>
    isSchema(entry[1]),
  )

// SPDX-License-Identifier: MIT
// How bodies are read: JSON in UTF-8, and nothing that would be stored as another text than was sent. JSON is
// the only type, so that no foreign page sends one unasked: see the second lock in access.ts.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ConfigError } from '../api-shapes/common.ts'
import { NotJson, NotUtf8, NulCharacter } from '../api-shapes/errors.ts'
import { decodeUtf8, type Fault, loneSurrogate, nulCharacter } from '../base/utf8.ts'
import { isMergePatch, MERGE_PATCH } from './merge-patch.ts'

const JSON_TYPE = 'application/json'
const CHARSETS = new Set(['utf-8', 'utf8', 'us-ascii'])

/** Must be called before the routes are added. */
export function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(JSON_TYPE)
  app.addContentTypeParser<Buffer>(
    [JSON_TYPE, MERGE_PATCH],
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      // Sent in pieces, so that nobody knew that there is nothing.
      if (bytes.length === 0 && takesNone(request)) return done(null, undefined)
      try {
        requireType(request)
        const text = textOf(bytes)
        parseJson(request, text, (error, body) => done(error, body))
      } catch (error) {
        done(error as Error)
      }
    },
  )
  // Programs that say with each request that it is JSON say so of none, too.
  app.addHook('preParsing', async (request) => {
    if (takesNone(request) && isEmpty(request)) delete request.headers['content-type']
  })
  // After it fits its schema: before, it may be anything, and large.
  app.addHook('preHandler', async ({ body }) => requireCharacters(body))
}

const takesNone = ({ routeOptions }: FastifyRequest) => routeOptions.schema?.body === undefined

const isEmpty = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0

function requireType({ headers, method }: FastifyRequest): void {
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  if (isMergePatch({ headers }) && method !== 'PATCH') throw new NotJson()
  const charset = parameters
    .map((one) => /^\s*charset="?([^"]*)"?\s*$/.exec(one)?.[1])
    .find((one) => one !== undefined)
  if (charset !== undefined && !CHARSETS.has(charset)) throw new NotJson()
}

function textOf(bytes: Buffer): string {
  const decoded = decodeUtf8(bytes)
  if (decoded.ok) return decoded.text
  throw refusalOf('', decoded.fault)
}

/** An escape can say what no UTF-8 can. */
function requireCharacters(body: unknown): void {
  const open: { pointer: string; value: unknown }[] = [{ pointer: '', value: body }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { pointer, value } = next
    if (typeof value === 'string') refuseLone(pointer, value)
    if (typeof value !== 'object' || value === null) continue
    for (const [key, member] of Object.entries(value)) {
      refuseLone(pointer, key)
      const here = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (typeof member === 'string' || typeof member === 'object') {
        open.push({ pointer: here, value: member })
      }
    }
  }
}

function refuseLone(pointer: string, text: string): void {
  const fault = loneSurrogate(text)
  if (fault) throw refusalOf(pointer, fault)
  const nul = nulCharacter(text)
  if (nul)
    throw new NulCharacter(placeOf(pointer, nul)).withErrors([
      errorAt(pointer, nul, NulCharacter.code, ''),
    ])
}

function refusalOf(pointer: string, fault: Fault) {
  const error = errorAt(pointer, fault, NotUtf8.code, 'save the text as UTF-8')
  return new NotUtf8(placeOf(pointer, fault)).withErrors([error])
}

const placeOf = (pointer: string, { line, column, what }: Fault) =>
  `body${pointer}, line ${line}, column ${column}: ${what}`

const errorAt = (
  pointer: string,
  { line, column, what: message }: Fault,
  code: string,
  hint: string,
): ConfigError => ({
  ...{ pointer, line, column, endLine: line, endColumn: column + 1 },
  ...{ code, message, hint },
})

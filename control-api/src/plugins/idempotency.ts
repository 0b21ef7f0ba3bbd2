// SPDX-License-Identifier: MIT
// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header) on each POST that makes or starts
// something: a caller that heard no answer sends the request again, and gets the first one's answer.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { sha256 } from '../base/ids.ts'
import type { IdempotencyKeys, KeyedRequest, Outcome } from '../idempotency/keys.ts'
import { isSchema } from '../json/json-schema.ts'

const HEADER = 'idempotency-key'
const KEY_SCHEMA = {
  type: 'string',
  pattern: '^[\\x21-\\x7e]{1,128}$',
  description:
    'Made up by the caller, such as a UUID, once for this request and its repetitions. Within a day the same request with it is not done again: its answer comes with `idempotent-replay: true`.',
  examples: ['6f1d8a52-93c4-4c3b-9e0a-2b7f1c5d8e90'],
}
/** Of an answer, what tells about the thing that was made. */
const KEPT_HEADERS = ['content-type', 'etag', 'location'] as const

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while the first request with its key is answered. */
    keyed: KeyedRequest | null
  }
}

/** Must be called before the routes are described, and before what compresses their answers. */
export function answerOnce(app: FastifyInstance, keys: IdempotencyKeys): void {
  app.decorateRequest('keyed', null)
  app.addHook('onRoute', (route) => {
    if (!takesKey(route)) return
    route.schema = { ...route.schema, headers: withKey(route.schema?.headers) }
    route.preHandler = [begin, ...[route.preHandler ?? []].flat()]
    route.onSend = [finish, ...[route.onSend ?? []].flat()]
  })

  async function begin(request: FastifyRequest, reply: FastifyReply) {
    const keyed = keyedRequest(request)
    if (!keyed) return
    const answer = await keys.begin(keyed)
    if (!answer) {
      request.keyed = keyed
      return
    }
    const { status, headers, body } = answer
    return reply.code(status).headers(headers).header('idempotent-replay', 'true').send(body)
  }

  async function finish(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
    const { keyed } = request
    if (!keyed) return payload
    request.keyed = null
    try {
      await keys.finish(keyed, outcomeOf(request, reply, payload))
    } catch (error) {
      // It is done; that a repetition will hear 409 is no reason to tell this caller otherwise.
      request.log.error({ err: error }, 'the answer could not be kept for its Idempotency-Key')
    }
    return payload
  }
}

function takesKey({ method, config }: RouteOptions): boolean {
  const { permission, idempotency } = config ?? {}
  return method === 'POST' && permission !== 'public' && idempotency !== false
}

function withKey(headers: unknown) {
  const own = isSchema(headers) ? headers : { type: 'object' }
  const properties = isSchema(own.properties) ? own.properties : {}
  return { ...own, properties: { ...properties, [HEADER]: KEY_SCHEMA } }
}

function keyedRequest({ headers, user, routeOptions, url, body }: FastifyRequest) {
  const key = headers[HEADER]
  if (typeof key !== 'string' || !user) return null
  return {
    caller: user.token?.id ?? user.id,
    route: `POST ${routeOptions.url}`,
    key,
    digest: sha256(`${url}\n${JSON.stringify(body ?? null)}`),
  }
}

/** A refusal changed nothing, nor did a full or busy disk: the key may be used again. */
const NOTHING_DONE = new Set([503, 507])

function outcomeOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): Outcome {
  const { statusCode: status } = reply
  if ((status >= 400 && status < 500) || NOTHING_DONE.has(status)) return { kind: 'forget' }
  if (status >= 300) return { kind: 'unknown' }
  const isKept = !request.routeOptions.config.secretAnswer && typeof payload === 'string'
  const hasNoBody = payload === null || payload === undefined
  if (!isKept && !hasNoBody) return { kind: 'done', answer: null }
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name)
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
  return { kind: 'done', answer: { status, headers, body: isKept ? payload : '' } }
}

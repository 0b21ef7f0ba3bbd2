// SPDX-License-Identifier: MIT
// If-None-Match (RFC 9110, 13.1.2) on routes that declare it: who has the current state of a thing
// already is not sent it again. Not on a node: its state and measurements change under its ETag.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isNamed, namedBy } from '../http/etags.ts'
import { hasProperty } from '../json/json-schema.ts'

/** Must be called before the routes are added, and before what compresses their answers. */
export function answerConditionally(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!hasProperty(route.schema?.headers, 'if-none-match')) return
    const skipKnown = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
      if (!isKnown(request, reply)) return payload
      reply.code(304).removeHeader('content-type').removeHeader('content-length')
      return null
    }
    route.onSend = [skipKnown, ...[route.onSend ?? []].flat()]
  })
}

function isKnown({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  const etag = reply.getHeader('etag')
  const given = headers['if-none-match']
  if (reply.statusCode !== 200 || typeof etag !== 'string' || given === undefined) return false
  // What is no list of tags is as if it were not there: the answer is sent.
  const named = namedBy(given)
  return named !== null && isNamed(etag, named)
}

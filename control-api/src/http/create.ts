// SPDX-License-Identifier: MIT
// What the console's listener and the agents' listener have in common.
import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyServerFactory, LogController } from 'fastify'
import { newId } from '../base/ids.ts'
import type { LogLevel } from '../base/log-level.ts'
import type { App } from './app-types.ts'
import { sendFrameworkProblem } from './problems.ts'

type Options = {
  logLevel: LogLevel
  trustProxy: string[] | false
  bodyLimit: number
  /** Where a request is meant for, of what it asks for. */
  rewriteUrl?: (request: Pick<IncomingMessage, 'url'>) => string
  /** Left out: plain HTTP. */
  serverFactory?: FastifyServerFactory
}

export const REQUEST_WITHIN_MS = 60_000

/** UTF-16 units of one part of a path, decoded: a host of 255 characters is the longest that a route takes. */
export const LONGEST_PATH_PART = 512

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/

/** A caller's own id is kept, so that its log and ours name a request alike; what is odd could forge lines. */
const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('req')

export function createFastify(options: Options): App {
  const { logLevel, trustProxy, bodyLimit, rewriteUrl, serverFactory } = options
  const app = Fastify({
    // Standard output is for people; server.ts writes there where to go and how to sign in.
    logger: { level: logLevel, stream: process.stderr },
    // plugins/request-log.ts writes one line where Fastify would write two.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    bodyLimit,
    ...(rewriteUrl && { rewriteUrl }),
    frameworkErrors: sendFrameworkProblem,
    ...(serverFactory && { serverFactory }),
    // To send a request, not to wait for its answer: who dribbles bytes must not hold a socket for ever.
    requestTimeout: REQUEST_WITHIN_MS,
    // Keep-alive connections without a request must not hold the shutdown up.
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: LONGEST_PATH_PART },
  }).withTypeProvider<TypeBoxTypeProvider>()
  // JSON is the only body we read: see the second lock in plugins/access.ts.
  app.removeContentTypeParser('text/plain')
  return app
}

// SPDX-License-Identifier: MIT
// One line per answered request. No headers and no bodies: those carry cookies, passwords and tokens.
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** Which requests that went well are worth a line to nobody but who looks for a fault. */
type Options = { isRoutine: (request: FastifyRequest) => boolean }

export const requestLogPlugin = fp<Options>(
  async (app, { isRoutine }) => {
    app.addHook('onResponse', async (request, reply) => {
      const quiet = reply.statusCode < 400 && isRoutine(request)
      const line = {
        method: request.method,
        // Without its query: a query may carry what somebody typed.
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        user: request.user?.username,
      }
      request.log[quiet ? 'debug' : 'info'](line, 'request')
    })
  },
  { name: 'request-log' },
)

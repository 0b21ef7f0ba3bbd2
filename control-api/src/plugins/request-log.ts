// SPDX-License-Identifier: MIT
// One line per answered request. No headers and no bodies: those carry cookies, passwords and tokens.
import fp from 'fastify-plugin'

export const requestLogPlugin = fp(
  async (app) => {
    app.addHook('onResponse', async (request, reply) => {
      const quiet = request.method === 'GET' && reply.statusCode < 400
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

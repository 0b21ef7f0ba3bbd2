// SPDX-License-Identifier: MIT
// Gives every request its origin for the audit; see audit/origin.ts.
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Origin, runAs } from '../audit/origin.ts'

type Options = { /** Who speaks on this listener. */ listener: 'people' | 'agents' }

export const requestContextPlugin = fp<Options>(
  async (app, { listener }) => {
    const originOf = (request: FastifyRequest) => (): Origin => {
      const token = request.user?.token ?? null
      return {
        via: listener === 'agents' ? 'agent' : token ? 'token' : 'session',
        tokenId: token?.id ?? null,
        requestId: request.id,
        address: request.ip,
      }
    }
    app.addHook('onRequest', (request, _reply, done) => runAs(originOf(request), done))
    // Reading the body leaves the context: its last byte is the socket's event, not the request's.
    app.addHook('preValidation', (request, _reply, done) => runAs(originOf(request), done))
  },
  { name: 'request-context' },
)

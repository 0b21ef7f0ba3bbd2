// SPDX-License-Identifier: MIT
// How many requests were answered, how, and how long that took. By listener, method and class of status:
// few series, whatever is asked for.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HistogramSum } from '../../histogram/sum.ts'
import type { Family } from './exposition.ts'

type Listener = 'people' | 'agents'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Open on purpose: their times say nothing. */
const WAITS = new Set(['/agent/v1/desired', '/agent/v1/report', '/api/v1/events'])

export function createRequestCounter() {
  const answered = new Map<string, { labels: Record<string, string>; value: number }>()
  const times = new Map<Listener, HistogramSum>()

  const count = (listener: Listener, request: FastifyRequest, reply: FastifyReply) => {
    const method = METHODS.has(request.method) ? request.method : 'other'
    const status = `${Math.floor(reply.statusCode / 100)}xx`
    const key = `${listener} ${method} ${status}`
    const one = answered.get(key) ?? { labels: { listener, method, status }, value: 0 }
    one.value += 1
    answered.set(key, one)
    if (WAITS.has(request.routeOptions.url ?? '')) return
    const of = times.get(listener) ?? new HistogramSum()
    of.count(reply.elapsedTime / 1000)
    times.set(listener, of)
  }

  return {
    watch(app: FastifyInstance, listener: Listener): void {
      app.addHook('onResponse', async (request, reply) => count(listener, request, reply))
    },
    families(): Family[] {
      return [
        {
          name: 'farmstead_http_requests_total',
          type: 'counter',
          help: 'Requests answered, by listener, method and class of status.',
          samples: [...answered.values()],
        },
        {
          name: 'farmstead_http_request_seconds',
          type: 'histogram',
          help: 'Time to the last byte of an answer, without those that wait on purpose.',
          samples: [...times].map(([listener, of]) => ({
            labels: { listener },
            histogram: of.toHistogram(),
          })),
        },
      ]
    },
  }
}

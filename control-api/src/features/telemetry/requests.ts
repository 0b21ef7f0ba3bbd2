// SPDX-License-Identifier: MIT
// How many requests were answered, how, and how long that took. By listener, method and class of status:
// few series, whatever is asked for.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Family, Sample } from './exposition.ts'

type Listener = 'people' | 'agents'
type Times = { counts: number[]; sum: number; count: number }

/** Seconds, upper bounds; what takes longer is in the last one without. */
const BOUNDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10]
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Open on purpose: their times say nothing. */
const WAITS = new Set(['/agent/v1/desired', '/api/v1/events'])

export function createRequestCounter() {
  const answered = new Map<string, { labels: Record<string, string>; value: number }>()
  const times = new Map<Listener, Times>()

  const count = (listener: Listener, request: FastifyRequest, reply: FastifyReply) => {
    const method = METHODS.has(request.method) ? request.method : 'other'
    const status = `${Math.floor(reply.statusCode / 100)}xx`
    const key = `${listener} ${method} ${status}`
    const one = answered.get(key) ?? { labels: { listener, method, status }, value: 0 }
    one.value += 1
    answered.set(key, one)
    if (WAITS.has(request.routeOptions.url ?? '')) return
    const of = times.get(listener) ?? { counts: BOUNDS.map(() => 0), sum: 0, count: 0 }
    observe(of, reply.elapsedTime / 1000)
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
          samples: [...times].flatMap(([listener, of]) => samplesOf(listener, of)),
        },
      ]
    },
  }
}

function observe(times: Times, seconds: number): void {
  times.sum += seconds
  times.count += 1
  const at = BOUNDS.findIndex((bound) => seconds <= bound)
  if (at >= 0) times.counts[at] = (times.counts[at] ?? 0) + 1
}

function samplesOf(listener: Listener, { counts, sum, count }: Times): Sample[] {
  let below = 0
  const buckets = BOUNDS.map((bound, at): Sample => {
    below += counts[at] ?? 0
    return { suffix: '_bucket', labels: { listener, le: String(bound) }, value: below }
  })
  return [
    ...buckets,
    { suffix: '_bucket', labels: { listener, le: '+Inf' }, value: count },
    { suffix: '_sum', labels: { listener }, value: sum },
    { suffix: '_count', labels: { listener }, value: count },
  ]
}

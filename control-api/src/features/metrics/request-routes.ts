// SPDX-License-Identifier: MIT
// Single requests of a node: some of all while somebody looks, and the slow ones of the last hours.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { NodeIdSchema } from '../../api-shapes/common.ts'
import { defineError, NodeNotFound } from '../../api-shapes/errors.ts'
import type { Database } from '../../db/database.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { MOST_WATCHED, type SampleWatches } from '../../fleet/sample-watches.ts'
import type { App } from '../../http/app-types.ts'
import { EmptyRange } from '../../metrics-store/asked-range.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import { SLOW_KEPT_HOURS } from '../../metrics-store/slow-requests.ts'
import { activeNode } from '../../node-identity/store/nodes.ts'
import { limits } from '../../plugins/limits.ts'
import {
  SamplesQuerySchema,
  SamplesSchema,
  SlowRequestsQuerySchema,
  SlowRequestsSchema,
} from './request-schema.ts'
import { viewRequest } from './request-view.ts'

type Deps = {
  db: Kysely<Database>
  now: () => number
  metrics: Pick<MetricsStore, 'slowRequests'>
  fleet: Pick<Fleet, 'presence'>
  sampleWatches: Pick<SampleWatches, 'look'>
}

const TooManyWatched = defineError(
  409,
  'too_many_watched',
  'Too many nodes are looked at',
  () =>
    `The requests of ${MOST_WATCHED} nodes are looked at already, by anybody. Try again when somebody has left one: that takes ten seconds.`,
)
const tags = ['metrics']
const params = Type.Object({ id: NodeIdSchema })
/** Told by hello, of nodes that can. */
const CAPABILITY = 'samples'
const DEFAULT_LIMIT = 100
const KEPT_MS = SLOW_KEPT_HOURS * 3600_000

export const requestRoutes =
  ({ db, now, metrics, fleet, sampleWatches }: Deps) =>
  async (app: App) => {
    app.get(
      '/nodes/:id/samples',
      {
        config: {
          permission: 'requests:read',
          rateLimit: limits.expensive,
          errors: [NodeNotFound, TooManyWatched],
        },
        schema: {
          operationId: 'watchNodeRequests',
          tags,
          summary: 'Single requests of a node, live for as long as somebody asks',
          description:
            'Ask each second, with `next` of the answer before: the node then sends at most 100 of its requests a second, and stops ten seconds after the last question. ' +
            'The first come after about two seconds. At most 20 nodes are looked at at once.',
          params,
          querystring: SamplesQuerySchema,
          response: { 200: SamplesSchema },
        },
      },
      async ({ params: { id }, query: { after = 0 } }) => {
        const node = await activeNode(db, id)
        const capabilities: string[] = JSON.parse(node.capabilities)
        const nothing = { nodeId: id, next: after, batches: [] }
        if (!fleet.presence(id).connected) return { ...nothing, state: 'disconnected' as const }
        if (!capabilities.includes(CAPABILITY)) return { ...nothing, state: 'too-old' as const }
        const seen = sampleWatches.look(id, after)
        if (seen === 'full') throw new TooManyWatched()
        return {
          nodeId: id,
          state: seen.isLive ? ('live' as const) : ('waiting' as const),
          next: seen.batches.at(-1)?.number ?? after,
          batches: seen.batches.map(({ receivedAtMs, seen: all, samples }) => ({
            receivedAt: new Date(receivedAtMs).toISOString(),
            seen: all,
            samples: samples.map(viewRequest),
          })),
        }
      },
    )

    app.get(
      '/nodes/:id/slow-requests',
      {
        config: {
          permission: 'requests:read',
          rateLimit: limits.expensive,
          errors: [NodeNotFound, EmptyRange],
        },
        schema: {
          operationId: 'listSlowRequests',
          tags,
          summary: 'The slow requests of a node, newest first',
          description:
            'Those that took `samples.slowerThanMillis` of the node’s config or longer, of each window the eight slowest. Kept for 24 hours, the newest thousand of a node.',
          params,
          querystring: SlowRequestsQuerySchema,
          response: { 200: SlowRequestsSchema },
        },
      },
      async ({ params: { id }, query }) => {
        await activeNode(db, id)
        const toMs = query.to === undefined ? now() : Date.parse(query.to)
        const fromMs = query.from === undefined ? toMs - KEPT_MS : Date.parse(query.from)
        if (fromMs >= toMs) throw new EmptyRange()
        const limit = query.limit ?? DEFAULT_LIMIT
        const requests = await metrics.slowRequests({ nodeId: id, fromMs, toMs, limit })
        return { nodeId: id, items: requests.map(viewRequest) }
      },
    )
  }

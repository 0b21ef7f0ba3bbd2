// SPDX-License-Identifier: MIT
// GET /prometheus/targets: where Prometheus finds the nodes.
import type { Kysely } from 'kysely'
import { scopeOf } from '../../access/scope.ts'
import { SelectorInvalid } from '../../api-shapes/errors.ts'
import { readSelector } from '../../api-shapes/selector.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { matches } from '../../labels/selector.ts'
import { limits } from '../../plugins/limits.ts'
import type { FarmIndex } from './farm-index.ts'
import { createKnownListeners } from './known-listeners.ts'
import { targetsText } from './prometheus-targets.ts'
import { TargetsQuerySchema, TargetsSchema } from './schema.ts'

type Deps = { db: Kysely<Database>; index: Pick<FarmIndex, 'nodes'> }

export const prometheusRoutes =
  ({ db, index }: Deps) =>
  async (app: App) => {
    const knownListeners = createKnownListeners(db)
    app.get(
      '/prometheus/targets',
      {
        config: {
          permission: 'nodes:read',
          scope: 'nodes',
          rateLimit: limits.expensive,
          errors: [SelectorInvalid],
        },
        schema: {
          operationId: 'listPrometheusTargets',
          tags: ['nodes'],
          summary: 'The nodes as Prometheus looks for what to scrape: its HTTP service discovery',
          description:
            'Of each node the admin listener of the config it runs, also while it is not heard: that a scrape fails is what Prometheus shows then. ' +
            'Nodes without one are left out, and so are those whose listener only their own machine reaches.',
          querystring: TargetsQuerySchema,
          response: { 200: TargetsSchema },
        },
      },
      async ({ query, user }, reply) => {
        const selector = readSelector(query.selector ?? '')
        const nodes = await index.nodes(scopeOf(user))
        const wanted = nodes.filter(({ node }) => matches(selector, node.labels))
        const { host = 'hostname', loopback = false } = query
        const text = await targetsText(wanted, knownListeners, { host, withLoopback: loopback })
        return reply
          .type('application/json')
          .serializer(String)
          .send(text as never)
      },
    )
  }

// SPDX-License-Identifier: MIT
// Charts: latency percentiles and rates per node, with the rollouts that may explain them.
import type { Kysely } from 'kysely'
import { type Scope, scopeOf } from '../../access/scope.ts'
import { defineError, NodeNotFound } from '../../api-shapes/errors.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { EmptyRange, rangeOf } from '../../metrics-store/asked-range.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import { MAX_POINTS, planQuery } from '../../metrics-store/rings.ts'
import { namesOfNodes } from '../../node-identity/store/nodes.ts'
import { limits } from '../../plugins/limits.ts'
import { MetricsQuerySchema, MetricsSchema } from './schema.ts'

export type RolloutMark = {
  id: string
  config: string
  version: number
  state: string
  started_at_ms: number
  ended_at_ms: number | null
}
type Deps = {
  db: Kysely<Database>
  now: () => number
  metrics: Pick<MetricsStore, 'query'>
  /** Rollouts that touched these nodes and began or ended in that time. */
  rolloutsBetween: (
    nodeIds: readonly string[],
    range: { fromMs: number; toMs: number },
  ) => Promise<RolloutMark[]>
}

const MAX_NODES = 100
/** All series together: an answer stays within a few megabytes however many nodes it is about. */
const MAX_ALL_POINTS = 30_000

const TooManyNodes = defineError(
  400,
  'too_many_nodes',
  'Too many nodes for one chart',
  () => `A query is about at most ${MAX_NODES} nodes. Name them: ?node=ID,ID,….`,
)
export const metricsRoutes =
  ({ db, now, metrics, rolloutsBetween }: Deps) =>
  async (app: App) => {
    app.get(
      '/metrics/query',
      {
        config: {
          permission: 'metrics:read',
          scope: 'nodes',
          rateLimit: limits.expensive,
          errors: [TooManyNodes, EmptyRange, NodeNotFound],
        },
        schema: {
          operationId: 'queryMetrics',
          tags: ['metrics'],
          summary: 'Latency percentiles, rates and sample sizes over time, per node',
          description:
            'The last 15 minutes when no range is given. The step may be coarser than asked for: older times are kept coarser ' +
            '(10 s for 6 hours, 1 min for 7 days, 15 min for 400 days) and an answer has at most 1,500 steps. ' +
            'A window belongs whole to the step in which it ended. Percentiles are read from merged histograms, never averaged. ' +
            'null is a gap: no data is never zero.',
          querystring: MetricsQuerySchema,
          response: {
            200: MetricsSchema,
          },
        },
      },
      async ({ query, user }) => {
        const range = rangeOf(query, now())
        const nodes = await findNodes(query.node, scopeOf(user))
        const names = new Map(nodes.map((node) => [node.id, node.name]))
        const nodeIds = [...names.keys()]
        const maxPoints = Math.min(
          MAX_POINTS,
          Math.floor(MAX_ALL_POINTS / Math.max(1, nodes.length)),
        )
        const plan = planQuery(range, query.stepSeconds ?? null, now() / 1000, maxPoints)
        const { fromSeconds, toSeconds, stepSeconds } = plan
        const stage = query.stage ?? 'total'
        const [series, marks] = await Promise.all([
          metrics.query({ ...plan, nodeIds, stage }),
          rolloutsBetween(nodeIds, { fromMs: fromSeconds * 1000, toMs: toSeconds * 1000 }),
        ])
        const points = (toSeconds - fromSeconds) / stepSeconds
        return {
          stage,
          stepSeconds,
          times: Array.from({ length: points }, (_, i) => fromSeconds + i * stepSeconds),
          series: series.map((one) => ({ ...one, nodeName: names.get(one.nodeId) ?? '' })),
          annotations: marks.flatMap((mark) => annotate(mark, fromSeconds * 1000)),
        }
      },
    )

    async function findNodes(asked: string | undefined, scope: Scope) {
      const ids =
        asked === undefined ? null : [...new Set(asked.split(',').filter((id) => id !== ''))]
      if (ids !== null && ids.length > MAX_NODES) throw new TooManyNodes()
      const nodes = await namesOfNodes(db, ids, { limit: MAX_NODES + 1, scope })
      if (nodes.length > MAX_NODES) throw new TooManyNodes()
      const unknown = ids?.find((id) => !nodes.some((node) => node.id === id))
      if (unknown !== undefined) throw new NodeNotFound(unknown)
      return nodes
    }
  }

function annotate(
  { id, config, version, state, started_at_ms, ended_at_ms }: RolloutMark,
  fromMs: number,
) {
  const what = `${config} version ${version}`
  const mark = (atMs: number, kind: 'rollout-started' | 'rollout-ended', text: string) =>
    atMs < fromMs ? [] : [{ at: new Date(atMs).toISOString(), kind, text, rolloutId: id }]
  return [
    ...mark(started_at_ms, 'rollout-started', `Rollout of ${what} started`),
    ...(ended_at_ms === null
      ? []
      : mark(ended_at_ms, 'rollout-ended', `Rollout of ${what} ${state}`)),
  ]
}

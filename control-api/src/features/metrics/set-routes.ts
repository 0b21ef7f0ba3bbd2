// SPDX-License-Identifier: MIT
// Charts of the farm, its groups, versions and any nodes together: columns, heatmaps, and one beside another.
import { scopeOf } from '../../access/scope.ts'
import { defineError } from '../../api-shapes/errors.ts'
import { SCALE } from '../../histogram/histogram.ts'
import type { App } from '../../http/app-types.ts'
import { rangeOf } from '../../metrics-store/asked-range.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import { MAX_POINTS, type Plan } from '../../metrics-store/rings.ts'
import type { Measure } from '../../metrics-store/values.ts'
import type { StageName } from '../../metrics-store/windows.ts'
import { limits } from '../../plugins/limits.ts'
import { ASK_ERRORS, type createAskNodes } from './asked-nodes.ts'
import { type Member, type ResolvedSet, resolveOne, resolveSets } from './asked-sets.ts'
import { planWithin } from './budget.ts'
import {
  CompareQuerySchema,
  ComparisonSchema,
  HeatmapQuerySchema,
  HeatmapSchema,
  SetsQuerySchema,
  SetsSchema,
  STAGE_NAMES,
  TopQuerySchema,
  TopSchema,
} from './schema.ts'

type Deps = {
  now: () => number
  metrics: Pick<MetricsStore, 'sets' | 'heatmap' | 'compare' | 'top'>
  members: () => Promise<readonly Readonly<Member>[]>
  askNodes: ReturnType<typeof createAskNodes>
}

/** All columns together: an answer stays within a few megabytes. */
const MAX_VALUES = 300_000
/** Of a heatmap each has up to 248 counts. */
const MAX_HEATMAP_POINTS = 300
const COMPARED_POINTS = 300
const DEFAULT_QUANTILES = [0.5, 0.9, 0.99]
const MAX_QUANTILES = 10
const MAX_NAMES = 30

export const UnknownStage = defineError(
  400,
  'unknown_stage',
  'There is no such stage',
  (stage: string) => `"${stage}" in "stages"; there are ${STAGE_NAMES.join(', ')}.`,
)
const TooManyNames = defineError(
  400,
  'too_many_names',
  'Too much for one question',
  (what: string, most: number) => `At most ${most} ${what} at once.`,
)
const errors = [...ASK_ERRORS, UnknownStage, TooManyNames]
const config = {
  permission: 'metrics:read',
  scope: 'nodes',
  rateLimit: limits.expensive,
  errors,
} as const

export const metricsSetRoutes =
  ({ now, metrics, members, askNodes }: Deps) =>
  async (app: App) => {
    app.get(
      '/metrics/sets',
      {
        config,
        schema: {
          operationId: 'queryMetricsOfSets',
          tags: ['metrics'],
          summary:
            'Stages, counters and gauges over time, of the farm, groups, versions or any nodes together',
          description:
            'The last 15 minutes when no range is given. The step may be coarser than asked for: older times are kept coarser, an answer has a bounded size, and of many nodes coarser rows are read. ' +
            'Percentiles are read from merged histograms, never averaged. Sums of the farm, groups and versions come up to 40 seconds late.',
          querystring: SetsQuerySchema,
          response: { 200: SetsSchema },
        },
      },
      async ({ query, user }) => {
        const sets = resolveSets(query.of, await members(), scopeOf(user))
        const quantiles = quantilesIn(query.quantiles)
        const wanted = {
          stages: stagesIn(query.stages),
          quantiles,
          counters: namesIn(query.counters, 'counters'),
          gauges: namesIn(query.gauges, 'gauges'),
        }
        const columns =
          1 +
          wanted.stages.length * (3 + quantiles.length) +
          wanted.counters.length +
          2 * wanted.gauges.length
        const maxPoints = pointsWithin(sets.length * columns)
        const plan = planOf(query, sets, maxPoints)
        const answers = await metrics.sets({ ...plan, sets: sets.map(({ set }) => set), wanted })
        return {
          ...timesOf(plan),
          quantiles,
          sets: answers.map(({ nodes: measuredNodes, ...columnsOf }, i) => ({
            ...described(sets[i]),
            measuredNodes,
            ...columnsOf,
          })),
        }
      },
    )

    app.get(
      '/metrics/heatmap',
      {
        config,
        schema: {
          operationId: 'queryMetricsHeatmap',
          tags: ['metrics'],
          summary: 'How many requests took how long, over time',
          description: 'Time by latency: for each step the counts of a histogram’s buckets.',
          querystring: HeatmapQuerySchema,
          response: { 200: HeatmapSchema },
        },
      },
      async ({ query, user }) => {
        const asked = resolveOne(query.of, await members(), scopeOf(user))
        const stage = query.stage ?? 'total'
        const plan = planOf(query, [asked], MAX_HEATMAP_POINTS)
        const steps = await metrics.heatmap({ ...plan, set: asked.set, stage })
        return {
          ...timesOf(plan),
          ...described(asked),
          stage,
          bucketsPerOctave: 2 ** SCALE,
          steps: steps.map((step) => {
            if (!step) return null
            const { zeroCount, offset: firstBucket, counts } = step
            return { zeroCount, firstBucket, counts }
          }),
        }
      },
    )

    app.get(
      '/metrics/compare',
      {
        config,
        schema: {
          operationId: 'compareMetrics',
          tags: ['metrics'],
          summary: 'Two sets beside each other, or one at two times',
          description:
            'Canaries and the rest, version 7 and version 8, today and the same hours of last week: counts and quantiles of each stage, how many times b’s quantile a’s is, and an interval of 95 % of that, ' +
            'by drawing the steps of both again and again (200 times). An interval that has 1 in it says: no difference was found.',
          querystring: CompareQuerySchema,
          response: { 200: ComparisonSchema },
        },
      },
      async ({ query, user }) => {
        const known = await members()
        const scope = scopeOf(user)
        const quantiles = quantilesIn(query.quantiles)
        const sideOf = (of: string, from?: string, to?: string) => {
          const asked = resolveOne(of, known, scope)
          const plan = planOf(
            { ...(from && { from }), ...(to && { to }) },
            [asked],
            COMPARED_POINTS,
          )
          return { asked, side: { set: asked.set, plan } }
        }
        const a = sideOf(query.a, query.from, query.to)
        const b = sideOf(query.b, query.bFrom ?? query.from, query.bTo ?? query.to)
        const stages = stagesIn(query.stages)
        const compared = await metrics.compare({ a: a.side, b: b.side, stages, quantiles })
        return {
          a: { ...described(a.asked), ...rangeIn(a.side.plan) },
          b: { ...described(b.asked), ...rangeIn(b.side.plan) },
          quantiles,
          ...compared,
        }
      },
    )

    app.get(
      '/metrics/top',
      {
        config,
        schema: {
          operationId: 'listTopNodes',
          tags: ['metrics'],
          summary: 'Which nodes are slowest, busiest or fail most',
          description: 'Of a set, all nodes when it is left out, over the whole time as one.',
          querystring: TopQuerySchema,
          response: { 200: TopSchema },
        },
      },
      async ({ query: { of = 'farm', ...query }, user }) => {
        const { title, set, nameOf, plan } = await askNodes({ of, ...query }, scopeOf(user))
        const top = await metrics.top({
          ...plan,
          set,
          by: measureIn(query.by),
          limit: query.limit ?? 20,
        })
        const seconds = plan.toSeconds - plan.fromSeconds
        return {
          ...rangeIn(plan),
          title,
          nodes: top.map(({ id, value, requests, coveredSeconds }) => ({
            ...{ nodeId: id, nodeName: nameOf(id), value, requests },
            coverage: Math.min(1, coveredSeconds / seconds),
          })),
        }
      },
    )

    type Asked = { from?: string; to?: string; stepSeconds?: number }
    function planOf(query: Asked, sets: readonly ResolvedSet[], maxPoints: number): Plan {
      const subjects = sets.reduce((sum, { set }) => sum + set.length, 0)
      const stepSeconds = query.stepSeconds ?? null
      const asked = { range: rangeOf(query, now()), stepSeconds, maxPoints }
      return planWithin(asked, subjects, now() / 1000)
    }
  }

const described = (asked: ResolvedSet | undefined) => ({
  of: asked?.of ?? '',
  title: asked?.title ?? '',
  nodes: asked?.nodes ?? 0,
})

const timesOf = ({ fromSeconds, toSeconds, stepSeconds }: Plan) => ({
  stepSeconds,
  times: Array.from(
    { length: (toSeconds - fromSeconds) / stepSeconds },
    (_, i) => fromSeconds + i * stepSeconds,
  ),
})

const rangeIn = ({ fromSeconds, toSeconds }: Plan) => ({
  from: new Date(fromSeconds * 1000).toISOString(),
  to: new Date(toSeconds * 1000).toISOString(),
})

const pointsWithin = (columns: number) =>
  Math.max(1, Math.min(MAX_POINTS, Math.floor(MAX_VALUES / columns)))

function stagesIn(text: string | undefined): StageName[] {
  if (text === undefined) return [...STAGE_NAMES]
  return [...new Set(text.split(','))].map((name) => {
    const stage = STAGE_NAMES.find((known) => known === name)
    if (!stage) throw new UnknownStage(name)
    return stage
  })
}

/** As the schema has it. */
export function measureIn(text: string): Measure {
  const [kind, name = '', q] = text.split(':')
  switch (kind) {
    case 'quantile': {
      const [stage = 'total'] = stagesIn(name)
      return { kind, stage, q: Number(q) }
    }
    case 'rate':
    case 'share':
      return { kind, counter: name }
    default:
      return { kind: 'gauge', gauge: name }
  }
}

function quantilesIn(text: string | undefined): number[] {
  const quantiles = text === undefined ? DEFAULT_QUANTILES : text.split(',').map(Number)
  if (quantiles.length > MAX_QUANTILES) throw new TooManyNames('quantiles', MAX_QUANTILES)
  return quantiles
}

function namesIn(text: string | undefined, what: string): string[] {
  const names = text === undefined ? [] : [...new Set(text.split(','))]
  if (names.length > MAX_NAMES) throw new TooManyNames(what, MAX_NAMES)
  return names
}

// SPDX-License-Identifier: MIT
// What the stages of the last quarter of an hour advise: of one node, and of the nodes of a farm whose stages are slowest.
import { Type } from 'typebox'
import { requireWholeFarm, type Scope, scopeOf } from '../../access/scope.ts'
import { NodeIdSchema } from '../../api-shapes/common.ts'
import type { Refusal } from '../../api-shapes/errors.ts'
import type { App } from '../../http/app-types.ts'
import { requirePermission } from '../../http/require-permission.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import type { Plan } from '../../metrics-store/rings.ts'
import type { AskedSet } from '../../metrics-store/sets.ts'
import type { Measure, Valued } from '../../metrics-store/values.ts'
import { limits } from '../../plugins/limits.ts'
import { advise, READ } from './advise.ts'
import { type HoldDeps, holdAdvice } from './held.ts'
import {
  AdviceListSchema,
  AdviceQuerySchema,
  NodeAdviceSchema,
  RuleSchema,
  TrialSchema,
} from './schema.ts'
import { NodeIsTaken, NothingToTry, TRY_ERRORS, type TryDeps, tryChange } from './try.ts'

export type AskNodes = (
  asked: { of: string },
  scope: Scope,
) => Promise<{ title: string; set: AskedSet; nameOf: (nodeId: string) => string; plan: Plan }>
type Deps = HoldDeps & {
  metrics: Pick<MetricsStore, 'units' | 'values'>
  askNodes: AskNodes
  askErrors: readonly Refusal[]
  trying: TryDeps
  /** What saving a version and ordering a rollout may refuse with. */
  tryErrors: readonly Refusal[]
}

/** Each rule's own stage: who is slowest in it is asked about. */
const WORST_BY: Measure[] = (['readWait', 'stat', 'write', 'handshake'] as const).map((stage) => ({
  ...{ kind: 'quantile', stage, q: 0.99 },
}))
/** Of each stage: an answer costs some twenty nodes' windows, whatever the size of the farm. */
const WORST_OF_EACH = 5

export const adviceRoutes =
  ({ metrics, askNodes, askErrors, trying, tryErrors, ...holding }: Deps) =>
  async (app: App) => {
    const hold = holdAdvice(holding)
    const config = {
      permission: 'metrics:read',
      scope: 'nodes',
      rateLimit: limits.expensive,
      errors: askErrors,
    } as const
    const look = async (id: string, plan: Plan) => {
      const set = [{ id, generation: null }]
      const { advice, quiet } = advise(await metrics.units({ ...plan, set, wanted: READ }))
      return { advice: await hold(id, advice), quiet }
    }

    app.get(
      '/nodes/:id/advice',
      {
        config,
        schema: {
          operationId: 'getNodeAdvice',
          tags: ['metrics'],
          summary: 'What the stages of a node’s requests advise, with the arithmetic',
          description:
            'Of the last 15 minutes. Advice is given when intervals of 95 % are wholly beyond its bounds; `quiet` says why the other rules have nothing to say. ' +
            'What was given stays for five minutes after it was last so (`lastSoAt`), while the node has the same config.',
          params: Type.Object({ id: NodeIdSchema }),
          response: { 200: NodeAdviceSchema },
        },
      },
      async ({ params: { id }, user }) => {
        const { nameOf, plan } = await askNodes({ of: `node:${id}` }, scopeOf(user))
        return { nodeId: id, nodeName: nameOf(id), ...timesOf(plan), ...(await look(id, plan)) }
      },
    )

    app.post(
      '/nodes/:id/advice/:rule/try',
      {
        config: {
          permission: 'rollouts:run',
          heavy: true,
          errors: [...askErrors, ...TRY_ERRORS, ...tryErrors],
        },
        schema: {
          operationId: 'tryAdvice',
          tags: ['metrics'],
          summary:
            'Try on the node what a rule advises: a version with one value changed, rolled out to it alone',
          description:
            'What was advised in the last five minutes can be tried, though it is not so at this very moment. Needs configs:write besides, and the whole farm, for a version is everybody’s. The rollout has one gate, on what the advice is about, against what the node did before; it goes back when that got no better. ' +
            'What it proves is not released. While a rollout has the node, it is refused: `node_is_taken`.',
          params: Type.Object({ id: NodeIdSchema, rule: RuleSchema }),
          response: { 201: TrialSchema },
        },
      },
      async ({ params: { id, rule }, user }, reply) => {
        requirePermission(user, 'configs:write')
        requireWholeFarm(user)
        const rolloutId = await trying.rolloutOn(id)
        if (rolloutId !== null) throw new NodeIsTaken(rolloutId)
        const { plan } = await askNodes({ of: `node:${id}` }, scopeOf(user))
        const { advice } = await look(id, plan)
        const change = advice.find((one) => one.rule === rule)?.change
        if (!change) throw new NothingToTry(rule, 'The rule advises nothing to try.')
        const author = { id: user?.id ?? null, username: user?.username ?? '' }
        const trial = await tryChange(trying, { nodeId: id, rule, change, author })
        reply.code(201).header('location', `/api/v1/rollouts/${trial.rolloutId}`)
        return trial
      },
    )

    app.get(
      '/advice',
      {
        config,
        schema: {
          operationId: 'listAdvice',
          tags: ['metrics'],
          summary: 'What the stages advise of the nodes of a set that are slowest in them',
          description:
            'Of the last 15 minutes. Rules are asked about the five nodes with the slowest read wait, look-up, write and handshake each; who has no advice is left out.',
          querystring: AdviceQuerySchema,
          response: { 200: AdviceListSchema },
        },
      },
      async ({ query: { of = 'farm' }, user }) => {
        const { title, set, nameOf, plan } = await askNodes({ of }, scopeOf(user))
        const sets = set.map((one) => [one])
        const valued = await metrics.values({ ...plan, sets, measures: WORST_BY })
        const ids = worstOf(set, valued)
        // Who is looked at is few: finer rows than those of the whole set may be read.
        const items = []
        for (const nodeId of ids) {
          const one = await askNodes({ of: `node:${nodeId}` }, scopeOf(user))
          const { advice } = await look(nodeId, one.plan)
          if (advice.length > 0) items.push({ nodeId, nodeName: nameOf(nodeId), advice })
        }
        return { ...timesOf(plan), title, nodes: set.length, lookedAt: ids.length, items }
      },
    )
  }

/** Of each stage the slowest, each node once. */
function worstOf(set: AskedSet, valued: readonly (Valued | null)[]): string[] {
  const worst = WORST_BY.flatMap((_, k) =>
    set
      .map(({ id }, i) => ({ id, seconds: valued[i]?.values[k] ?? 0 }))
      .filter(({ seconds }) => seconds > 0)
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, WORST_OF_EACH),
  )
  return [...new Set(worst.map(({ id }) => id))]
}

const timesOf = ({ fromSeconds, toSeconds }: Plan) => ({
  from: new Date(fromSeconds * 1000).toISOString(),
  to: new Date(toSeconds * 1000).toISOString(),
})

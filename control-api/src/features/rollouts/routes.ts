// SPDX-License-Identifier: MIT
// Rollouts: order and watch. What can be done to one: action-routes.ts.
import { Type } from 'typebox'
import { nodeIsWithin, OutsideScope, type Scope, scopeOf, scopeText } from '../../access/scope.ts'
import {
  DryRunQuerySchema,
  ProblemSchema,
  pageOf,
  RolloutIdSchema,
} from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { SelectorInvalid, VersionNotFound } from '../../api-shapes/errors.ts'
import { undecidedDrifts } from '../../assignments/drift.ts'
import { InRecovery } from '../../control-plane/recovery.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { hangUpOf } from '../../http/hang-up.ts'
import { requirePermission } from '../../http/require-permission.ts'
import { NodeCheckUnavailable } from '../../node-check/errors.ts'
import type { AskOwners } from '../../node-check/owners.ts'
import { nameOf } from './action-routes.ts'
import { createKeptPlans } from './plan/kept-plans.ts'
import { planCells } from './plan/plan-cells.ts'
import { viewPlan } from './plan/plan-view.ts'
import { createPlansUnderWay } from './plan/plans-under-way.ts'
import { policyRefusalsOf } from './plan/policy-refusals.ts'
import { askNodes, type PreflightDeps } from './plan/preflight.ts'
import { outlookOf } from './queue/outlook.ts'
import {
  AtOnceAlone,
  EmergencyStartsNow,
  FleetChanged,
  GatesUnclear,
  NoNodes,
  NoSuchNodes,
  NoSuchReleaseVersion,
  PlanChanged,
  PlanGone,
  PlanNotUnderWay,
  PlanStopped,
  QueueFull,
  ReleaseNotNamed,
  RolloutActive,
  RolloutInvalid,
  RolloutNotFound,
  StartPast,
  StartTooFar,
  TooManyTexts,
} from './shapes/errors.ts'
import { type NewRollout, NewRolloutSchema } from './shapes/order-schema.ts'
import {
  FIRST_PAGE,
  PlanCellsQuerySchema,
  PlanCellsSchema,
  PlanNodesQuerySchema,
  PlanNodesSchema,
  type PlannedRow,
  PlansUnderWaySchema,
  PlanUnderWayParamsSchema,
  RolloutPlanSchema,
} from './shapes/plan-schema.ts'
import { AskPreflightSchema, PreflightSchema } from './shapes/preflight-schema.ts'
import {
  PlanDigestSchema,
  RolloutSchema,
  RolloutSummarySchema,
  RolloutsQuerySchema,
} from './shapes/schema.ts'
import { planVersion, type StartDeps, startRollout } from './start.ts'
import { listRollouts } from './store/rollouts.ts'
import { showRollout, showRollouts } from './view.ts'

/** What ordering one may refuse with. */
export const ORDER_ERRORS = [
  InRecovery,
  OutsideScope,
  VersionNotFound,
  SelectorInvalid,
  RolloutActive,
  QueueFull,
  StartTooFar,
  StartPast,
  NoNodes,
  EmergencyStartsNow,
  AtOnceAlone,
  GatesUnclear,
  FleetChanged,
  NoSuchNodes,
  NoSuchReleaseVersion,
  PlanChanged,
  PlanStopped,
  ReleaseNotNamed,
  RolloutInvalid,
  TooManyTexts,
  NodeCheckUnavailable,
]

const tags = ['rollouts']
const params = Type.Object({ id: RolloutIdSchema })
const cursor = defineCursor('rollouts', 'text')
/** A plan does not change, so a place in it is a number. */
const planCursor = defineCursor('plan-nodes', 'integer')
const ActiveSchema = Type.Intersect([
  ProblemSchema,
  Type.Object({
    rolloutId: Type.Optional(Type.String({ description: 'With `rollout_active`: which one' })),
  }),
])

type Deps = StartDeps & PreflightDeps & { askOwners: AskOwners }

export const rolloutRoutes = (deps: Deps) => async (app: App) => {
  const { db, now, isConnected } = deps
  const plans = createKeptPlans()
  const underWay = createPlansUnderWay()
  type For = { purpose: 'plan' | 'order' | 'preflight'; user: SignedInUser | null }
  const followed = ({ config, version }: NewRollout, { purpose, user }: For) => ({
    ...{ config, version, purpose, now: now() },
    owner: ownerOf(user, scopeOf(user)),
  })

  app.get(
    '/rollouts',
    {
      config: { permission: 'rollouts:read', scope: 'nodes', errors: [] },
      schema: {
        operationId: 'listRollouts',
        tags,
        summary: 'Rollouts, newest first, without what is of single nodes',
        querystring: RolloutsQuerySchema,
        response: { 200: pageOf(RolloutSummarySchema) },
      },
    },
    async ({ query, user }) => {
      const { cursor: given, limit = 100, ids, ...others } = query
      const filter = { ...others, ...(ids !== undefined && { ids: ids.split(',') }) }
      const scope = scopeOf(user)
      const [before] = cursor.read(given) ?? []
      const found = await listRollouts(db, { ...filter, before, limit: limit + 1, scope })
      const { rows: shown, nextCursor } = cursor.page(found, limit, (row) => [row.id])
      return { items: await showRollouts(db, shown, scope), nextCursor }
    },
  )

  app.get(
    '/rollouts/:id',
    {
      config: { permission: 'rollouts:read', scope: 'nodes', errors: [RolloutNotFound] },
      schema: {
        operationId: 'getRollout',
        tags,
        summary: 'One rollout, node by node, with why it is in its state',
        params,
        response: { 200: RolloutSchema },
      },
    },
    async ({ params: { id }, user }) => showRollout({ db, now }, id, scopeOf(user)),
  )

  app.get(
    '/rollouts/plans/:planDigest/nodes',
    {
      config: { permission: 'rollouts:run', scope: 'nodes', errors: [PlanGone] },
      schema: {
        operationId: 'listPlanNodes',
        tags,
        summary: 'The nodes of a plan that one has just had made, as they were then',
        description:
          'By wave and name, then those that are skipped, then those that have it already. Only the plans that were made last are remembered, each for who asked for it',
        params: Type.Object({ planDigest: PlanDigestSchema }),
        querystring: PlanNodesQuerySchema,
        response: { 200: PlanNodesSchema },
      },
    },
    async ({ params: { planDigest }, query, user }) => {
      const rows = plans.rowsOf(ownerOf(user, scopeOf(user)), planDigest)
      if (!rows) throw new PlanGone(planDigest)
      const [from] = planCursor.read(query.cursor) ?? [0]
      return pageOfRows(rows, from, query.limit ?? 100)
    },
  )

  app.get(
    '/rollouts/plans-under-way',
    {
      config: { permission: 'rollouts:run', scope: 'nodes', errors: [] },
      schema: {
        operationId: 'listPlansUnderWay',
        tags,
        summary: 'The plans that one waits for, with how many of their texts are checked',
        description:
          'Each text that nodes would get is checked once; with variables, each node may have one of its own. Only one’s own plans: dry runs, orders before they are taken, and preflights',
        response: { 200: PlansUnderWaySchema },
      },
    },
    async ({ user }) => ({ items: underWay.of(ownerOf(user, scopeOf(user))) }),
  )

  app.post(
    '/rollouts/plans-under-way/:id/actions/stop',
    {
      config: { permission: 'rollouts:run', scope: 'nodes', errors: [PlanNotUnderWay] },
      schema: {
        operationId: 'stopPlan',
        tags,
        summary: 'Stop making a plan: whoever waits for it is told, and nothing is started',
        params: PlanUnderWayParamsSchema,
        response: { 204: Type.Null() },
      },
    },
    async ({ params: { id }, user }, reply) => {
      if (!underWay.stop(ownerOf(user, scopeOf(user)), id)) throw new PlanNotUnderWay(id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/rollouts/plans/:planDigest/cells',
    {
      config: { permission: 'rollouts:run', scope: 'nodes', errors: [PlanGone] },
      schema: {
        operationId: 'getPlanCells',
        tags,
        summary: 'The nodes in the waves of such a plan, for a picture: a letter and a number each',
        description: 'Without those that are skipped and those that have it already.',
        params: Type.Object({ planDigest: PlanDigestSchema }),
        querystring: PlanCellsQuerySchema,
        response: { 200: PlanCellsSchema },
      },
    },
    async ({ params: { planDigest }, query: { namesFrom }, user }) => {
      const rows = plans.rowsOf(ownerOf(user, scopeOf(user)), planDigest)
      if (!rows) throw new PlanGone(planDigest)
      return planCells(rows, namesFrom)
    },
  )

  app.post(
    '/rollouts/preflight',
    {
      config: {
        permission: 'rollouts:run',
        scope: 'nodes',
        heavy: true,
        errors: [
          OutsideScope,
          VersionNotFound,
          SelectorInvalid,
          NoSuchNodes,
          NoSuchReleaseVersion,
          ReleaseNotNamed,
          StartPast,
          StartTooFar,
          EmergencyStartsNow,
          AtOnceAlone,
          GatesUnclear,
          PlanStopped,
        ],
      },
      schema: {
        operationId: 'preflightRollout',
        tags,
        summary: 'Ask nodes what the version would do on their machines; nothing is ordered',
        description:
          'At most 50 nodes, ten at a time, for at most 15 seconds in all. Nodes answer from their disks: whether they would take it, and what sample paths are answered with now and then',
        body: AskPreflightSchema,
        response: { 200: PreflightSchema },
      },
    },
    async ({ body: { samplePaths, ...order }, user }, reply) => {
      const wish = wishOf(order, scopeOf(user))
      const plan = await underWay.follow(
        followed(order, { purpose: 'preflight', user }),
        (following) => planVersion(deps, wish, following),
        hangUpOf(reply),
      )
      const { config, version } = wish
      const versionText = (await deps.findVersionText(config, version)) ?? ''
      const probes = order.strategy?.probes
      const paths = samplePaths ?? (probes?.length ? probes : undefined)
      return askNodes(deps, { plan, versionText, paths })
    },
  )

  app.post(
    '/rollouts',
    {
      config: {
        permission: 'rollouts:run',
        scope: 'nodes',
        heavy: true,
        errors: ORDER_ERRORS,
      },
      schema: {
        operationId: 'createRollout',
        tags,
        summary: 'Roll a version out to the nodes it is for; with dryRun=1 say what it would do',
        querystring: DryRunQuerySchema,
        body: NewRolloutSchema,
        response: {
          200: RolloutPlanSchema,
          201: RolloutSchema,
          409: ActiveSchema,
        },
      },
    },
    async (request, reply) => {
      const { body, query, user } = request
      const { message = '', planDigest } = body
      const scope = scopeOf(user)
      const wish = wishOf(body, scope)
      if (wish.emergency !== undefined) requirePermission(user, 'rollouts:emergency')
      if (query.dryRun === '1') {
        const { excluded, ...plan } = await underWay.follow(
          followed(body, { purpose: 'plan', user }),
          (following) => planVersion(deps, wish, following),
          hangUpOf(reply),
        )
        const shown = excluded.filter(({ node }) => nodeIsWithin(scope, node))
        const { config, version } = wish
        const nodeIds = plan.nodes.map(({ node }) => node.id)
        const outlook = await outlookOf(deps, { ...wish, nodeIds })
        const { policyRefusals, refusing } = await policyRefusalsOf(deps.askOwners, plan.nodes)
        const drifted = await undecidedDrifts(db)
        const seen = { isConnected, refusing, drifted }
        const { said, rows } = await viewPlan({ ...plan, excluded: shown }, seen)
        plans.keep(ownerOf(user, scope), said.planDigest, rows)
        const nodes = pageOfRows(rows, 0, FIRST_PAGE)
        return { config, version, nodes, ...said, policyRefusals, ...outlook }
      }
      const author = { id: user?.id ?? null, username: nameOf(user) }
      // Who hangs up on an order may not know that it was taken, so it is.
      const id = await startRollout(deps, { ...wish, message, author, planDigest }, (work) =>
        underWay.follow(followed(body, { purpose: 'order', user }), work),
      )
      reply.code(201).header('location', `/api/v1/rollouts/${id}`)
      return showRollout({ db, now }, id, scope)
    },
  )
}

/** Scopes may be narrowed meanwhile. */
const ownerOf = (user: SignedInUser | null, scope: Scope) => `${user?.id} ${scopeText(scope)}`

function pageOfRows(rows: readonly PlannedRow[], from: number, limit: number) {
  const some = rows.slice(from, from + limit + 1)
  const { rows: items, nextCursor } = planCursor.page(some, limit, () => [from + limit])
  return { total: rows.length, items, nextCursor }
}

function wishOf(order: NewRollout, scope: Scope) {
  const {
    config,
    version,
    releases,
    selector = '',
    nodes,
    strategy,
    onOverlap,
    startAt,
    emergency,
    allowEmpty,
  } = order
  const startAtMs = startAt === undefined ? undefined : Date.parse(startAt)
  const wish = { config, version, releases, selector, nodes, scope, strategy, onOverlap, startAtMs }
  return { ...wish, allowEmpty, emergency: emergency?.reason }
}

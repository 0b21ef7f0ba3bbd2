// SPDX-License-Identifier: MIT
// Rollouts: start, watch, end.
import { Type } from 'typebox'
import { SelectorInvalid } from '../../errors.ts'
import type { App, SignedInUser } from '../../fastify.ts'
import { NodeCheckUnavailable } from '../../node-check/errors.ts'
import { InRecovery } from '../../recovery.ts'
import {
  DryRunQuerySchema,
  ProblemSchema,
  pageOf,
  RolloutIdSchema,
  some,
} from '../../schema/common.ts'
import { defineCursor } from '../../schema/cursor.ts'
import { nodeIsWithin, OutsideScope, type Scope, scopeOf } from '../../scope.ts'
import type { Engine } from './engine.ts'
import {
  FleetChanged,
  NotNow,
  PlanChanged,
  RolloutActive,
  RolloutEnded,
  RolloutInvalid,
  RolloutNotFound,
  StaleState,
  VersionNotFound,
} from './errors.ts'
import type { Command, Policy, Progress } from './model.ts'
import type { ExcludedNode, PlannedNode } from './planner.ts'
import {
  ExplainedActionSchema,
  NewRolloutSchema,
  type Rollout,
  RolloutActionSchema,
  RolloutPlanSchema,
  RolloutSchema,
  RolloutStateSchema,
  RolloutsQuerySchema,
  SkipGateSchema,
} from './schema.ts'
import { type Arrangement, planVersion, type StartDeps, startRollout } from './start.ts'
import { findRollout, listRollouts, type RolloutRow } from './store.ts'
import { viewPolicy } from './strategy.ts'
import { type TaskWithName, tasksOf } from './task-store.ts'
import { countTasks } from './tasks.ts'

type Deps = StartDeps & { engine: Engine }

const tags = ['rollouts']
const params = Type.Object({ id: RolloutIdSchema })
const cursor = defineCursor('rollouts', 'text')
const ActiveSchema = Type.Intersect([
  ProblemSchema,
  Type.Object({
    rolloutId: Type.Optional(Type.String({ description: 'With `rollout_active`: which one' })),
  }),
])
const MovedOnSchema = Type.Intersect([
  ProblemSchema,
  Type.Object({
    state: Type.Optional(RolloutStateSchema),
    stateVersion: Type.Optional(
      Type.Integer({ description: 'With `stale_state`: what it is now' }),
    ),
  }),
])

const acting = {
  permission: 'rollouts:run' as const,
  scope: 'nodes' as const,
  errors: [RolloutNotFound, OutsideScope, StaleState, RolloutEnded, NotNow],
}
const nameOf = (user: SignedInUser | null) => user?.username ?? ''

export const rolloutRoutes = (deps: Deps) => async (app: App) => {
  const { db, engine, isConnected } = deps

  /** Of the nodes within the scope; without one of those it is not there. */
  const show = async (id: string, scope: Scope): Promise<Rollout> => {
    const row = await findRollout(db, id)
    const tasks = await tasksOf(db, [id], scope)
    if (!row || (scope !== null && tasks.length === 0)) throw new RolloutNotFound(id)
    return view(row, tasks)
  }

  /** What is done to a rollout is done to all its nodes. Throws RolloutNotFound or OutsideScope. */
  const requireAllWithin = async (id: string, scope: Scope): Promise<void> => {
    if (scope === null) return
    const { tasks } = await show(id, scope)
    const all = await tasksOf(db, [id], null)
    const outside = all.length - tasks.length
    if (outside > 0) throw new OutsideScope(`${outside} of its nodes are not`, scope)
  }

  app.get(
    '/rollouts',
    {
      config: { permission: 'rollouts:read', scope: 'nodes', errors: [] },
      schema: {
        operationId: 'listRollouts',
        tags,
        summary: 'Rollouts, newest first',
        querystring: RolloutsQuerySchema,
        response: { 200: pageOf(RolloutSchema) },
      },
    },
    async ({ query, user }) => {
      const { cursor: given, limit = 100, ...filter } = query
      const scope = scopeOf(user)
      const [before] = cursor.read(given) ?? []
      const found = await listRollouts(db, { ...filter, before, limit: limit + 1, scope })
      const { rows: shown, nextCursor } = cursor.page(found, limit, (row) => [row.id])
      const tasks =
        shown.length > 0
          ? await tasksOf(
              db,
              shown.map((row) => row.id),
              scope,
            )
          : []
      const byRollout = Map.groupBy(tasks, (task) => task.rollout_id)
      return { items: shown.map((row) => view(row, byRollout.get(row.id) ?? [])), nextCursor }
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
    async ({ params: { id }, user }) => show(id, scopeOf(user)),
  )

  app.post(
    '/rollouts',
    {
      config: {
        permission: 'rollouts:run',
        scope: 'nodes',
        errors: [
          InRecovery,
          OutsideScope,
          VersionNotFound,
          SelectorInvalid,
          RolloutActive,
          FleetChanged,
          PlanChanged,
          RolloutInvalid,
          NodeCheckUnavailable,
        ],
      },
      schema: {
        operationId: 'createRollout',
        tags,
        summary: 'Roll a version out to the nodes it is for; with dry_run=1 say what it would do',
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
      const { config, version, message = '', selector = '', strategy } = request.body
      const scope = scopeOf(request.user)
      const wish = { config, version, selector, scope, strategy }
      if (request.query.dry_run === '1') {
        const { excluded, ...plan } = await planVersion(deps, wish)
        const shown = excluded.filter(({ node }) => nodeIsWithin(scope, node))
        return { config, version, ...viewPlan({ ...plan, excluded: shown }, isConnected) }
      }
      const { onOverlap = 'refuse', planDigest } = request.body
      const author = nameOf(request.user)
      const id = await startRollout(deps, { ...wish, message, author, onOverlap, planDigest })
      reply.code(201).header('location', `/api/v1/rollouts/${id}`)
      return show(id, scope)
    },
  )

  type By = { stateVersion: number; user: SignedInUser | null }
  const act = async (id: string, command: Command, { stateVersion, user }: By) => {
    const scope = scopeOf(user)
    await requireAllWithin(id, scope)
    await engine.obey(id, command, stateVersion)
    return show(id, scope)
  }

  app.post(
    '/rollouts/:id/actions/freeze',
    {
      config: acting,
      schema: {
        operationId: 'freezeRollout',
        tags,
        summary: 'End a rollout as it is: nodes keep what they have now',
        params,
        body: RolloutActionSchema,
        response: { 200: RolloutSchema, 409: MovedOnSchema },
      },
    },
    async ({ params: { id }, body: { stateVersion }, user }) =>
      act(id, { kind: 'freeze', actor: nameOf(user) }, { stateVersion, user }),
  )

  app.post(
    '/rollouts/:id/actions/pause',
    {
      config: acting,
      schema: {
        operationId: 'pauseRollout',
        tags,
        summary: 'Offer it to no further node until it is resumed; nodes under way go on',
        params,
        body: ExplainedActionSchema,
        response: { 200: RolloutSchema, 409: MovedOnSchema },
      },
    },
    async ({ params: { id }, body: { stateVersion, reason: why = '' }, user }) =>
      act(id, { kind: 'pause', actor: nameOf(user), why }, { stateVersion, user }),
  )

  app.post(
    '/rollouts/:id/actions/resume',
    {
      config: acting,
      schema: {
        operationId: 'resumeRollout',
        tags,
        summary: 'Go on; without the nodes that failed, when they are why it was paused',
        params,
        body: RolloutActionSchema,
        response: { 200: RolloutSchema, 409: MovedOnSchema },
      },
    },
    async ({ params: { id }, body: { stateVersion }, user }) =>
      act(id, { kind: 'resume', actor: nameOf(user) }, { stateVersion, user }),
  )

  app.post(
    '/rollouts/:id/actions/skip-gate',
    {
      config: acting,
      schema: {
        operationId: 'skipRolloutGate',
        tags,
        summary: 'Begin the next wave without waiting for time or evidence; the reason is kept',
        params,
        body: SkipGateSchema,
        response: { 200: RolloutSchema, 409: MovedOnSchema },
      },
    },
    async ({ params: { id }, body: { stateVersion, reason: why }, user }) =>
      act(id, { kind: 'skip-gate', actor: nameOf(user), why }, { stateVersion, user }),
  )

  app.post(
    '/rollouts/:id/actions/revert',
    {
      config: acting,
      schema: {
        operationId: 'revertRollout',
        tags,
        summary: 'Give back to every node that began to apply it what it had before',
        params,
        body: ExplainedActionSchema,
        response: { 200: RolloutSchema, 409: MovedOnSchema },
      },
    },
    async ({ params: { id }, body: { stateVersion, reason: why = '' }, user }) =>
      act(id, { kind: 'revert', actor: nameOf(user), why }, { stateVersion, user }),
  )
}

function view(row: RolloutRow, rows: readonly TaskWithName[]): Rollout {
  const policy: Policy = JSON.parse(row.policy)
  const { wave, phase, soakedMs }: Progress = JSON.parse(row.progress)
  const tasks = rows.map((task) => ({
    nodeId: task.node_id,
    nodeName: task.node_name,
    wave: task.wave,
    state: task.state,
    generation: task.generation,
    digest: task.digest,
    code: task.code,
    message: task.message,
    errors: JSON.parse(task.errors),
    updatedAt: new Date(task.updated_at_ms).toISOString(),
  }))
  const waves = [...Map.groupBy(tasks, (task) => task.wave)].map(([index, inWave]) => ({
    index,
    nodes: inWave.length,
    done: countTasks(inWave).done,
  }))
  return {
    id: row.id,
    config: row.config,
    version: row.version,
    previousVersion: row.previous_version,
    selector: row.selector,
    state: row.state,
    stateVersion: row.state_version,
    reason: row.reason,
    waves: waves.toSorted((a, b) => a.index - b.index),
    wave,
    phase,
    soakedSeconds: soakedMs / 1000,
    policy: viewPolicy(policy),
    planDigest: row.plan_digest,
    evidence: row.evidence === null ? null : JSON.parse(row.evidence),
    tasks,
    pendingNodes: countTasks(tasks).pending,
    author: row.author,
    message: row.message,
    createdAt: new Date(row.created_at_ms).toISOString(),
    endedAt: row.ended_at_ms === null ? null : new Date(row.ended_at_ms).toISOString(),
  }
}

function viewPlan(plan: Arrangement, isConnected: (nodeId: string) => boolean) {
  const { waveOf, waves, policy } = plan.arranged
  const nodes = plan.nodes.map((planned) => ({
    ...viewPlanned(planned, isConnected),
    wave: waveOf.get(planned.node.id) ?? 0,
  }))
  const excluded = some(plan.excluded.map(viewExcluded))
  return { nodes, waves, policy: viewPolicy(policy), planDigest: plan.planDigest, excluded }
}

const viewPlanned = (planned: PlannedNode, isConnected: (nodeId: string) => boolean) => ({
  nodeId: planned.node.id,
  nodeName: planned.node.name,
  connected: isConnected(planned.node.id),
  fromVersion: planned.fromVersion,
  changes: planned.settledGeneration === null,
  digest: planned.digest,
  errors: planned.errors,
  group: planned.group,
})

const viewExcluded = ({ node, group, reason }: ExcludedNode) => ({
  nodeId: node.id,
  nodeName: node.name,
  group,
  reason,
})

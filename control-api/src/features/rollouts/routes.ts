// SPDX-License-Identifier: MIT
// Rollouts: start, watch, end.
import { Type } from 'typebox'
import { SelectorInvalid } from '../../errors.ts'
import type { App } from '../../fastify.ts'
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
  RolloutActive,
  RolloutEnded,
  RolloutInvalid,
  RolloutNotFound,
  StaleState,
  VersionNotFound,
} from './errors.ts'
import type { ExcludedNode, PlannedNode } from './planner.ts'
import { countTasks } from './rules.ts'
import {
  NewRolloutSchema,
  type Rollout,
  RolloutActionSchema,
  RolloutPlanSchema,
  RolloutSchema,
  RolloutStateSchema,
  RolloutsQuerySchema,
} from './schema.ts'
import { planVersion, type StartDeps, startRollout } from './start.ts'
import { findRollout, listRollouts, type RolloutRow, type TaskWithName, tasksOf } from './store.ts'

type Deps = StartDeps & { engine: Engine; isConnected: (nodeId: string) => boolean }

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
      const { config, version, message = '', selector = '' } = request.body
      const scope = scopeOf(request.user)
      if (request.query.dry_run === '1') {
        const plan = await planVersion(deps, { config, version, selector, scope })
        const nodes = plan.nodes.map((planned) => viewPlanned(planned, isConnected))
        const excluded = plan.excluded.filter(({ node }) => nodeIsWithin(scope, node))
        return { config, version, nodes, excluded: some(excluded.map(viewExcluded)) }
      }
      const author = request.user?.username ?? ''
      const id = await startRollout(deps, { config, version, selector, scope, message, author })
      reply.code(201).header('location', `/api/v1/rollouts/${id}`)
      return show(id, scope)
    },
  )

  app.post(
    '/rollouts/:id/actions/freeze',
    {
      config: {
        permission: 'rollouts:run',
        scope: 'nodes',
        errors: [RolloutNotFound, OutsideScope, StaleState, RolloutEnded],
      },
      schema: {
        operationId: 'freezeRollout',
        tags,
        summary: 'End a rollout as it is: nodes keep what they have now',
        params,
        body: RolloutActionSchema,
        response: { 200: RolloutSchema, 409: MovedOnSchema },
      },
    },
    async (request) => {
      const { id } = request.params
      const scope = scopeOf(request.user)
      await requireAllWithin(id, scope)
      const actor = request.user?.username ?? ''
      await engine.freeze(id, { actor, stateVersion: request.body.stateVersion })
      return show(id, scope)
    },
  )
}

function view(row: RolloutRow, rows: readonly TaskWithName[]): Rollout {
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
    done: inWave.filter((task) => task.state === 'done').length,
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
    waves,
    tasks,
    pendingNodes: countTasks(tasks).pending,
    author: row.author,
    message: row.message,
    createdAt: new Date(row.created_at_ms).toISOString(),
    endedAt: row.ended_at_ms === null ? null : new Date(row.ended_at_ms).toISOString(),
  }
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

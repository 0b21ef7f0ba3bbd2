// SPDX-License-Identifier: MIT
// Rollouts: start, watch, end.
import { Type } from 'typebox'
import type { App } from '../../fastify.ts'
import { PageQuerySchema, ProblemSchema, pageOf, RolloutIdSchema } from '../../schema/common.ts'
import { OutsideScope, type Scope, scopeOf } from '../../scope.ts'
import type { Engine } from './engine.ts'
import { RolloutNotFound } from './errors.ts'
import type { PlannedNode } from './planner.ts'
import { countTasks } from './rules.ts'
import {
  NewRolloutSchema,
  type Rollout,
  RolloutActionSchema,
  RolloutPlanSchema,
  RolloutSchema,
  RolloutStateSchema,
} from './schema.ts'
import { planVersion, type StartDeps, startRollout } from './start.ts'
import { findRollout, listRollouts, type RolloutRow, type TaskWithName, tasksOf } from './store.ts'

type Deps = StartDeps & { engine: Engine; isConnected: (nodeId: string) => boolean }

const tags = ['rollouts']
const params = Type.Object({ id: RolloutIdSchema })
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
      config: { permission: 'rollouts:read', scope: 'nodes' },
      schema: {
        operationId: 'listRollouts',
        tags,
        summary: 'Rollouts, newest first',
        querystring: PageQuerySchema,
        response: { 200: pageOf(RolloutSchema) },
      },
    },
    async ({ query: { cursor, limit = 100 }, user }) => {
      const scope = scopeOf(user)
      const rows = await listRollouts(db, { before: cursor, limit: limit + 1, scope })
      const shown = rows.slice(0, limit)
      const tasks =
        shown.length > 0
          ? await tasksOf(
              db,
              shown.map((row) => row.id),
              scope,
            )
          : []
      const byRollout = Map.groupBy(tasks, (task) => task.rollout_id)
      const nextCursor = rows.length > limit ? (shown.at(-1)?.id ?? null) : null
      return { items: shown.map((row) => view(row, byRollout.get(row.id) ?? [])), nextCursor }
    },
  )

  app.get(
    '/rollouts/:id',
    {
      config: { permission: 'rollouts:read', scope: 'nodes' },
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
      config: { permission: 'rollouts:run', scope: 'nodes' },
      schema: {
        operationId: 'createRollout',
        tags,
        summary: 'Roll a version out to all nodes; with dry_run=1 say what it would do',
        querystring: Type.Object({
          dry_run: Type.Optional(Type.Enum(['0', '1'], { description: '1: nothing is stored' })),
        }),
        body: NewRolloutSchema,
        response: {
          200: RolloutPlanSchema,
          201: RolloutSchema,
          409: ActiveSchema,
          422: ProblemSchema,
          503: ProblemSchema,
        },
      },
    },
    async (request, reply) => {
      const { config, version, message = '' } = request.body
      const scope = scopeOf(request.user)
      if (request.query.dry_run === '1') {
        const plan = await planVersion(deps, { config, version, scope })
        return { config, version, nodes: plan.map((planned) => viewPlanned(planned, isConnected)) }
      }
      const author = request.user?.username ?? ''
      const id = await startRollout(deps, { config, version, scope, message, author })
      reply.code(201).header('location', `/api/v1/rollouts/${id}`)
      return show(id, scope)
    },
  )

  app.post(
    '/rollouts/:id/actions/freeze',
    {
      config: { permission: 'rollouts:run', scope: 'nodes' },
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
})

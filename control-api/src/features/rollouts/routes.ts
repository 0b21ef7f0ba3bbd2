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

  const show = async (id: string): Promise<Rollout> => {
    const row = await findRollout(db, id)
    if (!row) throw new RolloutNotFound(id)
    return view(row, await tasksOf(db, [id]))
  }

  app.get(
    '/rollouts',
    {
      config: { permission: 'rollouts:read', errors: [] },
      schema: {
        operationId: 'listRollouts',
        tags,
        summary: 'Rollouts, newest first',
        querystring: RolloutsQuerySchema,
        response: { 200: pageOf(RolloutSchema) },
      },
    },
    async ({ query }) => {
      const { cursor: given, limit = 100, ...filter } = query
      const [before] = cursor.read(given) ?? []
      const found = await listRollouts(db, { ...filter, before, limit: limit + 1 })
      const { rows: shown, nextCursor } = cursor.page(found, limit, (row) => [row.id])
      const tasks =
        shown.length > 0
          ? await tasksOf(
              db,
              shown.map((row) => row.id),
            )
          : []
      const byRollout = Map.groupBy(tasks, (task) => task.rollout_id)
      return { items: shown.map((row) => view(row, byRollout.get(row.id) ?? [])), nextCursor }
    },
  )

  app.get(
    '/rollouts/:id',
    {
      config: { permission: 'rollouts:read', errors: [RolloutNotFound] },
      schema: {
        operationId: 'getRollout',
        tags,
        summary: 'One rollout, node by node, with why it is in its state',
        params,
        response: { 200: RolloutSchema },
      },
    },
    async ({ params: { id } }) => show(id),
  )

  app.post(
    '/rollouts',
    {
      config: {
        permission: 'rollouts:run',
        errors: [
          InRecovery,
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
      if (request.query.dry_run === '1') {
        const plan = await planVersion(deps, { config, version, selector })
        const nodes = plan.nodes.map((planned) => viewPlanned(planned, isConnected))
        return { config, version, nodes, excluded: some(plan.excluded.map(viewExcluded)) }
      }
      const author = request.user?.username ?? ''
      const id = await startRollout(deps, { config, version, selector, message, author })
      reply.code(201).header('location', `/api/v1/rollouts/${id}`)
      return show(id)
    },
  )

  app.post(
    '/rollouts/:id/actions/freeze',
    {
      config: { permission: 'rollouts:run', errors: [RolloutNotFound, StaleState, RolloutEnded] },
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
      const actor = request.user?.username ?? ''
      await engine.freeze(id, { actor, stateVersion: request.body.stateVersion })
      return show(id)
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

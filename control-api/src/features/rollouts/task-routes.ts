// SPDX-License-Identifier: MIT
// The nodes of a rollout: as many as a page has, or all of them in a few columns. None of its answers grows with the farm
// but the cells, of which each is a letter.
import { Type } from 'typebox'
import { scopeOf } from '../../access/scope.ts'
import { IfNoneMatchSchema, RolloutIdSchema } from '../../api-shapes/common.ts'
import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import { RolloutNotFound } from './shapes/errors.ts'
import { PlanCellsQuerySchema, ToComeSchema } from './shapes/plan-schema.ts'
import {
  CellsQuerySchema,
  CellsSchema,
  TasksQuerySchema,
  TasksSchema,
} from './shapes/task-schema.ts'
import { showCells, showTasks } from './task-view.ts'
import { showToCome, type ToComeDeps } from './to-come.ts'

const tags = ['rollouts']
const params = Type.Object({ id: RolloutIdSchema })
const config = {
  permission: 'rollouts:read' as const,
  scope: 'nodes' as const,
  errors: [RolloutNotFound],
}

export const rolloutTaskRoutes = (deps: ToComeDeps) => async (app: App) => {
  const { db } = deps
  app.get(
    '/rollouts/:id/tasks',
    {
      config,
      schema: {
        operationId: 'listRolloutTasks',
        tags,
        summary: 'The nodes of a rollout, with why each is in its state',
        description:
          'By wave and name, or, with `exceptions`, the worst first. A node that gets into another state while one pages through exceptions has another place among them',
        params,
        querystring: TasksQuerySchema,
        response: { 200: TasksSchema },
      },
    },
    async ({ params: { id }, query, user }) => {
      const { limit = 100, ...filter } = query
      return showTasks(db, id, { ...filter, limit, scope: scopeOf(user) })
    },
  )

  app.get(
    '/rollouts/:id/cells',
    {
      config,
      schema: {
        operationId: 'getRolloutCells',
        tags,
        summary: 'The state of every node of a rollout, for a map: a letter each',
        description:
          'To ask again, send the ETag as If-None-Match: then it is left out while nothing has changed. Names are in parts, for whoever points at a cell',
        params,
        querystring: CellsQuerySchema,
        headers: IfNoneMatchSchema,
        response: { 200: CellsSchema },
      },
    },
    async ({ params: { id }, query, user }, reply) => {
      const { cells, etag } = await showCells(db, id, { ...query, scope: scopeOf(user) })
      reply.header('etag', etag)
      return cells
    },
  )

  app.get(
    '/rollouts/:id/to-come',
    {
      config: { ...config, rateLimit: limits.expensive },
      schema: {
        operationId: 'getRolloutToCome',
        tags,
        summary: 'What a rollout would still do, as its nodes are now, for a picture',
        description:
          'The nodes whose turn has not come, in its waves: what they serve (with the permission metrics:read), what would fail together, and how many can be between two configs at once. Whether owners of machines allow it is asked when it is planned, not here',
        params,
        querystring: PlanCellsQuerySchema,
        response: { 200: ToComeSchema },
      },
    },
    async ({ params: { id }, query: { namesFrom }, user }) => {
      const mayMeasure = user?.permissions.includes('metrics:read') ?? false
      return showToCome(deps, id, { scope: scopeOf(user), namesFrom, mayMeasure })
    },
  )
}

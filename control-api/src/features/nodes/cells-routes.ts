// SPDX-License-Identifier: MIT
// All nodes in one small answer, for a map of them.
import { scopeOf } from '../../access/scope.ts'
import type { Refusal } from '../../api-shapes/errors.ts'
import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import { type AskValues, createCells, type ReadTouched } from './cells.ts'
import { CellsQuerySchema, CellsSchema } from './cells-schema.ts'
import type { FarmIndex } from './farm-index.ts'

type Deps = {
  index: FarmIndex
  valuesOf: AskValues
  touchedNow: ReadTouched
  valueErrors: readonly Refusal[]
}

export const nodeCellsRoutes = ({ valueErrors, ...deps }: Deps) => {
  const cellsOf = createCells(deps)
  return async (app: App) => {
    app.get(
      '/nodes/cells',
      {
        config: {
          permission: 'nodes:read',
          scope: 'nodes',
          rateLimit: limits.expensive,
          errors: valueErrors,
        },
        schema: {
          operationId: 'getNodeCells',
          tags: ['nodes'],
          summary:
            'The state and a measurement of every node, for a map: a letter and a number each',
          description:
            'The last 15 minutes when no range is given. Measurements need the permission metrics:read besides, rollouts rollouts:read.',
          querystring: CellsQuerySchema,
          response: { 200: CellsSchema },
        },
      },
      async ({ query, user }) => {
        const permissions = user?.permissions ?? []
        return cellsOf(query, scopeOf(user), {
          measure: permissions.includes('metrics:read'),
          seeRollouts: permissions.includes('rollouts:read'),
        })
      },
    )
  }
}

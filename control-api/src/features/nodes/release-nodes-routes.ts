// SPDX-License-Identifier: MIT
// GET /releases/{name}/nodes: who runs a release, and where it can be asked for its files.
import type { Kysely } from 'kysely'
import { scopeOf } from '../../access/scope.ts'
import { ReleaseNotFound } from '../../api-shapes/errors.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import { findRelease } from '../../releases/store.ts'
import type { ReleaseNodes } from './release-nodes.ts'
import {
  ReleaseNodesPageSchema,
  ReleaseNodesParamsSchema,
  ReleaseNodesQuerySchema,
} from './schema.ts'

type Deps = { db: Kysely<Database>; nodesOf: ReleaseNodes }

export const releaseNodesRoutes =
  ({ db, nodesOf }: Deps) =>
  async (app: App) => {
    app.get(
      '/releases/:name/nodes',
      {
        config: { permission: 'nodes:read', scope: 'nodes', errors: [ReleaseNotFound] },
        schema: {
          operationId: 'listReleaseNodes',
          tags: ['releases'],
          summary: 'The nodes that run a release, by name, with the version that each has',
          description: 'As far as is known, also of nodes that are not heard now.',
          params: ReleaseNodesParamsSchema,
          querystring: ReleaseNodesQuerySchema,
          response: { 200: ReleaseNodesPageSchema },
        },
      },
      async ({ params: { name }, query, user }) => {
        if (!(await findRelease(db, name))) throw new ReleaseNotFound(name)
        return await nodesOf(name, query, scopeOf(user))
      },
    )
  }

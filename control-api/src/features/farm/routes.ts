// SPDX-License-Identifier: MIT
import type { Static } from 'typebox'
import { type Scope, scopeOf } from '../../access/scope.ts'
import type { App } from '../../http/app-types.ts'
import { FarmSummarySchema } from './schema.ts'

type Deps = { summaryOf: (scope: Scope) => Promise<Static<typeof FarmSummarySchema>> }

export const farmRoutes =
  ({ summaryOf }: Deps) =>
  async (app: App) => {
    app.get(
      '/farm/summary',
      {
        config: { permission: 'nodes:read', scope: 'nodes', errors: [] },
        schema: {
          operationId: 'getFarmSummary',
          tags: ['nodes'],
          summary: 'The farm in a few numbers: nodes by state, who is silent, what is under way',
          description:
            'Of the nodes within the caller’s scope. At most a second old, on a farm of many thousand nodes a few: `asOf` says of when.',
          response: { 200: FarmSummarySchema },
        },
      },
      async ({ user }) => {
        const summary = await summaryOf(scopeOf(user))
        const mayRead = user?.permissions.includes('rollouts:read')
        return mayRead ? summary : { ...summary, rollouts: null }
      },
    )
  }

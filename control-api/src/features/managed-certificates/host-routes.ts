// SPDX-License-Identifier: MIT
// Before hosts are ordered: which configs name them, and how many nodes answer for them. A host that none serves may be
// ordered all the same, by DNS-01 or because it is to be served once its certificate is there.

import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import type { ManagedDeps } from './deps.ts'
import { HostsLookSchema, HostsToLookAtSchema } from './schema.ts'

export const hostRoutes =
  ({ nodesServing, configsNamingHost }: ManagedDeps) =>
  async (app: App) => {
    app.post(
      '/managed-certificates/preflight',
      {
        config: { permission: 'certificates:write', heavy: true, rateLimit: limits.expensive },
        schema: {
          operationId: 'preflightManagedCertificate',
          tags: ['managed certificates'],
          summary: 'Which configs name these hosts, and how many nodes serve them',
          description: 'Nothing is ordered and nothing is changed.',
          body: HostsToLookAtSchema,
          response: { 200: HostsLookSchema },
        },
      },
      async ({ body: { names } }) => {
        const items = []
        for (const host of names) {
          const nodes = (await nodesServing([host])).size
          items.push({ host, nodes, configs: await configsNamingHost(host) })
        }
        return { items }
      },
    )
  }

// SPDX-License-Identifier: MIT
import { type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { LiveStateContext } from '../hooks/live-state.ts'
import { baseUrl } from '../lib/api-client.ts'
import type { EventKind } from '../lib/api-types.ts'
import { connectLive, type LiveState } from '../lib/live.ts'

/** What an event makes old. The draft too: what is typed beyond it is kept apart and never replaced. */
const oldAfter: Record<EventKind, readonly QueryKey[]> = {
  node: [['nodes'], ['groups'], ['configs'], ['rollouts', 'plan']],
  rollout: [['rollouts'], ['nodes'], ['configs'], ['audit']],
  config: [['configs'], ['drafts'], ['audit']],
  metrics: [['metrics'], ['nodes', 'list'], ['nodes', 'one']],
  session: [['session'], ['audit']],
  user: [['users'], ['session'], ['audit']],
  token: [['tokens'], ['audit']],
  group: [['groups'], ['nodes'], ['rollouts', 'plan'], ['audit']],
  certificate: [['certificates'], ['managed-certificates'], ['configs'], ['audit']],
  'certificate-authority': [['certificate-authorities'], ['managed-certificates'], ['audit']],
  'dns-webhook': [['dns-webhooks'], ['audit']],
  webhook: [['webhooks'], ['audit']],
  backup: [['backups'], ['audit']],
  system: [['system'], ['audit']],
}

/**
 * The library asks again for what is shown. A fetch that it does not begin anew, a first one, may bring
 * what was true before the event, and would make it pass for new: so what it brings is old, too.
 */
function makeOld(client: QueryClient, queryKey: QueryKey): void {
  const isKeptOn = (query: Query) => query.state.data === undefined || !query.isActive()
  const underWay = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })
  for (const query of underWay.filter(isKeptOn)) {
    const again = () => client.invalidateQueries({ queryKey: query.queryKey, exact: true })
    query.promise?.then(again, () => {}) // one that failed says so where it is shown
  }
  void client.invalidateQueries({ queryKey })
}

/** What is shown when the stream begins was fetched while the page and the stream were loading. */
const FETCHED_WITHIN_SECONDS = 10

export function LiveProvider({ children }: { children: React.ReactNode }) {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(
    () =>
      connectLive({
        url: new URL(`api/v1/events?sinceSeconds=${FETCHED_WITHIN_SECONDS}`, baseUrl).href,
        onState: setState,
        onChange: (kinds) => {
          for (const kind of kinds) {
            for (const queryKey of oldAfter[kind]) makeOld(client, queryKey)
          }
        },
      }),
    [client],
  )
  return <LiveStateContext value={state}>{children}</LiveStateContext>
}

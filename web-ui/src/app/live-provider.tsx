// SPDX-License-Identifier: MIT
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { LiveStateContext } from '../hooks/live-state.ts'
import { baseUrl } from '../lib/api-client.ts'
import { connectLive, type EventKind, type LiveState } from '../lib/live.ts'

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
  webhook: [['webhooks'], ['audit']],
  backup: [['backups'], ['audit']],
  system: [['system'], ['audit']],
}

export function LiveProvider({ children }: { children: React.ReactNode }) {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(
    () =>
      connectLive({
        url: new URL('api/v1/events', baseUrl).href,
        onState: setState,
        onChange: (kinds) => {
          for (const kind of kinds) {
            for (const queryKey of oldAfter[kind]) void client.invalidateQueries({ queryKey })
          }
        },
      }),
    [client],
  )
  return <LiveStateContext value={state}>{children}</LiveStateContext>
}

// SPDX-License-Identifier: MIT
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { heardFactsQuery, isOldAfter, withHeard } from '../features/nodes/node-events.ts'
import { LiveStateContext } from '../hooks/live-state.ts'
import { baseUrl } from '../lib/api-client.ts'
import type { EventKind } from '../lib/api-types.ts'
import { connectLive, type LiveState } from '../lib/live/live.ts'
import { createRefresher } from '../lib/refresher.ts'

/** What an event makes old. The draft too: what is typed beyond it is kept apart and never replaced. */
const oldAfter: Record<EventKind, readonly QueryKey[]> = {
  // And what is below 'nodes', as far as it is about them.
  node: [['farm'], ['groups'], ['configs'], ['rollouts', 'plan']],
  // What it does to nodes they say themselves; why it passed one by stands on its page.
  rollout: [
    ['farm'],
    ['rollouts'],
    ['happened'],
    ['nodes', 'one'],
    ['nodes', 'rendered'],
    ['configs'],
    ['audit'],
  ],
  config: [['configs'], ['sites'], ['drafts'], ['audit']],
  release: [['releases'], ['audit']],
  metrics: [['metrics'], ['nodes', 'one']],
  session: [['session'], ['audit']],
  user: [['users'], ['session'], ['audit']],
  token: [['tokens'], ['audit']],
  group: [['farm'], ['groups'], ['group-names'], ['nodes'], ['rollouts', 'plan'], ['audit']],
  certificate: [['certificates'], ['managed-certificates'], ['configs'], ['audit']],
  'certificate-authority': [['certificate-authorities'], ['managed-certificates'], ['audit']],
  'dns-webhook': [['dns-webhooks'], ['audit']],
  webhook: [['webhooks'], ['audit']],
  alert: [['alerts'], ['happened'], ['audit']],
  'alert-rule': [['alerts'], ['alert-rules'], ['audit']],
  'alert-silence': [['alerts'], ['alert-silences'], ['audit']],
  backup: [['backups'], ['audit']],
  system: [['system'], ['neighbours', 'now'], ['audit']],
}

/**
 * What was measured in the last minute stands in the rows of nodes, too. It changes with each event of measurements, that is
 * all the time, and slowly; each look takes the control plane a look at all nodes. What else is in the rows has events of its own.
 */
const MEASURED_ROWS = { key: ['nodes', 'list'], atMostEveryMs: 10_000 }

/** A look at all nodes, for a picture of them. */
const MAPPED = { key: ['node-cells'], atMostEveryMs: 10_000 }
const MAPPED_BY: readonly EventKind[] = ['node', 'group', 'rollout']

/** The overview's lists of what changed: in a busy farm something does all the time, and each look reads some hundred lines. */
const CHANGES = { key: 'changes', atMostEveryMs: 10_000 }
const listAbout: Partial<Record<EventKind, string>> = {
  ...{ config: 'versions', rollout: 'rollouts', alert: 'alerts' },
}

/** What is shown when the stream begins was fetched while the page and the stream were loading. */
const FETCHED_WITHIN_SECONDS = 10

export function LiveProvider({ children }: { children: React.ReactNode }) {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    const { makeOld, stop } = createRefresher(client)
    const disconnect = connectLive({
      url: new URL(`api/v1/events?sinceSeconds=${FETCHED_WITHIN_SECONDS}`, baseUrl).href,
      onState: setState,
      onChange: ({ kinds, nodes }) => {
        for (const kind of kinds) for (const queryKey of oldAfter[kind]) makeOld(queryKey)
        if (kinds.has('node')) {
          const { queryKey } = heardFactsQuery
          client.setQueryData(queryKey, (heard = new Map()) =>
            nodes ? withHeard(heard, nodes) : new Map(),
          )
          for (const query of client.getQueryCache().findAll({ queryKey: ['nodes'] })) {
            const read = { queryKey: query.queryKey, data: query.state.data }
            if (nodes === null || isOldAfter(nodes, read)) makeOld(query.queryKey)
          }
        }
        if (MAPPED_BY.some((kind) => kinds.has(kind))) makeOld(MAPPED.key, MAPPED.atMostEveryMs)
        for (const kind of kinds) {
          if (kind === 'metrics') continue
          for (const list of [listAbout[kind], 'deeds']) {
            if (list !== undefined) makeOld([CHANGES.key, list], CHANGES.atMostEveryMs)
          }
        }
        if (kinds.has('metrics')) makeOld(MEASURED_ROWS.key, MEASURED_ROWS.atMostEveryMs)
      },
    })
    return () => {
      disconnect()
      stop()
    }
  }, [client])
  return <LiveStateContext value={state}>{children}</LiveStateContext>
}

// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { systemQuery } from '../lib/system-query.ts'
import { Notice } from './notice.tsx'

/** Nothing, when nodes are known by their certificates. */
export function PlainListenerNotice() {
  const system = useQuery(systemQuery)
  if (system.data?.agentListener.transport !== 'insecure-http') return null
  return (
    <Notice tone="warn" title="Nodes talk to this control plane over plain HTTP">
      Anyone who can read that traffic can read the nodes’ credentials and configs. Keep the agent
      listener (<code>{system.data.agentListener.url}</code>) on a network you trust, or start the
      control plane without <code>FARMSTEAD_AGENT_TRANSPORT=insecure-http</code> and let the nodes
      join again.
    </Notice>
  )
}

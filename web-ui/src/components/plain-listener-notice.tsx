// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { t } from '../languages/t.ts'
import { T } from '../languages/text.tsx'
import { systemQuery } from '../lib/system-query.ts'
import { Notice } from './notice.tsx'

/** Nothing, when nodes are known by their certificates. */
export function PlainListenerNotice() {
  const system = useQuery(systemQuery)
  if (system.data?.agentListener.transport !== 'insecure-http') return null
  return (
    <Notice tone="warn" title={t('Nodes talk to this control plane over plain HTTP')}>
      <T
        text="Anyone who can read that traffic can read the nodes’ credentials and configs. Keep the agent listener ({url}) on a network you trust, or start the control plane without <code>FARMSTEAD_AGENT_TRANSPORT=insecure-http</code> and let the nodes join again."
        url={<code>{system.data.agentListener.url}</code>}
        code={<code />}
      />
    </Notice>
  )
}

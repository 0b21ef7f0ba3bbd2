// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { CordonedBadge } from '../../components/cordoned-badge.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import type { Node, Session } from '../../lib/api-types.ts'
import { formatSeconds, plural } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { nodeQuery } from './api.ts'
import { CertificatesPanel } from './certificates-panel.tsx'
import { CordonAction } from './cordon/cordon-action.tsx'
import { CordonNotice } from './cordon/cordon-notice.tsx'
import { DriftPanel } from './drift/drift-panel.tsx'
import { EditNodeDialog } from './edit-node-dialog.tsx'
import { EffectiveConfigPanel } from './effective-config-panel.tsx'
import { CloneNotice } from './identity/clone-notice.tsx'
import { IdentityNotice } from './identity/identity-notice.tsx'
import { IdentityPanel } from './identity/identity-panel.tsx'
import { LogPanel } from './machine/log-panel.tsx'
import { MachinePanel, RootsPanel } from './machine/machine-panel.tsx'
import { LastSeen, Urls } from './node-cells.tsx'
import { NodeCharts } from './node-charts.tsx'
import { GaugesPanel, ResultPanel, SyncPanel } from './node-panels.tsx'
import classes from './node-screen.module.css'
import type { NodeSearch } from './node-search.ts'
import { OverridePanel } from './override-panel.tsx'
import { PolicyPanel } from './policy/policy-panel.tsx'
import { RenderingPanel } from './rendering-panel.tsx'
import { syncVerdict, whyNoLatency } from './rules.ts'

export type NodeScreenProps = {
  id: string
  session: Session
  search: NodeSearch
  onSearch: (search: NodeSearch) => void
}

export function NodeScreen({ id, session, search, onSearch }: NodeScreenProps) {
  const node = useQuery(nodeQuery(id))
  const [editing, setEditing] = useState(false)
  return (
    <Page
      title={node.data?.name ?? 'Node'}
      meta={node.data === undefined ? undefined : <NodeMeta node={node.data} />}
      actions={
        node.data === undefined ? undefined : (
          <>
            <CordonAction node={node.data} session={session} />
            <ActionButton
              variant="default"
              blockedBy={whyNot(session, 'nodes:write')}
              onClick={() => setEditing(true)}
            >
              Rename or label
            </ActionButton>
          </>
        )
      }
    >
      <QueryStates query={node} what="The node" skeletonRows={6}>
        {(data) => (
          <>
            {data.clone !== null && (
              <CloneNotice node={data} clone={data.clone} session={session} />
            )}
            <IdentityNotice node={data} session={session} />
            {data.cordon !== null && <CordonNotice name={data.name} cordon={data.cordon} />}
            {data.drift !== null && <DriftPanel node={data} drift={data.drift} session={session} />}
            <div className={classes.overview}>
              <SyncPanel node={data} />
              <ResultPanel node={data} />
            </div>
            <NodeCharts id={id} search={search} onSearch={onSearch} />
            <GaugesPanel node={data} />
            <div className={classes.overview}>
              <MachinePanel node={data} />
              <IdentityPanel node={data} session={session} />
            </div>
            <CertificatesPanel node={data} />
            <PolicyPanel node={data} />
            <RootsPanel host={data.host} />
            <LogPanel node={data} />
            <EffectiveConfigPanel node={data} />
            <RenderingPanel node={data} />
            <OverridePanel node={data} session={session} />
            {editing && <EditNodeDialog node={data} onClose={() => setEditing(false)} />}
          </>
        )}
      </QueryStates>
    </Page>
  )
}

function NodeMeta({ node }: { node: Node }) {
  const { latency } = node
  return (
    <>
      <StatusBadge verdict={syncVerdict[node.sync.state]} />
      {node.cordon !== null && <CordonedBadge />}
      <LastSeen node={node} />
      <span>
        Group <Link to="/groups">{node.group}</Link>
      </span>
      <span>
        p99 {formatSeconds(latency.p99Seconds)},{' '}
        {whyNoLatency(node) ?? plural(latency.requests, 'request')}, {latency.windowSeconds / 60}{' '}
        min
      </span>
      <Urls urls={node.urls} />
    </>
  )
}

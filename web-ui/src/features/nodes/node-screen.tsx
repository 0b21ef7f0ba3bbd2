// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { CordonedBadge } from '../../components/cordoned-badge.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { type Topic, Topics } from '../../components/topics.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Node, NodeDetail, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { AdvicePanel } from './advice/advice-panel.tsx'
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
import { NeighbourNotice } from './neighbour-notice.tsx'
import { LastSeen, Urls } from './node-cells.tsx'
import { NodeCharts } from './node-charts.tsx'
import { GaugesPanel, NumbersPanel, ResultPanel, SyncPanel } from './node-panels.tsx'
import classes from './node-screen.module.css'
import type { NodeSearch } from './node-search.ts'
import { OverridePanel } from './override-panel.tsx'
import { PolicyPanel } from './policy/policy-panel.tsx'
import { RenderingPanel } from './rendering-panel.tsx'
import { RequestsPanel } from './requests/requests-panel.tsx'
import { SlowPanel } from './requests/slow-panel.tsx'
import { syncVerdict } from './rules.ts'
import { WhyPanel } from './why/why-panel.tsx'

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
      title={node.data?.name ?? t('Node')}
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
              {t('Rename or label')}
            </ActionButton>
          </>
        )
      }
    >
      <QueryStates query={node} what={t('The node')} skeletonRows={6}>
        {(data) => (
          <>
            {data.clone !== null && (
              <CloneNotice node={data} clone={data.clone} session={session} />
            )}
            <IdentityNotice node={data} session={session} />
            {data.cordon !== null && <CordonNotice name={data.name} cordon={data.cordon} />}
            <NeighbourNotice node={data} />
            {data.drift !== null && <DriftPanel node={data} drift={data.drift} session={session} />}
            <Topics
              label={t('On this page')}
              topics={topicsOf({ node: data, session, search, onSearch })}
            />
            {editing && <EditNodeDialog node={data} onClose={() => setEditing(false)} />}
          </>
        )}
      </QueryStates>
    </Page>
  )
}

type TopicsOf = Pick<NodeScreenProps, 'session' | 'search' | 'onSearch'> & { node: NodeDetail }

function topicsOf({ node, session, search, onSearch }: TopicsOf): Topic[] {
  return [
    {
      id: 'status',
      title: t('Status'),
      children: (
        <>
          <NumbersPanel node={node} />
          <div className={classes.overview}>
            <SyncPanel node={node} session={session} />
            <ResultPanel node={node} />
          </div>
        </>
      ),
    },
    {
      id: 'measurements',
      title: t('Measurements'),
      children: (
        <>
          <NodeCharts {...{ node, session, search, onSearch }} />
          <AdvicePanel node={node} session={session} />
          <RequestsPanel node={node} session={session} />
          <SlowPanel node={node} session={session} search={search} onSearch={onSearch} />
          <GaugesPanel node={node} />
        </>
      ),
    },
    {
      id: 'config',
      title: t('Config'),
      children: (
        <>
          <WhyPanel node={node} session={session} />
          <EffectiveConfigPanel node={node} />
          <RenderingPanel node={node} />
          <OverridePanel node={node} session={session} />
        </>
      ),
    },
    {
      id: 'machine',
      title: t('Machine and log'),
      children: (
        <>
          <div className={classes.overview}>
            <MachinePanel node={node} />
            <PolicyPanel node={node} />
          </div>
          <RootsPanel host={node.host} />
          <LogPanel node={node} />
        </>
      ),
    },
    {
      id: 'identity',
      title: t('Identity and certificates'),
      children: (
        <div className={classes.overview}>
          <IdentityPanel node={node} session={session} />
          <CertificatesPanel node={node} />
        </div>
      ),
    },
  ]
}

function NodeMeta({ node }: { node: Node }) {
  return (
    <>
      <StatusBadge verdict={syncVerdict[node.sync.state]} />
      {node.cordon !== null && <CordonedBadge />}
      <LastSeen node={node} />
      <span>
        <T text="Group {group}" group={<Link to="/groups">{node.group}</Link>} />
      </span>
      <Urls urls={node.urls} />
    </>
  )
}

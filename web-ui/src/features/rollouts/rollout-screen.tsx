// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { rolloutQuery } from './api.ts'
import { Distributions } from './distributions.tsx'
import { EvidencePanel } from './evidence.tsx'
import { FilesFirstPanel } from './files-first.tsx'
import { NodesPanel } from './nodes-panel.tsx'
import { ToComePicture } from './plan-picture.tsx'
import { PolicyFacts } from './policy-facts.tsx'
import { ReleasesBrought } from './releases-brought.tsx'
import { RolloutHeadActions } from './rollout-actions.tsx'
import { RolloutStatePanel } from './rollout-state.tsx'
import { isWaiting } from './rules.ts'
import { FAST_PATH } from './strategy-words.ts'
import { Timeline } from './timeline.tsx'
import { TwoVersions } from './two-versions.tsx'
import { WaitsFor } from './waits-for.tsx'
import { Waves } from './waves.tsx'

export type RolloutScreenProps = {
  id: string
  session: Session
  onStarted: (rollout: Rollout) => void
  onOpenNode: (nodeId: string) => void
}

export function RolloutScreen({ id, session, onStarted, onOpenNode }: RolloutScreenProps) {
  const rollout = useQuery(rolloutQuery(id))
  const title =
    rollout.data === undefined
      ? t('Rollout')
      : t('Rollout of {config} v{version}', {
          config: rollout.data.config,
          version: rollout.data.version,
        })
  return (
    <Page
      title={title}
      meta={rollout.data === undefined ? undefined : <RolloutMeta rollout={rollout.data} />}
      actions={rollout.data && <RolloutHeadActions rollout={rollout.data} session={session} />}
    >
      <QueryStates query={rollout} what={t('The rollout')} skeletonRows={6}>
        {(data) => (
          <>
            <RolloutStatePanel rollout={data} session={session} asOf={rollout.dataUpdatedAt} />
            <WaitsFor rollout={data} />
            {isWaiting(data.state) && data.totalNodes > 1 && (
              <ToComePicture rollout={data} onOpen={onOpenNode} />
            )}
            <TwoVersions rollout={data} session={session} onStarted={onStarted} />
            {data.filesFirst !== null && <FilesFirstPanel files={data.filesFirst} />}
            {data.waves.length > 1 && <Waves rollout={data} />}
            {data.evidence !== null && <EvidencePanel evidence={data.evidence} />}
            <Distributions distributions={data.distributions} />
            <NodesPanel rollout={data} />
            <PolicyFacts policy={data.policy} />
            <Timeline rollout={data} session={session} />
          </>
        )}
      </QueryStates>
    </Page>
  )
}

function RolloutMeta({ rollout }: { rollout: Rollout }) {
  return (
    <>
      <span>
        {isWaiting(rollout.state) ? (
          <T
            text="ordered by {author} {createdAt}"
            author={rollout.author}
            createdAt={<TimeAgo at={rollout.createdAt} />}
          />
        ) : (
          <T
            text="started by {author} {createdAt}"
            author={rollout.author}
            createdAt={<TimeAgo at={rollout.createdAt} />}
          />
        )}
      </span>
      {rollout.message !== '' && <span>“{rollout.message}”</span>}
      <ReleasesBrought releases={rollout.releases} />
      {rollout.isFastPath && <span>{FAST_PATH}</span>}
      {rollout.emergency !== null && (
        <span>{t('Emergency: “{emergency}”', { emergency: rollout.emergency })}</span>
      )}
      <code>{rollout.id}</code>
    </>
  )
}

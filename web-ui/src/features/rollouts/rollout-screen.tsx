// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { forPeople } from '../../lib/people-words.ts'
import { formatDateTime } from '../../lib/time.ts'
import { rolloutQuery } from './api.ts'
import { EvidencePanel } from './evidence.tsx'
import { NodesPanel } from './nodes-panel.tsx'
import { PolicyFacts } from './policy-facts.tsx'
import { RolloutActions } from './rollout-actions.tsx'
import classes from './rollouts.module.css'
import { isWaiting, progressText, rolloutVerdict } from './rules.ts'
import { FAST_PATH } from './strategy-words.ts'
import { Timeline } from './timeline.tsx'
import { TwoVersions } from './two-versions.tsx'
import { WaitsFor } from './waits-for.tsx'
import { Waves } from './waves.tsx'

export type RolloutScreenProps = {
  id: string
  session: Session
  onStarted: (rollout: Rollout) => void
}

export function RolloutScreen({ id, session, onStarted }: RolloutScreenProps) {
  const rollout = useQuery(rolloutQuery(id))
  const title =
    rollout.data === undefined
      ? 'Rollout'
      : `Rollout of ${rollout.data.config} v${rollout.data.version}`
  return (
    <Page
      title={title}
      meta={rollout.data === undefined ? undefined : <RolloutMeta rollout={rollout.data} />}
      actions={rollout.data && <RolloutActions rollout={rollout.data} session={session} />}
    >
      <QueryStates query={rollout} what="The rollout" skeletonRows={6}>
        {(data) => (
          <>
            <StateHeader rollout={data} />
            <WaitsFor rollout={data} />
            <TwoVersions rollout={data} session={session} onStarted={onStarted} />
            {data.waves.length > 1 && <Waves rollout={data} />}
            {data.evidence !== null && <EvidencePanel evidence={data.evidence} />}
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
        {isWaiting(rollout.state) ? 'ordered' : 'started'} by {rollout.author}{' '}
        <TimeAgo at={rollout.createdAt} />
      </span>
      {rollout.message !== '' && <span>“{rollout.message}”</span>}
      {rollout.isFastPath && <span>{FAST_PATH}</span>}
      {rollout.emergency !== null && <span>Emergency: “{rollout.emergency}”</span>}
      <code>{rollout.id}</code>
    </>
  )
}

function StateHeader({ rollout }: { rollout: Rollout }) {
  const { config, version, previousVersion } = rollout
  const { doneNodes, totalNodes } = rollout
  const progress = progressText(doneNodes, totalNodes)
  return (
    <section className={`panel ${classes.state}`} aria-label="State of the rollout">
      <div role="status" className={classes.stateLine}>
        <span className={classes.stateWord}>
          <StatusBadge verdict={rolloutVerdict[rollout.state]} />
        </span>
        <span>{progress}</span>
      </div>
      <progress
        className={classes.progress}
        max={Math.max(1, totalNodes)}
        value={doneNodes}
        aria-label={progress}
      />
      <p>{forPeople(rollout.reason)}</p>
      {rollout.pendingNodes > 0 && (
        <p>
          {plural(rollout.pendingNodes, 'node')} could not be reached and will take the version on
          return.
        </p>
      )}
      {rollout.cordonedNodes > 0 && (
        <p>{plural(rollout.cordonedNodes, 'cordoned node')} skipped.</p>
      )}
      <p className="row dim">
        {previousVersion !== null && previousVersion !== version && (
          <Link
            to="/configs/$name/compare"
            params={{ name: config }}
            search={{ from: previousVersion, to: version }}
          >
            What changes from v{previousVersion} to v{version}
          </Link>
        )}
        {rollout.endedAt !== null && <span>ended {formatDateTime(rollout.endedAt)}</span>}
      </p>
    </section>
  )
}

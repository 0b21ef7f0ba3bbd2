// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { CordonedBadge } from '../../components/cordoned-badge.tsx'
import { Digest } from '../../components/digest.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { ScrollBox } from '../../components/scroll-box.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { NodeTask, Rollout, Session } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { ownWords } from '../../lib/own-words.ts'
import { forPeople } from '../../lib/people-words.ts'
import { formatDateTime } from '../../lib/time.ts'
import { rolloutQuery } from './api.ts'
import { EvidencePanel } from './evidence.tsx'
import { PolicyFacts } from './policy-facts.tsx'
import { RolloutActions } from './rollout-actions.tsx'
import classes from './rollouts.module.css'
import {
  isHeldBack,
  isWaiting,
  progressText,
  rolloutVerdict,
  taskSentence,
  verdictOfTask,
} from './rules.ts'
import { FAST_PATH } from './strategy-words.ts'
import { Timeline } from './timeline.tsx'
import { TwoVersions } from './two-versions.tsx'
import { WaitsFor } from './waits-for.tsx'
import { Waves } from './waves.tsx'

export type RolloutScreenProps = {
  id: string
  session: Session
  /** Of all nodes that run the config now, by id: which version. */
  versionsOf: (config: string) => ReadonlyMap<string, number>
  onStarted: (rollout: Rollout) => void
}

export function RolloutScreen({ id, session, versionsOf, onStarted }: RolloutScreenProps) {
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
            <TwoVersions
              rollout={data}
              session={session}
              versions={versionsOf(data.config)}
              onStarted={onStarted}
            />
            {data.waves.length > 1 && <Waves rollout={data} />}
            {data.evidence !== null && <EvidencePanel evidence={data.evidence} />}
            <TaskTable rollout={data} />
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

function TaskTable({ rollout }: { rollout: Rollout }) {
  const manyWaves = rollout.waves.length > 1
  return (
    <section className="panel" aria-labelledby="tasks-heading">
      <div className="panel-head">
        <h2 id="tasks-heading">Nodes</h2>
      </div>
      <ScrollBox label="Nodes of the rollout, table">
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">Node</th>
              {manyWaves && (
                <th scope="col" className="num">
                  Wave
                </th>
              )}
              <th scope="col">State</th>
              <th scope="col">What it says</th>
              <th scope="col" className="num">
                Generation
              </th>
              <th scope="col">Digest</th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {rollout.tasks.map((task) => (
              <TaskRow key={task.nodeId} task={task} rollout={rollout} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  )
}

function TaskRow({ task, rollout }: { task: NodeTask; rollout: Rollout }) {
  const { config, waves } = rollout
  const wave = waves.length > 1
  return (
    <tr>
      <td>
        <Link to="/nodes/$id" params={{ id: task.nodeId }}>
          <strong>{task.nodeName}</strong>
        </Link>
      </td>
      {wave && <td className="num">{task.wave + 1}</td>}
      <td>
        <span className="row">
          <StatusBadge verdict={verdictOfTask(task)} />
          {isHeldBack(task) && <CordonedBadge />}
        </span>
      </td>
      <td className={classes.says}>
        {task.code !== null && <code>{task.code}</code>}{' '}
        {ownWords(task.message, task.errors) || taskSentence(task)}
        {task.errors.length > 0 && <ConfigErrors config={config} errors={task.errors} />}
      </td>
      <td className="num">{task.generation ?? '–'}</td>
      <td>
        <Digest value={task.digest} />
      </td>
      <td>
        <TimeAgo at={task.updatedAt} />
      </td>
    </tr>
  )
}

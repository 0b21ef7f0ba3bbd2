// SPDX-License-Identifier: MIT
import { TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ConfigErrors } from '../../components/config-errors.tsx'
import { Digest } from '../../components/digest.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { StatusBadge, type Verdict } from '../../components/status-badge.tsx'
import type { Rollout, RolloutPlan, Session } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { planQuery, type Release, rolloutsQuery, startRolloutMutation } from './api.ts'
import classes from './rollouts.module.css'
import { ownsNodes, whyNotStart } from './rules.ts'

export type PlanScreenProps = {
  release: Release
  session: Session
  onNarrow: (selector: string) => void
  onStarted: (rollout: Rollout) => void
}

export function PlanScreen({ release, session, onNarrow, onStarted }: PlanScreenProps) {
  const plan = useQuery(planQuery(release))
  return (
    <Page
      title={`Plan: ${release.config} v${release.version} to the farm`}
      meta={
        <Link
          to="/configs/$name/versions/$number"
          params={{ name: release.config, number: release.version }}
        >
          Read v{release.version}
        </Link>
      }
    >
      <NarrowForm key={release.selector} selector={release.selector ?? ''} onNarrow={onNarrow} />
      <QueryStates query={plan} what="The plan" skeletonRows={5}>
        {(data) => <Plan plan={data} session={session} release={release} onStarted={onStarted} />}
      </QueryStates>
    </Page>
  )
}

type PlanProps = Omit<PlanScreenProps, 'onNarrow'> & { plan: RolloutPlan }

function Plan({ plan, release, session, onStarted }: PlanProps) {
  const changing = plan.nodes.filter((node) => node.changes).length
  const away = plan.nodes.filter((node) => !node.connected).length
  const fromVersions = [...new Set(plan.nodes.map((node) => node.fromVersion))]
  return (
    <>
      <section className="panel" aria-labelledby="plan-heading">
        <div className="panel-head">
          <h2 id="plan-heading">
            {plural(plan.nodes.length, 'node')}, {changing} will change
          </h2>
          <span className="grow" />
          {fromVersions.map(
            (from) =>
              from !== null &&
              from !== plan.version && (
                <Link
                  key={from}
                  to="/configs/$name/compare"
                  params={{ name: plan.config }}
                  search={{ from, to: plan.version }}
                >
                  What differs from v{from}
                </Link>
              ),
          )}
        </div>
        {plan.nodes.length === 0 && plan.excluded.total > 0 ? (
          <EmptyState title="It is for none of the nodes">Why stands below.</EmptyState>
        ) : plan.nodes.length === 0 ? (
          <EmptyState title="No node to roll out to">
            <Link to="/enrolment">Add a node</Link> first; it takes this version then.
          </EmptyState>
        ) : (
          <PlanTable plan={plan} />
        )}
      </section>
      {plan.excluded.total > 0 && <Excluded excluded={plan.excluded} />}
      {away > 0 && (
        <Notice tone="warn" title={`${plural(away, 'node')} not connected`}>
          {away === 1 ? 'It' : 'They'} will take the version on return. The others do not wait.
        </Notice>
      )}
      <StartForm plan={plan} release={release} session={session} onStarted={onStarted} />
    </>
  )
}

function Excluded({ excluded }: Pick<RolloutPlan, 'excluded'>) {
  const { total, items } = excluded
  const more = total - items.length
  return (
    <Notice tone="info" title={`It does not go to ${plural(total, 'other node')}`}>
      <ul>
        {[...Map.groupBy(items, ({ reason }) => reason)].map(([reason, nodes]) => (
          <li key={reason}>
            {nodes.map(({ nodeName }) => nodeName).join(', ')}: {reason}
          </li>
        ))}
        {more > 0 && <li className="dim">and {more} more</li>}
      </ul>
    </Notice>
  )
}

type NarrowFormProps = { selector: string; onNarrow: (selector: string) => void }

function NarrowForm({ selector, onNarrow }: NarrowFormProps) {
  const [given, setGiven] = useState(selector)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onNarrow(given.trim())
  }
  return (
    <form className="panel" onSubmit={handleSubmit}>
      <div className={classes.startForm}>
        <TextInput
          label="Only to nodes with these labels (optional)"
          description="A selector, as in zone=eu,!canary. Such a rollout releases nothing to new nodes."
          spellCheck={false}
          value={given}
          onChange={(event) => setGiven(event.currentTarget.value)}
        />
        <ActionButton
          type="submit"
          variant="default"
          blockedBy={given.trim() === selector ? 'This is what the plan is for.' : null}
        >
          Plan again
        </ActionButton>
      </div>
    </form>
  )
}

function PlanTable({ plan }: { plan: RolloutPlan }) {
  return (
    <div className="scroll-x">
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">Node</th>
            <th scope="col">What happens</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Digest on the node</th>
            <th scope="col">Findings</th>
          </tr>
        </thead>
        <tbody>
          {plan.nodes.map((node) => (
            <tr key={node.nodeId}>
              <td>
                <Link to="/nodes/$id" params={{ id: node.nodeId }}>
                  <strong>{node.nodeName}</strong>
                </Link>
              </td>
              <td>
                <StatusBadge verdict={verdictOf(node)} />
              </td>
              <td>
                {node.fromVersion === null ? (
                  <span className="dim">none</span>
                ) : (
                  `v${node.fromVersion}`
                )}
              </td>
              <td>v{plan.version}</td>
              <td>
                {node.digest === null ? (
                  <span className="dim">–</span>
                ) : (
                  <Digest value={node.digest} />
                )}
              </td>
              <td>
                {node.errors.length === 0 ? (
                  <span className="dim">none</span>
                ) : (
                  <ConfigErrors config={plan.config} errors={node.errors} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function verdictOf(node: RolloutPlan['nodes'][number]): Verdict {
  if (node.errors.length > 0) return { label: 'Would refuse it', tone: 'bad', shape: 'square' }
  if (!node.changes) return { label: 'Runs it already', tone: 'good', shape: 'disc' }
  if (!node.connected) return { label: 'Takes it on return', tone: 'warn', shape: 'ring' }
  return { label: 'Takes it now', tone: 'info', shape: 'half' }
}

function StartForm({ plan, release, session, onStarted }: PlanProps) {
  const client = useQueryClient()
  const [message, setMessage] = useState('')
  const rollouts = useQuery(rolloutsQuery)
  const active = rollouts.data?.items.find((rollout) => ownsNodes(rollout.state))
  const start = useMutation({
    ...startRolloutMutation,
    onSuccess: (rollout) => {
      void client.invalidateQueries({ queryKey: ['rollouts'] })
      onStarted(rollout)
    },
  })
  const blockedBy =
    whyNot(session, 'rollouts:run') ??
    whyNotStart(plan) ??
    (active === undefined
      ? null
      : `The rollout of ${active.config} v${active.version} is under way. It ends first, or is frozen.`)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    start.mutate({ ...release, ...(message.trim() !== '' && { message: message.trim() }) })
  }
  return (
    <form className="panel" onSubmit={handleSubmit}>
      <div className={classes.startForm}>
        <TextInput
          label="Message (optional)"
          description="Why now: shown with the rollout"
          maxLength={500}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        <ActionButton type="submit" loading={start.isPending} blockedBy={blockedBy}>
          Start rollout to {plural(plan.nodes.length, 'node')}
        </ActionButton>
        {active !== undefined && (
          <Link to="/rollouts/$id" params={{ id: active.id }}>
            Look at the one under way
          </Link>
        )}
      </div>
      {start.isError && (
        <div className="panel-body">
          <ErrorBox what="No rollout was started" error={start.error} />
        </div>
      )}
    </form>
  )
}

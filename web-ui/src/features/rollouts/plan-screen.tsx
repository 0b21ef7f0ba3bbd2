// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { isApiError } from '../../lib/api-error.ts'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import type { Release } from './api.ts'
import { EmergencyButton } from './emergency-dialog.tsx'
import { keepLastUsed, readLastUsed } from './last-used.ts'
import { NarrowForm } from './narrow-form.tsx'
import { PlanView } from './plan-view.tsx'
import { PreflightPanel } from './preflight-panel.tsx'
import { nothingSaid, StartForm } from './start-form.tsx'
import type { Choice } from './strategy.ts'
import { StrategyForm } from './strategy-form.tsx'
import { usePlan } from './use-plan.ts'

export type PlanScreenProps = {
  release: Release
  /** How it is to go at first; left out: as the last one went. */
  first?: Choice | undefined
  session: Session
  onNarrow: (selector: string) => void
  onStarted: (rollout: Rollout) => void
}

export function PlanScreen(props: PlanScreenProps) {
  const { release } = props
  return isChosen(release) ? <OpenPlan {...props} /> : <NothingToPlan release={release} />
}

function OpenPlan({ release, first, session, onNarrow, onStarted }: PlanScreenProps) {
  const [before] = useState(first ?? readLastUsed)
  const [choice, setChoice] = useState(before)
  const [said, setSaid] = useState(nothingSaid)
  const { query, order, isOfTyped, errors, bare } = usePlan(release, choice)
  const mayRun = whyNot(session, 'rollouts:run') === null
  const handleStarted = (rollout: Rollout) => {
    keepLastUsed(choice)
    onStarted(rollout)
  }
  if (isApiError(query.error, 404)) return <NothingToPlan release={release} />
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
      actions={
        order && <EmergencyButton order={order} session={session} onStarted={handleStarted} />
      }
    >
      <UnsavedGuard
        what="The order"
        isUnsaved={
          JSON.stringify([choice.draft, said]) !== JSON.stringify([before.draft, nothingSaid])
        }
      />
      <NarrowForm key={release.selector} selector={release.selector ?? ''} onNarrow={onNarrow} />
      <StrategyForm choice={choice} onChange={setChoice} errors={errors} bare={bare} />
      {order === null ? (
        <Notice tone="warn" live title="There is no plan">
          Mend what is marked above, then it is made.
        </Notice>
      ) : (
        <QueryStates query={query} what="The plan" skeletonRows={5}>
          {(plan) => (
            <>
              <PlanView plan={plan} />
              {plan.changingNodes > 0 && mayRun && <PreflightPanel order={order} />}
              <StartForm
                plan={plan}
                said={said}
                onSay={setSaid}
                order={order}
                session={session}
                isOfTyped={isOfTyped}
                onStarted={handleStarted}
              />
            </>
          )}
        </QueryStates>
      )}
    </Page>
  )
}

/** What an address asks for need not be there: it was typed, or is of another farm. */
const isChosen = ({ config, version }: Release) => config !== '' && version > 0

function NothingToPlan({ release }: { release: Release }) {
  const { config, version } = release
  return (
    <Page title="Nothing to plan">
      <div className="panel">
        <EmptyState
          title={
            isChosen(release) ? `There is no v${version} of ${config}` : 'No version was chosen'
          }
          action={<ButtonLink to="/configs">Show the configs</ButtonLink>}
        >
          A rollout brings a saved version of a config to the nodes: choose one and plan from there.
        </EmptyState>
      </div>
    </Page>
  )
}

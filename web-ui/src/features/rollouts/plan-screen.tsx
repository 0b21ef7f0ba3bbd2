// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { t } from '../../languages/t.ts'
import { isApiError } from '../../lib/api-error.ts'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import type { Release } from './api.ts'
import { EmergencyButton } from './emergency-dialog.tsx'
import { keepLastUsed, readLastUsed } from './last-used.ts'
import { NarrowForm } from './narrow-form.tsx'
import { PlanPicture } from './plan-picture.tsx'
import { PlanProgress } from './plan-progress.tsx'
import { PlanView } from './plan-view.tsx'
import { PreflightPanel } from './preflight-panel.tsx'
import { ReleaseFields } from './release-fields.tsx'
import { nothingSaid, StartForm } from './start-form.tsx'
import type { Choice } from './strategy.ts'
import { StrategyForm } from './strategy-form.tsx'
import { usePlan } from './use-plan.ts'

export type PlanScreenProps = {
  release: Release
  /** How it is to go at first; left out: as the last one went. */
  first?: Choice | undefined
  /** The newer version that it leads back from. */
  backFrom?: number | undefined
  session: Session
  onNarrow: (selector: string) => void
  onChooseRelease: (name: string, number: number) => void
  onStarted: (rollout: Rollout) => void
  onOpenNode: (nodeId: string) => void
}

export function PlanScreen(props: PlanScreenProps) {
  const { release, first, backFrom, session, onNarrow, onStarted, onOpenNode } = props
  const [before] = useState(first ?? readLastUsed)
  const [choice, setChoice] = useState(before)
  const [saidFirst] = useState(() => ({ ...nothingSaid, message: wayBack(release, backFrom) }))
  const [said, setSaid] = useState(saidFirst)
  const { query, order, isOfTyped, errors, bare } = usePlan(release, choice)
  const mayRun = whyNot(session, 'rollouts:run') === null
  const handleStarted = (rollout: Rollout) => {
    keepLastUsed(choice)
    onStarted(rollout)
  }
  if (isApiError(query.error, 404)) return <NothingToPlan release={release} />
  return (
    <Page
      title={
        backFrom === undefined
          ? t('Plan: {config} v{version} to the farm', {
              config: release.config,
              version: release.version,
            })
          : t('Plan: {config} back to v{version}', {
              config: release.config,
              version: release.version,
            })
      }
      meta={
        <Link
          to="/configs/$name/versions/$number"
          params={{ name: release.config, number: release.version }}
        >
          {t('Read v{version}', { version: release.version })}
        </Link>
      }
      actions={
        order && <EmergencyButton order={order} session={session} onStarted={handleStarted} />
      }
    >
      <UnsavedGuard
        what={t('The order')}
        isUnsaved={
          JSON.stringify([choice.draft, said]) !== JSON.stringify([before.draft, saidFirst])
        }
      />
      {backFrom !== undefined && <BackNotice release={release} backFrom={backFrom} />}
      <NarrowForm key={release.selector} selector={release.selector ?? ''} onNarrow={onNarrow} />
      <StrategyForm choice={choice} onChange={setChoice} errors={errors} bare={bare} />
      <PlanProgress of={release} purpose="plan" isWaiting={query.isFetching} />
      {order === null ? (
        <Notice tone="warn" live title={t('There is no plan')}>
          {t('Fix the marked fields above, then the plan is made.')}
        </Notice>
      ) : (
        <QueryStates query={query} what={t('The plan')} skeletonRows={5}>
          {(plan) => (
            <>
              <ReleaseFields releases={plan.releases} onChoose={props.onChooseRelease} />
              {plan.changingNodes > 1 && <PlanPicture plan={plan} onOpen={onOpenNode} />}
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

const wayBack = ({ version }: Release, backFrom: number | undefined) =>
  backFrom === undefined ? '' : t('Back from v{backFrom} to v{version}', { backFrom, version })

function BackNotice({ release, backFrom }: { release: Release; backFrom: number }) {
  const { config, version } = release
  return (
    <Notice
      tone="info"
      title={t('This takes the nodes back from v{backFrom} to v{version}', { backFrom, version })}
      action={
        <ButtonLink
          variant="default"
          size="xs"
          to="/configs/$name/compare"
          params={{ name: config }}
          search={{ from: backFrom, to: version }}
        >
          {t('What changes')}
        </ButtonLink>
      }
    >
      {t(
        'Nothing has happened yet: it begins when you press Start at the end of this page. v{backFrom} stays saved, and the draft stays as it is.',
        { backFrom },
      )}
    </Notice>
  )
}

function NothingToPlan({ release: { config, version } }: { release: Release }) {
  return (
    <Page title={t('Nothing to plan')}>
      <div className="panel">
        <EmptyState
          title={t('There is no v{version} of {config}', { version, config })}
          action={
            <ButtonLink to="/rollouts/new" search={{}}>
              {t('Choose a version')}
            </ButtonLink>
          }
        >
          {t(
            'A rollout brings a saved version of a config to the nodes. The address of this page names one that is not there.',
          )}
        </EmptyState>
      </div>
    </Page>
  )
}

// SPDX-License-Identifier: MIT
// How a rollout stands: one sentence of why, the time that is left, and what may be done.

import { Link } from '@tanstack/react-router'
import { StatePanel } from '../../components/state-panel.tsx'
import { t } from '../../languages/t.ts'
import type { Rollout, Session } from '../../lib/api-types.ts'
import { forPeople } from '../../lib/people-words.ts'
import { formatDateTime } from '../../lib/time.ts'
import { reasonTold } from './reason-words.ts'
import { RolloutActions } from './rollout-actions.tsx'
import classes from './rollout-state.module.css'
import rowClasses from './rollouts.module.css'
import { isOver, progressText, rolloutVerdict } from './rules.ts'
import { Timers } from './timers.tsx'

type Props = { rollout: Rollout; session: Session; asOf: number }

export function RolloutStatePanel({ rollout, session, asOf }: Props) {
  const { doneNodes, totalNodes, state, reason } = rollout
  const progress = progressText(doneNodes, totalNodes)
  const whole = forPeople(reason)
  const told = reasonTold(rollout)
  return (
    <StatePanel
      label={t('State of the rollout')}
      verdict={rolloutVerdict[state]}
      progress={progress}
    >
      <progress
        className={rowClasses.progress}
        max={Math.max(1, totalNodes)}
        value={doneNodes}
        aria-label={progress}
      />
      <p className={classes.headline} lang={told.isEnglish ? 'en' : undefined}>
        {told.words}
      </p>
      <Timers rollout={rollout} asOf={asOf} />
      {!isOver(state) && <RolloutActions rollout={rollout} session={session} />}
      <Beside rollout={rollout} />
      {whole !== told.words && (
        <details className={`dim ${classes.more}`}>
          <summary>{t('In full')}</summary>
          <span lang="en">{whole}</span>
        </details>
      )}
    </StatePanel>
  )
}

function Beside({ rollout }: { rollout: Rollout }) {
  const { config, version, previousVersion, pendingNodes, cordonedNodes, endedAt } = rollout
  const isChange = previousVersion !== null && previousVersion !== version
  if (!isChange && pendingNodes === 0 && cordonedNodes === 0 && endedAt === null) return null
  return (
    <div className="stack-tight">
      {pendingNodes > 0 && (
        <p>
          {t(
            '{pendingNodes, plural, one {# node} other {# nodes}} could not be reached and will take the version on return.',
            { pendingNodes },
          )}
        </p>
      )}
      {cordonedNodes > 0 && (
        <p>
          {t('{cordonedNodes, plural, one {# cordoned node} other {# cordoned nodes}} skipped.', {
            cordonedNodes,
          })}
        </p>
      )}
      <p className="row dim">
        {isChange && (
          <Link
            to="/configs/$name/compare"
            params={{ name: config }}
            search={{ from: previousVersion, to: version }}
          >
            {t('What changes from v{previousVersion} to v{version}', { previousVersion, version })}
          </Link>
        )}
        {endedAt !== null && (
          <span>{t('ended {endedAt}', { endedAt: formatDateTime(endedAt) })}</span>
        )}
      </p>
    </div>
  )
}

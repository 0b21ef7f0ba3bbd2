// SPDX-License-Identifier: MIT

import { Button } from '@mantine/core'
import { StatusBadge, StatusMark, type Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import { toApiError } from '../../lib/api-error.ts'
import classes from './configs.module.css'
import { type Problem, placeText } from './problems.ts'

/** Whose word the list is: the node binary's, or until it has spoken, the console's own. */
export type CheckState =
  | { kind: 'checking' }
  | { kind: 'checked' }
  | { kind: 'unchecked'; error: unknown; onRetry: () => void }

export type ProblemsPanelProps = {
  problems: readonly Problem[]
  check: CheckState
  onShow: (problem: Problem) => void
  /** Beneath a form, which is longer than the window. */
  isSticky?: boolean
}

export function ProblemsPanel({ problems, check, onShow, isSticky = false }: ProblemsPanelProps) {
  return (
    <section
      className={`${classes.problems} ${isSticky ? classes.problemsOfForm : ''}`}
      aria-label={t('Problems')}
    >
      <div className={classes.problemsHead}>
        <h2>{t('Problems')}</h2>
        <span role="status" className="row">
          <StatusBadge verdict={verdictOf(problems.length, check)} />
        </span>
        {check.kind === 'unchecked' && (
          <>
            <span className="dim">{toApiError(check.error).message}</span>
            <Button size="compact-xs" variant="default" onClick={check.onRetry}>
              {t('Check again')}
            </Button>
          </>
        )}
      </div>
      {problems.length > 0 && (
        <ol className={classes.problemList}>
          {problems.map((problem) => (
            <li key={`${problem.from} ${problem.code} ${problem.pointer}`}>
              <button type="button" className={classes.problem} onClick={() => onShow(problem)}>
                <StatusMark tone="bad" shape="square" />
                <span className="mono">{placeText(problem)}</span>
                <span className={classes.message}>
                  {problem.message}{' '}
                  {problem.hint !== '' && <span className={classes.hint}>{problem.hint}</span>}
                </span>
                <code className="dim">
                  {problem.pointer === '' ? problem.code : problem.pointer}
                </code>
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function verdictOf(count: number, check: CheckState): Verdict {
  const found = t('{count, plural, one {# problem} other {# problems}}', { count })
  if (check.kind === 'checking') {
    const label = count === 0 ? t('Checking…') : t('{found} so far, checking…', { found })
    return { label, tone: count === 0 ? 'idle' : 'bad', shape: 'half' }
  }
  if (check.kind === 'unchecked') {
    return {
      label: t('{found} seen here; not checked by farmstead-node', { found }),
      tone: 'warn',
      shape: 'ring',
    }
  }
  return count === 0
    ? { label: t('farmstead-node accepts this text'), tone: 'good', shape: 'disc' }
    : { label: t('{found}, by farmstead-node', { found }), tone: 'bad', shape: 'square' }
}

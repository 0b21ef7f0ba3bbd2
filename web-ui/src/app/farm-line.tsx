// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { farmSummaryQuery } from '../features/nodes/api.ts'
import { useNow } from '../hooks/use-now.ts'
import { t } from '../languages/t.ts'
import { formatClock } from '../lib/time.ts'
import { farmSentence, type SentencePart } from './farm-sentence.ts'
import classes from './shell.module.css'

/** The header's one sentence. It says since when it is old, and never guesses. */
export function FarmLine() {
  const { data: summary, isError } = useQuery(farmSummaryQuery)
  const now = useNow()
  if (summary === undefined) {
    return (
      <p className={classes.line} role="status">
        {isError
          ? t('The state of the farm is unknown: the control plane does not answer.')
          : t('Loading the state of the farm…')}
      </p>
    )
  }
  return (
    <p className={classes.line} role="status" aria-label={t('State of the farm')}>
      {farmSentence(summary, now).map((clause, index) => (
        <span key={clause[0]?.key}>
          {index > 0 && '; '}
          {clause.map((part, position) => (
            <span key={part.key}>
              {position > 0 && ', '}
              <PartLink part={part} />
            </span>
          ))}
        </span>
      ))}
      {isError ? t(' (as of {asOf})', { asOf: formatClock(Date.parse(summary.asOf)) }) : '.'}
    </p>
  )
}

function PartLink({ part: { to, text } }: { part: SentencePart }) {
  if ('node' in to) {
    return (
      <Link to="/nodes/$id" params={{ id: to.node }}>
        {text}
      </Link>
    )
  }
  if ('rollout' in to) {
    return (
      <Link to="/rollouts/$id" params={{ id: to.rollout }}>
        {text}
      </Link>
    )
  }
  if ('rollouts' in to) return <Link to="/rollouts">{text}</Link>
  return (
    <Link to="/nodes" search={to.farm === null ? {} : { state: to.farm }}>
      {text}
    </Link>
  )
}

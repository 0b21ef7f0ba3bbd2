// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { nodesQuery } from '../features/nodes/api.ts'
import { rolloutsQuery } from '../features/rollouts/api.ts'
import { useNow } from '../hooks/use-now.ts'
import { formatClock } from '../lib/time.ts'
import { farmSentence, type SentencePart } from './farm-sentence.ts'
import classes from './shell.module.css'

/** The header's one sentence. It says since when it is old, and never guesses. */
export function FarmLine() {
  const nodes = useQuery(nodesQuery)
  const rollouts = useQuery(rolloutsQuery)
  const now = useNow()
  if (nodes.data === undefined || rollouts.data === undefined) {
    const failed = nodes.isError || rollouts.isError
    return (
      <p className={classes.line} role="status">
        {failed
          ? 'The state of the farm is not known: the control plane did not say.'
          : 'Reading the farm…'}
      </p>
    )
  }
  const stale = nodes.isError || rollouts.isError
  const asOf = Math.min(nodes.dataUpdatedAt, rollouts.dataUpdatedAt)
  return (
    <p className={classes.line} role="status" aria-label="State of the farm">
      {farmSentence(nodes.data, rollouts.data.items, now).map((clause, index) => (
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
      {stale ? ` (as of ${formatClock(asOf)})` : '.'}
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
    <Link to="/" search={to.farm === null ? {} : { state: to.farm }}>
      {text}
    </Link>
  )
}

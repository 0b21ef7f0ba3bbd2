// SPDX-License-Identifier: MIT
import { TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { ErrorBox } from '../../components/error-box.tsx'
import type { Rollout, RolloutPlan, Session } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { type Order, rolloutsQuery, startRolloutMutation } from './api.ts'
import classes from './rollouts.module.css'
import { ownsNodes, whyNotStart } from './rules.ts'

type Props = {
  plan: RolloutPlan
  order: Order
  session: Session
  isOfTyped: boolean
  onStarted: (rollout: Rollout) => void
}

/** Starts the plan that is shown and no other: its digest goes with the order. */
export function StartForm({ plan, order, session, isOfTyped, onStarted }: Props) {
  const client = useQueryClient()
  const [message, setMessage] = useState('')
  const rollouts = useQuery(rolloutsQuery)
  const active = rollouts.data?.items.find((rollout) => ownsNodes(rollout.state))
  const start = useMutation({
    ...startRolloutMutation,
    onSuccess: (rollout) => {
      void client.invalidateQueries(rolloutsQuery)
      onStarted(rollout)
    },
    // Perhaps because the plan is another by now: that one is shown then.
    onError: () => client.invalidateQueries({ queryKey: ['rollouts'] }),
  })
  const blockedBy =
    whyNot(session, 'rollouts:run') ??
    (isOfTyped ? whyNotStart(plan) : 'The plan is being made…') ??
    (active === undefined
      ? null
      : `The rollout of ${active.config} v${active.version} is under way. It ends first, or is frozen.`)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { planDigest } = plan
    const said = message.trim()
    start.mutate({ ...order, planDigest, ...(said !== '' && { message: said }) })
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

// SPDX-License-Identifier: MIT
// When rollouts began and ended, and alerts fired and were resolved. Pure.
import type { Alert, RolloutSummary } from './api-types.ts'

/** `isOver`: the rollout or alert is found among what is over. */
export type FarmMoment = {
  id: string
  kind: 'rollout' | 'alert'
  atSeconds: number
  text: string
  isOver: boolean
}

export const secondsOf = (at: string) => Date.parse(at) / 1000

const endings: Partial<Record<RolloutSummary['state'], string>> = {
  succeeded: 'succeeded',
  frozen: 'was frozen',
  reverted: 'was reverted',
  revert_incomplete: 'was reverted, but not on all nodes',
  rejected: 'was rejected',
  cancelled: 'was cancelled',
  expired: 'expired',
  superseded: 'was replaced by another',
}

export const rolloutName = ({ config, version }: Pick<RolloutSummary, 'config' | 'version'>) =>
  `Rollout of ${config} version ${version}`

export const alertName = ({ ruleName, subject }: Pick<Alert, 'ruleName' | 'subject'>) =>
  subject.name === '' ? ruleName : `${ruleName}: ${subject.name}`

export function rolloutMoments(rollout: RolloutSummary) {
  const { id, state, startedAt, endedAt } = rollout
  const name = rolloutName(rollout)
  const about = { id, kind: 'rollout', isOver: endedAt !== null } as const
  return [
    ...moment(startedAt, { ...about, text: `${name} started` }),
    ...moment(endedAt, { ...about, text: `${name} ${endings[state] ?? 'ended'}` }),
  ]
}

export function alertMoments(alert: Alert) {
  const { id, firingSince, resolvedAt } = alert
  // One that was pending only was never told.
  if (firingSince === null) return []
  const name = alertName(alert)
  const about = { id, kind: 'alert', isOver: resolvedAt !== null } as const
  return [
    ...moment(firingSince, { ...about, text: `${name} fired` }),
    ...moment(resolvedAt, { ...about, text: `${name} resolved` }),
  ]
}

const moment = (at: string | null, what: Omit<FarmMoment, 'atSeconds'>): FarmMoment[] =>
  at === null ? [] : [{ ...what, atSeconds: secondsOf(at) }]

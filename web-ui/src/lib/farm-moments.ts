// SPDX-License-Identifier: MIT
// When rollouts began and ended, and alerts fired and were resolved. Pure.
import { t } from '../languages/t.ts'
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
  succeeded: t('succeeded'),
  frozen: t('was frozen'),
  reverted: t('was reverted'),
  revert_incomplete: t('was reverted, but not on all nodes'),
  rejected: t('was rejected'),
  cancelled: t('was cancelled'),
  expired: t('expired'),
  superseded: t('was replaced by another'),
}

export const rolloutName = ({ config, version }: Pick<RolloutSummary, 'config' | 'version'>) =>
  t('Rollout of {config} version {version}', { config, version })

export const alertName = ({ ruleName, subject }: Pick<Alert, 'ruleName' | 'subject'>) =>
  subject.name === '' ? ruleName : `${ruleName}: ${subject.name}`

export function rolloutMoments(rollout: RolloutSummary) {
  const { id, state, startedAt, endedAt } = rollout
  const name = rolloutName(rollout)
  const about = { id, kind: 'rollout', isOver: endedAt !== null } as const
  return [
    ...moment(startedAt, { ...about, text: t('{name} started', { name }) }),
    ...moment(endedAt, { ...about, text: `${name} ${endings[state] ?? t('came to an end')}` }),
  ]
}

export function alertMoments(alert: Alert) {
  const { id, firingSince, resolvedAt } = alert
  // One that was pending only was never told.
  if (firingSince === null) return []
  const name = alertName(alert)
  const about = { id, kind: 'alert', isOver: resolvedAt !== null } as const
  return [
    ...moment(firingSince, { ...about, text: t('{name} fired', { name }) }),
    ...moment(resolvedAt, { ...about, text: t('{name} resolved', { name }) }),
  ]
}

const moment = (at: string | null, what: Omit<FarmMoment, 'atSeconds'>): FarmMoment[] =>
  at === null ? [] : [{ ...what, atSeconds: secondsOf(at) }]

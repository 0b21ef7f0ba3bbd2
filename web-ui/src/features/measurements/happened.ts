// SPDX-License-Identifier: MIT
// Rollouts and alerts as marks in charts. Pure.
import { t } from '../../languages/t.ts'
import type { RolloutSummary } from '../../lib/api-types.ts'
import { alertMoments, type FarmMoment, rolloutMoments, secondsOf } from '../../lib/farm-moments.ts'
import type { TimeSpan } from '../../lib/time-range.ts'
import type { Happened, See } from './api.ts'

/** Of one version's measurements only what its config went through; the newest first. */
export function happenings(
  { rollouts, alerts }: Pick<Happened, 'rollouts' | 'alerts'>,
  { from, to }: TimeSpan,
  sets: readonly string[],
): FarmMoment[] {
  const configs = sets.map((of) => /^version:(.+)\/\d+$/.exec(of)?.[1])
  const isAbout = ({ config }: RolloutSummary) =>
    configs.includes(undefined) || configs.includes(config)
  return [...rollouts.filter(isAbout).flatMap(rolloutMoments), ...alerts.flatMap(alertMoments)]
    .filter(({ atSeconds }) => atSeconds >= from && atSeconds <= to)
    .toSorted((a, b) => b.atSeconds - a.atSeconds)
}

/** The versions that nodes ran in the time, as far as rollouts tell: the newest first. */
export function versionsIn(
  { rollouts }: Pick<Happened, 'rollouts'>,
  { from, to }: TimeSpan,
): string[] {
  const began = rollouts.filter(({ startedAt }) => startedAt !== null && secondsOf(startedAt) <= to)
  const found: string[] = []
  const older = new Set<string>()
  for (const { config, version, previousVersion, startedAt } of began) {
    if (older.has(config)) continue
    found.push(`version:${config}/${version}`)
    if (startedAt !== null && secondsOf(startedAt) < from) older.add(config)
    else if (previousVersion !== null) found.push(`version:${config}/${previousVersion}`)
  }
  return [...new Set(found)]
}

/** Nothing is there; of what may not be seen nothing is said. */
export function nothingWords({ rollouts, alerts }: See): string {
  if (rollouts && alerts) return t('No rollout began or ended, and no alert fired.')
  if (rollouts) return t('No rollout began or ended. You may not see alerts.')
  return alerts
    ? t('No alert fired. You may not see rollouts.')
    : t('You may not see rollouts or alerts.')
}

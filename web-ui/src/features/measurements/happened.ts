// SPDX-License-Identifier: MIT
// Of which rollouts and alerts the page of measurements tells. Pure.
import { t } from '../../languages/t.ts'
import type { RolloutSummary } from '../../lib/api-types.ts'
import { secondsOf } from '../../lib/farm-moments.ts'
import type { Happened, See } from '../../lib/happened.ts'
import type { TimeSpan } from '../../lib/time-range.ts'

/** Of one version's measurements only what its config went through. */
export function isAboutSets(sets: readonly string[]) {
  const configs = sets.map((of) => /^version:(.+)\/\d+$/.exec(of)?.[1])
  return ({ config }: RolloutSummary) => configs.includes(undefined) || configs.includes(config)
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

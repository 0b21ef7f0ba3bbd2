// SPDX-License-Identifier: MIT
// The versions of releases that go with a rollout, with what was proved of each before.
import { t } from '../../languages/t.ts'
import type { RolloutPlan } from '../../lib/api-types.ts'
import { formatBytes } from '../../lib/format.ts'

type Brought = RolloutPlan['releases']

export function ReleasesBrought({ releases }: { releases: Brought }) {
  if (releases.length === 0) return null
  return <span>{t('with {releases}', { releases: releases.map(releaseText).join(', ') })}</span>
}

export function releaseText({ name, number, before, changes }: Brought[number]): string {
  if (before?.number === number) return `${name} v${number}`
  const which = before === null ? `${name} v${number}` : `${name} v${before.number} → v${number}`
  return changes === null ? which : `${which} (${changesText(changes)})`
}

type Changes = NonNullable<Brought[number]['changes']>

function changesText({ added, changed, removed, fetchBytes }: Changes): string {
  return [
    ...(added > 0 ? [t('{added, number} added', { added })] : []),
    ...(changed > 0 ? [t('{changed, number} changed', { changed })] : []),
    ...(removed > 0 ? [t('{removed, number} removed', { removed })] : []),
    t('{fetchBytes} to fetch', { fetchBytes: formatBytes(fetchBytes) }),
  ].join(', ')
}

// SPDX-License-Identifier: MIT
// The versions of releases that go with a rollout, with what was proved of each before.
import type { RolloutPlan } from '../../lib/api-types.ts'

type Brought = RolloutPlan['releases']

export function ReleasesBrought({ releases }: { releases: Brought }) {
  if (releases.length === 0) return null
  return <span>with {releases.map(releaseText).join(', ')}</span>
}

export const releaseText = ({ name, number, before }: Brought[number]): string =>
  before === null || before.number === number
    ? `${name} v${number}`
    : `${name} v${before.number} → v${number}`

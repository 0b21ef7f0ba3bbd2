// SPDX-License-Identifier: MIT
// What can be seen of a rollout's promises from outside, looked at with every view of it.
import type { NodeTask, Rollout } from '../client/api.ts'
import type { Availability } from './availability.ts'

const UNPROVEN = ['offered', 'acked', 'applying', 'applied', 'confirmed'] as const

const unprovenIn = (states: Rollout['states']): number =>
  UNPROVEN.reduce((sum, state) => sum + (states[state] ?? 0), 0)

/** What one view of it breaks; null: nothing. */
export function brokenBy({ states, waves, wave, policy, state, reason }: Rollout): string | null {
  const unproven = unprovenIn(states)
  const most = policy.maxParallel ?? Number.POSITIVE_INFINITY
  if (unproven > most) return `${unproven} nodes are unproven, and ${most} may be`
  const early = waves.find((one) => one.index > wave && unprovenIn(one.states) > 0)
  if (early) return `nodes of wave ${early.index} have begun in wave ${wave}`
  return reason === '' ? `it is ${state}, and does not say why` : null
}

/** The nodes that served the version, and were never to: nothing was ever offered to them. */
export function servedUnasked(
  tasks: readonly NodeTask[],
  label: string,
  availability: Availability,
): string[] {
  const never = tasks.filter(({ generation }) => generation === null)
  const served = availability.servedBy(label)
  return never.map(({ nodeName }) => nodeName).filter((name) => served.has(name))
}

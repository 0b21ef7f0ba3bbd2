// SPDX-License-Identifier: MIT
// What can be seen of a rollout's promises from outside, looked at with every view of it.
import type { Rollout } from '../client/api.ts'
import type { Availability } from './availability.ts'

const UNPROVEN = new Set(['offered', 'acked', 'applying', 'applied', 'confirmed'])

/** What one view of it breaks; null: nothing. */
export function brokenBy({ tasks, wave, policy, state, reason }: Rollout): string | null {
  const unproven = tasks.filter((task) => UNPROVEN.has(task.state))
  const most = policy.maxParallel ?? Number.POSITIVE_INFINITY
  if (unproven.length > most) {
    return `${unproven.length} nodes are unproven, and ${most} may be: ${unproven.map(({ nodeName }) => nodeName)}`
  }
  const early = tasks.find((task) => task.wave > wave && UNPROVEN.has(task.state))
  if (early) return `${early.nodeName} of wave ${early.wave} is ${early.state} in wave ${wave}`
  return reason === '' ? `it is ${state}, and does not say why` : null
}

/** The nodes that served the version, and were never to: nothing was ever offered to them. */
export function servedUnasked(
  { tasks }: Rollout,
  label: string,
  availability: Availability,
): string[] {
  const never = tasks.filter(({ generation }) => generation === null)
  const served = availability.servedBy(label)
  return never.map(({ nodeName }) => nodeName).filter((name) => served.has(name))
}

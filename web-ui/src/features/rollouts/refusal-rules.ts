// SPDX-License-Identifier: MIT
// What a plan says of nodes that will refuse it, in words.
import type { RolloutPlan } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'

type Refusals = RolloutPlan['policyRefusals']

export const refusalTitle = ({ nodes }: Pick<Refusals, 'nodes'>) =>
  `${plural(nodes, 'node')} will refuse it`

export function uncheckedSentence({ unchecked, unavailable }: Refusals): string {
  const them = unchecked === 1 ? 'one node' : `${unchecked} nodes`
  return unavailable === null
    ? `There are too many different texts and policies to ask about at once: of ${them} it was not asked. Plan again, and more are.`
    : `farmstead-node could not be asked about ${them}: ${unavailable}.`
}

/** Another plan, or other refusals of the same plan, are to be agreed to anew. */
export const refusalKey = ({ planDigest, policyRefusals }: RolloutPlan) =>
  `${planDigest} ${policyRefusals.nodes}`

// SPDX-License-Identifier: MIT
// What a plan says of nodes that will refuse it, in words.
import { t } from '../../languages/t.ts'
import type { RolloutPlan } from '../../lib/api-types.ts'

type Refusals = RolloutPlan['policyRefusals']

export const refusalTitle = ({ nodes }: Pick<Refusals, 'nodes'>) =>
  t('{nodes, plural, one {# node} other {# nodes}} will refuse it', { nodes })

export function uncheckedSentence({ unchecked, unavailable }: Refusals): string {
  const them = unchecked === 1 ? t('one node') : t('{unchecked} nodes', { unchecked })
  return unavailable === null
    ? t(
        'There are too many different texts and policies to ask about at once: of {them} it was not asked. Plan again, and more are.',
        { them },
      )
    : t('farmstead-node could not be asked about {them}: {unavailable}.', { them, unavailable })
}

/** Another plan, or other refusals of the same plan, are to be agreed to anew. */
export const refusalKey = ({ planDigest, policyRefusals }: RolloutPlan) =>
  `${planDigest} ${policyRefusals.nodes}`

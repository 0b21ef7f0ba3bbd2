// SPDX-License-Identifier: MIT
// Which nodes of a plan will refuse it, because the owners of their machines do not allow what it asks for.
// farmstead-node decides; of a node that told no policy nothing is said.
import type { ConfigError } from '../../../api-shapes/common.ts'
import { Found } from '../../../api-shapes/findings.ts'
import type { AskOwners } from '../../../node-check/owners.ts'
import type { RolloutPlan } from '../shapes/plan-schema.ts'
import { type PlannedNode, runningDigest } from './planner.ts'

export type PolicyRefusals = RolloutPlan['policyRefusals']

export async function policyRefusalsOf(
  askOwners: AskOwners,
  nodes: readonly PlannedNode[],
): Promise<{ policyRefusals: PolicyRefusals; refusing: ReadonlySet<string> }> {
  const asked = nodes.flatMap(askedOf)
  const answers = await askOwners(asked)
  const found = new Found()
  const refusing = new Set<string>()
  let unchecked = 0
  for (const alike of Map.groupBy(asked, (one) => answers.of(one)).entries()) {
    const [errors, sharing] = alike
    if (!errors) unchecked += sharing.length
    for (const error of errors ?? []) addTo(found, error, sharing)
    if (errors?.length) for (const { planned } of sharing) refusing.add(planned.node.id)
  }
  const { unavailable } = answers
  const said = { nodes: refusing.size, findings: found.view(), unchecked, unavailable }
  return { policyRefusals: said, refusing }
}

type Asked = ReturnType<typeof askedOf>[number]

/** What it runs already, it takes without a look; nothing is offered to a cordoned one. */
function askedOf(planned: PlannedNode) {
  const { node, text, textId, digest, settledGeneration } = planned
  const rulesId = node.policy_rules
  const isOffered = node.cordon === null && digest !== null && settledGeneration === null
  if (rulesId === null || !isOffered || runningDigest(node) === digest) return []
  return [{ planned, text, textId, rulesId }]
}

/** In places of the version's text, which several texts may share. */
function addTo(found: Found, error: ConfigError, sharing: readonly Asked[]): void {
  found.add(
    sharing[0]?.planned.toAuthor(error) ?? error,
    sharing.map(({ planned }) => planned.node),
  )
}

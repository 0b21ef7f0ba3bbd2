// SPDX-License-Identifier: MIT
// Which nodes of a plan will refuse it, because the owners of their machines do not allow what it asks for.
// farmstead-node decides; of a node that told no policy nothing is said.
import { type ConfigError, some } from '../../../api-shapes/common.ts'
import type { AskOwners } from '../../../node-check/owners.ts'
import type { RolloutPlan } from '../shapes/order-schema.ts'
import { type PlannedNode, runningDigest } from './planner.ts'

export type PolicyRefusals = RolloutPlan['policyRefusals']

export async function policyRefusalsOf(
  askOwners: AskOwners,
  nodes: readonly PlannedNode[],
): Promise<{ policyRefusals: PolicyRefusals; refusing: ReadonlySet<string> }> {
  const asked = nodes.flatMap(askedOf)
  const answers = await askOwners(asked)
  const findings: Findings = new Map()
  const refusing = new Set<string>()
  let unchecked = 0
  for (const alike of Map.groupBy(asked, (one) => answers.of(one)).entries()) {
    const [errors, sharing] = alike
    if (!errors) unchecked += sharing.length
    for (const error of errors ?? []) addTo(findings, error, sharing)
    if (errors?.length) for (const { planned } of sharing) refusing.add(planned.node.id)
  }
  const { unavailable } = answers
  const found = { nodes: refusing.size, findings: viewFindings(findings), unchecked, unavailable }
  return { policyRefusals: found, refusing }
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

type Findings = Map<string, { error: ConfigError; nodes: PlannedNode['node'][] }>

/** What is said of several texts in the same words and of the same place of the version is said once. */
function addTo(findings: Findings, found: ConfigError, sharing: readonly Asked[]): void {
  const error = sharing[0]?.planned.toAuthor(found) ?? found
  const key = JSON.stringify(error)
  const finding = findings.get(key) ?? { error, nodes: [] }
  findings.set(key, finding)
  for (const { planned } of sharing) finding.nodes.push(planned.node)
}

function viewFindings(findings: Findings): PolicyRefusals['findings'] {
  const sorted = [...findings.values()].toSorted(
    (a, b) =>
      b.nodes.length - a.nodes.length ||
      a.error.line - b.error.line ||
      a.error.column - b.error.column,
  )
  const { total, items } = some(sorted)
  const named = items.map(({ error, nodes }) => {
    const { total: count, items: first } = some(nodes)
    const who = first.map(({ id, name }) => ({ nodeId: id, nodeName: name }))
    return { error, nodes: { total: count, items: who } }
  })
  return { total, items: named }
}

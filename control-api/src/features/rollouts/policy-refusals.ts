// SPDX-License-Identifier: MIT
// Which nodes of a plan will refuse it, because the owners of their machines do not allow what it asks for.
// farmstead-node decides; of a node that told no policy nothing is said.
import type { AskPolicies, PolicyQuestion } from '../../node-check/policy-checks.ts'
import type { ConfigError } from '../../schema/common.ts'
import { some } from '../../schema/common.ts'
import { policyRules } from './fleet-store.ts'
import type { RolloutPlan } from './order-schema.ts'
import { type PlannedNode, runningDigest } from './planner.ts'
import type { Reader } from './store.ts'

export type PolicyRefusals = RolloutPlan['policyRefusals']
type Deps = { db: Reader; askPolicies: AskPolicies }
/** Nodes with one text and one set of rules: asked about once. */
type Alike = { question: PolicyQuestion; nodes: PlannedNode[] }

export async function policyRefusalsOf(
  { db, askPolicies }: Deps,
  nodes: readonly PlannedNode[],
): Promise<{ policyRefusals: PolicyRefusals; refusing: ReadonlySet<string> }> {
  const asked = nodes.filter(mayRefuse)
  const rules = await rulesOf(db, asked)
  const groups = alike(asked, rules)
  const answers = await askPolicies(groups.map(({ question }) => question))
  const findings = new Map<string, Finding>()
  const refusing = new Set<string>()
  let unchecked = asked.length - groups.reduce((sum, group) => sum + group.nodes.length, 0)
  for (const { question, nodes: sharing } of groups) {
    const errors = answers.of(question)
    if (!errors) unchecked += sharing.length
    for (const error of errors ?? []) addTo(findings, error, sharing)
    if (errors?.length) for (const { node } of sharing) refusing.add(node.id)
  }
  const { unavailable } = answers
  const found = { nodes: refusing.size, findings: viewFindings(findings), unchecked, unavailable }
  return { policyRefusals: found, refusing }
}

/** What it runs already, it takes without a look; nothing is offered to a cordoned one. */
const mayRefuse = ({ node, digest, settledGeneration }: PlannedNode) =>
  node.policy_rules !== null &&
  node.cordon === null &&
  digest !== null &&
  settledGeneration === null &&
  runningDigest(node) !== digest

function rulesOf(db: Reader, nodes: readonly PlannedNode[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(nodes.flatMap(({ node }) => node.policy_rules ?? []))
  return ids.size > 0 ? policyRules(db, [...ids]) : Promise.resolve(new Map())
}

/** What most nodes share comes first: when not all can be asked about, few are left out. */
function alike(nodes: readonly PlannedNode[], rules: ReadonlyMap<string, string>): Alike[] {
  const groups = new Map<string, Alike>()
  for (const planned of nodes) {
    const { text, textId, node } = planned
    const rulesId = node.policy_rules ?? ''
    const known = rules.get(rulesId)
    // It told others meanwhile.
    if (known === undefined) continue
    const key = `${textId} ${rulesId}`
    const group = groups.get(key)
    if (group) group.nodes.push(planned)
    else groups.set(key, { question: { text, textId, rules: known, rulesId }, nodes: [planned] })
  }
  return [...groups.values()].toSorted((a, b) => b.nodes.length - a.nodes.length)
}

type Finding = { error: ConfigError; nodes: PlannedNode[] }

/** What is said of several texts in the same words and of the same place of the version is said once. */
function addTo(findings: Map<string, Finding>, found: ConfigError, nodes: PlannedNode[]): void {
  const error = nodes[0]?.toAuthor(found) ?? found
  const key = JSON.stringify(error)
  const known = findings.get(key)
  if (known) known.nodes.push(...nodes)
  else findings.set(key, { error, nodes: [...nodes] })
}

function viewFindings(findings: ReadonlyMap<string, Finding>): PolicyRefusals['findings'] {
  const sorted = [...findings.values()].toSorted(
    (a, b) =>
      b.nodes.length - a.nodes.length ||
      a.error.line - b.error.line ||
      a.error.column - b.error.column,
  )
  const { total, items } = some(sorted)
  return { total, items: items.map(({ error, nodes }) => ({ error, nodes: some(nodes.map(who)) })) }
}

const who = ({ node }: PlannedNode) => ({ nodeId: node.id, nodeName: node.name })

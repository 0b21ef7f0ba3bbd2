// SPDX-License-Identifier: MIT
// What the owners of machines would not allow, asked for many nodes at once: nodes that would get one text
// and have one set of rules are one question.
import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { AskPolicies, PolicyAnswers, PolicyQuestion } from './policy-checks.ts'
import { ownerRules } from './store.ts'

/** What one node would get, and the rules it told. */
export type OfNode = Pick<PolicyQuestion, 'text' | 'textId' | 'rulesId'>
export type AskOwners = (nodes: readonly OfNode[]) => Promise<PolicyAnswers>
type Deps = { db: Kysely<Database>; askPolicies: AskPolicies }

export function createAskOwners({ db, askPolicies }: Deps): AskOwners {
  return async (nodes) => {
    if (nodes.length === 0) return { of: () => undefined, unavailable: null }
    const alike = [...Map.groupBy(nodes, ({ textId, rulesId }) => `${textId} ${rulesId}`).values()]
    const rules = await ownerRules(db, [...new Set(nodes.map(({ rulesId }) => rulesId))])
    // What most nodes share comes first: when not all can be asked about, few are left out.
    const questions = alike
      .toSorted((a, b) => b.length - a.length)
      .flatMap(([node]) => questionOf(node, rules))
    return await askPolicies(questions)
  }
}

/** None of a node that told other rules meanwhile. */
function questionOf(node: OfNode | undefined, rules: ReadonlyMap<string, string>) {
  const known = node && rules.get(node.rulesId)
  if (known === undefined || node === undefined) return []
  const { text, textId, rulesId } = node
  return [{ text, textId, rulesId, rules: known }]
}

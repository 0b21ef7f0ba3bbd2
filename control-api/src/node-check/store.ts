// SPDX-License-Identifier: MIT
// What the owners of machines allow, at rest.
import type { Selectable } from 'kysely'
import type { NodePoliciesTable, PolicyRulesTable, Reader, Trx } from '../db/database.ts'

type PolicyRow = Selectable<NodePoliciesTable>

export const policyOf = (db: Reader, nodeId: string) =>
  db
    .selectFrom('node_policies')
    .innerJoin('policy_rules', 'policy_rules.id', 'node_policies.rules_id')
    .select(['source', 'path', 'digest', 'since_ms', 'rules'])
    .where('node_id', '=', nodeId)
    .executeTakeFirst()

/** By id, as they are stored: JSON. */
export async function ownerRules(db: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom('policy_rules').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, rules }) => [id, rules]))
}

export async function insertPolicy(
  trx: Trx,
  policy: Omit<PolicyRow, 'rules_id'>,
  rules: PolicyRulesTable,
): Promise<void> {
  await trx
    .insertInto('policy_rules')
    .values(rules)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  await trx
    .insertInto('node_policies')
    .values({ ...policy, rules_id: rules.id })
    .execute()
}

export async function removePolicy(trx: Trx, nodeId: string): Promise<void> {
  await trx.deleteFrom('node_policies').where('node_id', '=', nodeId).execute()
}

/** What nobody obeys any more. */
export async function forgetRules(trx: Trx, rulesId: string): Promise<void> {
  await trx
    .deleteFrom('policy_rules')
    .where('id', '=', rulesId)
    .where('id', 'not in', (eb) =>
      eb.selectFrom('node_policies').select('rules_id').where('rules_id', '=', rulesId),
    )
    .execute()
}

// SPDX-License-Identifier: MIT
// What the owner of a node's machine allows, as the node tells it. No message changes it: we keep the
// newest, to show it and to say beforehand who would refuse what.
import type { Kysely } from 'kysely'
import type { PolicyRules, Policy as WirePolicy } from '../agent-protocol/messages.gen.ts'
import type { Unit } from '../audit/write.ts'
import { sha256 } from '../base/ids.ts'
import type { Database } from '../db/database.ts'

export type OwnerPolicy = WirePolicy & {
  /** When we first heard of it. */
  sinceMs: number
}

/** Longer rules are not copied into the audit each time: a node could fill the disk with them. */
const MAX_AUDITED_CHARACTERS = 8192

/** null: the node said none. */
export async function storeOwnerPolicy(
  unit: Unit,
  nodeId: string,
  said: WirePolicy | null,
  nowMs: number,
): Promise<void> {
  const before = await findOwnerPolicy(unit.trx, nodeId)
  if (isSame(before, said)) return
  const { trx } = unit
  await trx.deleteFrom('node_policies').where('node_id', '=', nodeId).execute()
  if (said) {
    const { source, path, digest } = said
    const rules = textOf(said.rules)
    const rulesId = sha256(rules)
    await trx
      .insertInto('policy_rules')
      .values({ id: rulesId, rules })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    const row = { node_id: nodeId, source, path, digest, rules_id: rulesId, since_ms: nowMs }
    await trx.insertInto('node_policies').values(row).execute()
  }
  if (before) await forgetRules(unit, sha256(textOf(before.rules)))
  await unit.emit({
    kind: 'node',
    id: nodeId,
    action: 'policy-changed',
    actor: nodeId,
    data: { before: before && audited(before), after: said && audited(said) },
  })
}

/** null: it said none. */
export async function findOwnerPolicy(
  db: Kysely<Database>,
  nodeId: string,
): Promise<OwnerPolicy | null> {
  const row = await db
    .selectFrom('node_policies')
    .innerJoin('policy_rules', 'policy_rules.id', 'node_policies.rules_id')
    .select(['source', 'path', 'digest', 'since_ms', 'rules'])
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  if (!row) return null
  const { since_ms: sinceMs, rules, ...rest } = row
  return { ...rest, rules: JSON.parse(rules), sinceMs }
}

/** By id, as they are stored: JSON. */
export async function ownerRules(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.selectFrom('policy_rules').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, rules }) => [id, rules]))
}

/** What nobody obeys any more. */
async function forgetRules({ trx }: Unit, rulesId: string): Promise<void> {
  await trx
    .deleteFrom('policy_rules')
    .where('id', '=', rulesId)
    .where('id', 'not in', (eb) =>
      eb.selectFrom('node_policies').select('rules_id').where('rules_id', '=', rulesId),
    )
    .execute()
}

const isSame = (a: WirePolicy | null, b: WirePolicy | null) =>
  a === null || b === null
    ? a === b
    : a.source === b.source &&
      a.path === b.path &&
      a.digest === b.digest &&
      textOf(a.rules) === textOf(b.rules)

/** In an order of ours, and without what we do not know: equal rules are equal texts. */
function textOf(rules: PolicyRules): string {
  const { serve, secrets, logs, runtime, listen, users, groups } = rules
  const { adminBeyondLoopback, symlinksAny } = rules
  const lists = { serve, secrets, logs, runtime, listen }
  return JSON.stringify({ ...lists, adminBeyondLoopback, users, groups, symlinksAny })
}

function audited({ source, path, digest, rules }: WirePolicy) {
  const isShort = textOf(rules).length <= MAX_AUDITED_CHARACTERS
  return { source, path, digest, rules: isShort ? rules : null }
}

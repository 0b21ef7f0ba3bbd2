// SPDX-License-Identifier: MIT
// What the owner of a node's machine allows, as the node tells it. No message changes it: we keep the
// newest, to show it and to say beforehand who would refuse what.
import type { Kysely } from 'kysely'
import type { PolicyRules, Policy as WirePolicy } from '../agent-protocol/messages.gen.ts'
import type { Unit } from '../audit/write.ts'
import { sha256 } from '../base/ids.ts'
import type { Database } from '../db/database.ts'
import { forgetRules, insertPolicy, policyOf, removePolicy } from './store.ts'

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
  await removePolicy(trx, nodeId)
  if (said) {
    const { source, path, digest } = said
    const rules = textOf(said.rules)
    const row = { node_id: nodeId, source, path, digest, since_ms: nowMs }
    await insertPolicy(trx, row, { id: sha256(rules), rules })
  }
  if (before) await forgetRules(trx, sha256(textOf(before.rules)))
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
  const row = await policyOf(db, nodeId)
  if (!row) return null
  const { since_ms: sinceMs, rules, ...rest } = row
  return { ...rest, rules: JSON.parse(rules), sinceMs }
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

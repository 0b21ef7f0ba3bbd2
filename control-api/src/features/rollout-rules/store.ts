// SPDX-License-Identifier: MIT
// The rules that hold for every rollout of the farm: one row.
import type { Selectable } from 'kysely'
import type { Unit } from '../../audit/write.ts'
import type { Reader } from '../../db/database.ts'
import type { RolloutRulesTable } from '../../db/tables/rollouts.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { TimeZoneUnknown } from './errors.ts'
import type { RolloutRules } from './schema.ts'
import { isTimeZone } from './windows.ts'

export type StoredRules = { rules: RolloutRules; etag: string }

export async function readFarmRules(db: Reader): Promise<StoredRules> {
  const row = await db.selectFrom('rollout_rules').selectAll().executeTakeFirstOrThrow()
  return { rules: toRules(row), etag: etagOf(row.revision) }
}

const toRules = (row: Selectable<RolloutRulesTable>): RolloutRules => ({
  approvals: row.approvals,
  approvalHours: row.approval_hours,
  windows: JSON.parse(row.windows),
  timeZone: row.time_zone,
  blastBudget: row.blast_budget,
})

type Change = { rules: RolloutRules; ifMatch: string | undefined; actor: string }

/** Throws TimeZoneUnknown and what requireIfMatch throws. Those that wait are looked at with the next tick. */
export async function changeFarmRules(
  { trx, emit }: Unit,
  { rules, ifMatch, actor }: Change,
): Promise<void> {
  const { rules: before, etag } = await readFarmRules(trx)
  requireIfMatch(ifMatch, etag)
  const { approvals, approvalHours, windows, timeZone, blastBudget } = rules
  if (!isTimeZone(timeZone)) throw new TimeZoneUnknown(timeZone)
  await trx
    .updateTable('rollout_rules')
    .set((eb) => ({
      revision: eb('revision', '+', 1),
      approvals,
      approval_hours: approvalHours,
      windows: JSON.stringify(windows),
      time_zone: timeZone,
      blast_budget: blastBudget,
    }))
    .execute()
  await emit({
    kind: 'rollout',
    id: 'rules',
    action: 'rules-changed',
    actor,
    data: { before, after: rules },
  })
}

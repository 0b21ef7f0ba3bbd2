// SPDX-License-Identifier: MIT
// What an order would wait for if it were given now: for its dry run.
import type { OnOverlap } from '../../../api-shapes/states.ts'
import type { Reader } from '../../../db/database.ts'
import { readFarmRules } from '../../rollout-rules/store.ts'
import { whyClosed } from '../../rollout-rules/windows.ts'
import type { RolloutPlan } from '../shapes/plan-schema.ts'
import { claimsOn } from './store.ts'

type Outlook = Pick<RolloutPlan, 'approvalsNeeded' | 'blockedBy' | 'closedWindow'>
type Ordered = {
  nodeIds: readonly string[]
  startAtMs?: number | undefined
  emergency?: string | undefined
  onOverlap?: OnOverlap | undefined
}

export async function outlookOf(
  { db, now }: { db: Reader; now: () => number },
  { nodeIds, startAtMs = 0, emergency, onOverlap }: Ordered,
): Promise<Outlook> {
  if (emergency !== undefined) return { approvalsNeeded: 0, blockedBy: [], closedWindow: null }
  const { rules } = await readFarmRules(db)
  return {
    approvalsNeeded: rules.approvals,
    blockedBy: onOverlap === 'supersede' ? [] : await inTheWayOf(db, nodeIds),
    closedWindow: whyClosed(rules, Math.max(now(), startAtMs)),
  }
}

/** Those that own some of the nodes, and those that queue for them. */
const inTheWayOf = async (db: Reader, nodeIds: readonly string[]): Promise<string[]> =>
  [...(await claimsOn(db, nodeIds, ['queued'])).rolloutIds].sort()

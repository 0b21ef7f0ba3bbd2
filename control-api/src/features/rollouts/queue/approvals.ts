// SPDX-License-Identifier: MIT
// Who agreed to the plan of a rollout. The plan is frozen with the order, so it is agreed to for good.
import type { Trx } from '../../../db/database.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import { AlreadyApproved, ApprovalVoid, OwnRollout } from '../shapes/errors.ts'
import { approvalsOf, insertApproval } from './store.ts'

/** Of a person, also when a token speaks for them. */
export type Approval = { userId: string; username: string; planDigest: string }
type Order = Pick<RolloutRow, 'author_id' | 'plan_digest'>

/** Throws OwnRollout, ApprovalVoid, AlreadyApproved. */
export function requireApproval(
  { author_id, plan_digest }: Order,
  earlier: readonly string[],
  { userId, planDigest }: Approval,
): void {
  if (userId === author_id) throw new OwnRollout()
  if (planDigest !== plan_digest) throw new ApprovalVoid(planDigest, plan_digest)
  if (earlier.includes(userId)) throw new AlreadyApproved()
}

export async function noteApproval(
  trx: Trx,
  rollout: RolloutRow,
  approval: Approval,
  atMs: number,
): Promise<void> {
  const earlier = await approvalsOf(trx, [rollout.id])
  requireApproval(
    rollout,
    earlier.map((one) => one.user_id),
    approval,
  )
  const { userId: user_id, username } = approval
  await insertApproval(trx, { rollout_id: rollout.id, user_id, username, at_ms: atMs })
}

// SPDX-License-Identifier: MIT
// Which rollout owns which node. The table's primary key keeps it to one.
import type { RolloutRow, Trx } from './store.ts'

/** The rollouts that own any of these nodes. */
export const leaseHolders = (trx: Trx, nodeIds: readonly string[]): Promise<RolloutRow[]> =>
  trx
    .selectFrom('rollouts')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb.selectFrom('node_leases').select('rollout_id').where('node_id', 'in', nodeIds),
    )
    .orderBy('id')
    .execute()

export async function takeLeases(
  trx: Trx,
  rolloutId: string,
  nodeIds: readonly string[],
): Promise<void> {
  for (const node_id of nodeIds) {
    await trx.insertInto('node_leases').values({ node_id, rollout_id: rolloutId }).execute()
  }
}

export async function freeLeases(trx: Trx, rolloutId: string): Promise<void> {
  await trx.deleteFrom('node_leases').where('rollout_id', '=', rolloutId).execute()
}

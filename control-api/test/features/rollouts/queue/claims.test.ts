// SPDX-License-Identifier: MIT
// What the queue reads of the nodes of large orders: as many rows as nodes differ to it, not as many as there are. Of a database
// without a service over it: one would give the orders their turn with its next second.
import { type Kysely, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../../src/db/database.ts'
import { migrateToLatest, stepsOf } from '../../../../src/db/migrate.ts'
import { openStore } from '../../../../src/db/open.ts'
import { claimsOn, contestedNodes } from '../../../../src/features/rollouts/queue/store.ts'
import { WAITING, type WaitingState } from '../../../../src/features/rollouts/reducer/model.ts'
import { tempDir } from '../../../helper.ts'
import { placeOf } from '../../../postgres.ts'
import { addLargeRollout, LARGE, nodeId } from '../large-rollout.ts'

const NODES = 1_200
const FIRST = 'rollout_00000000000000000000000002'
const SECOND = 'rollout_00000000000000000000000003'

/** One order that waits for all nodes and one for every third; the large rollout owns the first hundred. */
async function contested() {
  const place = await placeOf(tempDir())
  const { db } = await openStore(place)
  onTestFinished(() => db.destroy())
  await migrateToLatest(db, stepsOf(place))
  await addLargeRollout(db, NODES)
  await addOrder(db, FIRST, 'queued', 'true')
  await addOrder(db, SECOND, 'scheduled', 'cast(substr(node_id, 6) as integer) % 3 = 0')
  await sql`
    insert into node_leases (node_id, rollout_id)
    select node_id, rollout_id from node_tasks
    where rollout_id = ${LARGE} and node_id <= ${nodeId(100)}`.execute(db)
  return db
}

async function addOrder(db: Kysely<Database>, id: string, state: string, which: string) {
  const row = await db.selectFrom('rollouts').selectAll().executeTakeFirstOrThrow()
  const order = { ...row, id, state: state as typeof row.state, started_at_ms: null }
  await db.insertInto('rollouts').values(order).execute()
  await sql`
    insert into node_tasks (rollout_id, node_id, wave, state, digest, text_id, message, errors, updated_at_ms)
    select ${id}, node_id, 0, iif(node_id = ${nodeId(7)}, 'skipped', 'pending'), digest, text_id, '', '[]', 1
    from node_tasks where rollout_id = ${LARGE} and ${sql.raw(which)}`.execute(db)
}

test('nodes that the same orders want, and the same rollout owns, are one row', async () => {
  const db = await contested()
  const { wanted, owners } = await contestedNodes(db)
  // Of the large rollout's or of nobody's, and wanted by one or by both.
  const [owned, ownedByBoth, free, freeByBoth] = [1, 3, 101, 102].map(nodeId)
  expect(wanted).toEqual(
    new Map([
      [FIRST, [owned, ownedByBoth, free, freeByBoth]],
      [SECOND, [ownedByBoth, freeByBoth]],
    ]),
  )
  expect(owners).toEqual(
    new Map([
      [owned, LARGE],
      [ownedByBoth, LARGE],
    ]),
  )
})

test('who has some nodes or waits for them is found for each, also for a thousand', async () => {
  const db = await contested()
  const ids = (numbers: number[]) => numbers.map(nodeId)
  const all = ids(Array.from({ length: NODES }, (_, i) => i + 1))
  const rolloutsOf = async (of: string[], states: readonly WaitingState[] = WAITING) =>
    [...(await claimsOn(db, of, states)).rolloutIds].sort()
  expect(await rolloutsOf(all)).toEqual([LARGE, FIRST, SECOND])
  expect(await rolloutsOf(all, ['queued'])).toEqual([LARGE, FIRST])
  expect(await rolloutsOf(ids([200]))).toEqual([FIRST])
  expect(await rolloutsOf(ids([201]))).toEqual([FIRST, SECOND])
  expect(await rolloutsOf(ids([7]))).toEqual([LARGE])
  expect(await rolloutsOf([])).toEqual([])
  const { nodeIds } = await claimsOn(db, all, ['scheduled'])
  // The hundred that are owned, and every third behind them.
  expect(nodeIds.size).toBe(100 + (NODES - 102) / 3 + 1)
})

// SPDX-License-Identifier: MIT
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Scope } from '../../../src/access/scope.ts'
import { listRollouts } from '../../../src/features/rollouts/store/rollouts.ts'
import { watchTurns } from '../../bench/turns.ts'
import { tempDir } from '../../helper.ts'
import { isOnPostgres, placeOf } from '../../postgres.ts'
import { openData } from '../../simulator/real-plane.ts'
import { addLargeRollout, LARGE } from './large-rollout.ts'

const ROLLOUTS = 60
const EU: Scope = [{ key: 'zone', kind: 'in', values: ['eu'] }]
const NOWHERE: Scope = [{ key: 'zone', kind: 'in', values: ['nowhere'] }]
const idOf = (i: number) => `rollout_${String(i).padStart(26, '0')}`

/** Each third of them goes to a node in the scope. */
async function manyRollouts() {
  const dir = tempDir()
  const { db, close } = await openData(await placeOf(dir), Date.now)
  onTestFinished(close)
  await addLargeRollout(db, 20)
  const row = await db.selectFrom('rollouts').selectAll().executeTakeFirstOrThrow()
  const copies = Array.from({ length: ROLLOUTS }, (_, i) => ({ ...row, id: idOf(i + 1) }))
  await db
    .insertInto('rollouts')
    .values(copies)
    .onConflict((on) => on.doNothing())
    .execute()
  await sql`update nodes set labels = '{"zone":"us"}'`.execute(db)
  await sql`update nodes set labels = '{"zone":"eu"}' where id = (select min(id) from nodes)`.execute(
    db,
  )
  const task = await db
    .selectFrom('node_tasks')
    .selectAll()
    .where('rollout_id', '=', LARGE)
    .orderBy('node_id')
    .executeTakeFirstOrThrow()
  await db.deleteFrom('node_tasks').execute()
  const thirds = copies.filter((_, i) => i % 3 === 0)
  await db
    .insertInto('node_tasks')
    .values(thirds.map(({ id }) => ({ ...task, rollout_id: id })))
    .execute()
  return { db, dir, expected: thirds.map(({ id }) => id).toReversed() }
}

test('a scope is shown the rollouts that touch it, newest first, in whole pages', async () => {
  const { db, expected } = await manyRollouts()
  const pages: string[][] = []
  for (let before: string | undefined; ; before = pages.at(-1)?.at(-1)) {
    const rows = await listRollouts(db, { before, limit: 8, scope: EU })
    pages.push(rows.map(({ id }) => id))
    if (rows.length < 8) break
  }
  expect(pages.map(({ length }) => length)).toEqual([8, 8, 4])
  expect(pages.flat()).toEqual(expected)
})

test('those that somebody names are listed alone, but for who may not see them', async () => {
  const { db } = await manyRollouts()
  const ids = [idOf(1), idOf(2), idOf(4), idOf(ROLLOUTS + 1)]
  const listed = async (scope: Scope) =>
    (await listRollouts(db, { ids, before: undefined, limit: 50, scope })).map(({ id }) => id)
  expect(await listed(null)).toEqual([idOf(4), idOf(2), idOf(1)])
  expect(await listed(EU)).toEqual([idOf(4), idOf(1)])
})

test('words find those whose config, author, message or version has each of them', async () => {
  const { db } = await manyRollouts()
  const change = { author: 'Zoë', message: 'Longer caching of images, ÄNDERUNG', version: 17 }
  const version = await db.selectFrom('config_versions').selectAll().executeTakeFirstOrThrow()
  await db
    .insertInto('config_versions')
    .values({ ...version, number: change.version })
    .execute()
  await db.updateTable('rollouts').set(change).where('id', '=', idOf(7)).execute()
  const listed = async (q: string, scope: Scope = null) =>
    (await listRollouts(db, { q, before: undefined, limit: 100, scope })).map(({ id }) => id)
  expect(await listed('IMAGES default')).toEqual([idOf(7)])
  expect(await listed('zo caching v17')).toEqual([idOf(7)])
  expect(await listed('Änderung')).toEqual([idOf(7)])
  expect(await listed('images', EU)).toEqual([idOf(7)])
  expect(await listed('images', NOWHERE)).toEqual([])
  expect(await listed('17')).toEqual([idOf(7)])
  expect(await listed('7')).toEqual([])
  expect(await listed('images nothing')).toEqual([])
})

// In PostgreSQL each statement is a turn of its own.
test.skipIf(isOnPostgres)(
  'looking for them leaves others their turn, whether there are any or not',
  async () => {
    const { db, dir } = await manyRollouts()
    const stop = watchTurns(dir)
    expect(await listRollouts(db, { before: undefined, limit: 8, scope: NOWHERE })).toEqual([])
    const { statements, mostStatements } = stop()
    expect(statements).toBeGreaterThan(20)
    expect(mostStatements).toBeLessThan(4)
  },
)

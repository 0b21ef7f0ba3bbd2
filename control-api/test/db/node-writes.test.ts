// SPDX-License-Identifier: MIT
import { sql, type Updateable } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { nextTurn } from '../../src/base/slices.ts'
import type { Database } from '../../src/db/database.ts'
import { NodeMemo, SPEAKS_BY } from '../../src/db/node-writes.ts'
import { openStore } from '../../src/db/open.ts'
import { openServices } from '../../src/process/services.ts'
import { tempDir } from '../helper.ts'
import { databaseOf, isOnPostgres, placeOf } from '../postgres.ts'

async function begin({ isWatched = true } = {}) {
  const dataDir = tempDir()
  const services = await openServices(await placeOf(dataDir))
  onTestFinished(() => services.close())
  const { db, nodeWrites } = services
  for (const id of ['a', 'b']) {
    await sql`insert into nodes (id, name, labels, merge_patch, revision, enrolled_at_ms, hostname, version, os, arch, capabilities,
      max_epoch, max_generation) values (${id}, ${id}, '{}', '{}', 1, 0, '', '', '', '', '[]', 0, 0)`.execute(
      db,
    )
  }
  if (isWatched) await nodeWrites.watch()
  const memo = new NodeMemo<string>(nodeWrites, 'speaker')
  let reads = 0
  const nameIn = async (id: string) => {
    reads++
    const row = await db.selectFrom('nodes').select('name').where('id', '=', id).executeTakeFirst()
    return row?.name ?? ''
  }
  const nameOf = async (id: string, read = () => nameIn(id)) =>
    memo.known(id) ?? (await memo.keep(read, () => id))
  const rename = (id: string, name: string) =>
    db.updateTable('nodes').set({ name }).where('id', '=', id).execute()
  return { ...services, dataDir, nameOf, nameIn, rename, reads: () => reads }
}

test('what was read is kept until something is written of that node', async () => {
  const { nameOf, rename, reads } = await begin()
  expect([await nameOf('a'), await nameOf('b')]).toEqual(['a', 'b'])
  await rename('b', 'two')
  expect([await nameOf('a'), await nameOf('a')]).toEqual(['a', 'a'])
  expect(reads()).toBe(2)
  expect(await nameOf('b')).toBe('two')
  expect(reads()).toBe(3)
})

test('also by a transaction that is not over: who asks meanwhile gets what it left', async () => {
  const { nameOf, write } = await begin()
  await nameOf('a')
  let asked: Promise<string> | undefined
  await write(async ({ trx }) => {
    await sql`update nodes set name = 'new' where id = 'a'`.execute(trx)
    asked = nameOf('a')
  })
  expect(await asked).toBe('new')
  const undone = write(async ({ trx }) => {
    await sql`update nodes set name = 'never' where id = 'a'`.execute(trx)
    asked = nameOf('a')
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  expect([await asked, await nameOf('a')]).toEqual(['new', 'new'])
})

test('what was written while it was read is not hidden by what was read', async () => {
  const { nameOf, nameIn, rename } = await begin()
  const found = await nameOf('a', async () => {
    const name = await nameIn('a')
    await rename('a', 'new')
    return name
  })
  expect(found).toBe('a')
  expect(await nameOf('a')).toBe('new')
})

test('what another process wrote is seen', async () => {
  const { nameOf, dataDir } = await begin()
  await nameOf('a')
  const { db: other } = await openStore({ dataDir, databaseUrl: await databaseOf(dataDir) })
  await sql`update nodes set name = 'theirs' where id = 'a'`.execute(other)
  await other.destroy()
  await nextTurn()
  // PostgreSQL tells of it, SQLite is asked.
  if (isOnPostgres) await expect.poll(() => nameOf('a')).toBe('theirs')
  else expect(await nameOf('a')).toBe('theirs')
})

test('nothing is kept while nobody watches', async () => {
  const { nameOf, rename } = await begin({ isWatched: false })
  await nameOf('a')
  await rename('a', 'new')
  expect(await nameOf('a')).toBe('new')
})

test('what says who speaks is read again when that has changed, and not for all that is noted of a node', async () => {
  const { db, nameOf, reads } = await begin()
  const readsAfter = async (change: Updateable<Database['nodes']>) => {
    await nameOf('a')
    const before = reads()
    await db.updateTable('nodes').set(change).where('id', '=', 'a').execute()
    await nameOf('a')
    return reads() - before
  }
  // PostgreSQL says of whom something was written, and not what.
  const unchanged = isOnPostgres ? 1 : 0
  expect(await readsAfter({ last_seen_at_ms: 7 })).toBe(unchanged)
  expect(await readsAfter({ effective: '{"digest":"a"}' })).toBe(1)
  expect(await readsAfter({ effective: '{"digest":"a"}', last_seen_at_ms: 8 })).toBe(unchanged)
  expect(await readsAfter({ effective: null })).toBe(1)
  expect(await readsAfter({ decommissioned_at_ms: 9 })).toBe(1)
})

test.each(SPEAKS_BY.filter((name) => name !== 'id'))(
  'another %s is another who speaks',
  async (name) => {
    const { db, nameOf, reads } = await begin()
    await nameOf('a')
    const value = name === 'decommissioned_at_ms' ? 1 : '["other"]'
    await sql`update nodes set ${sql.ref(name)} = ${value} where id = 'a'`.execute(db)
    await nameOf('a')
    expect(reads()).toBe(2)
  },
)

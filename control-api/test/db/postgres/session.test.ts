// SPDX-License-Identifier: MIT
import { connect, createServer } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/db/open.ts'
import { openSession } from '../../../src/db/postgres/session.ts'
import { hostsOf } from '../../../src/storage/postgres-hosts.ts'
import { tempDir } from '../../helper.ts'
import { databaseOf, dropDatabase, isOnPostgres } from '../../postgres.ts'

async function aStore() {
  const databaseUrl = (await databaseOf(tempDir())) ?? ''
  const store = await openStore({ dataDir: '', databaseUrl })
  onTestFinished(async () => {
    await store.db.destroy()
    await dropDatabase(databaseUrl)
  })
  return { ...store, databaseUrl }
}

const write = (key: string, value = '1') =>
  sql`insert into meta (key, value) values (${key}, ${value}) on conflict (key) do update set value = excluded.value`

test.each([
  ['postgres://u@a:5432,b:5433/d?x=1', ['postgres://u@a:5432/d?x=1', 'postgres://u@b:5433/d?x=1']],
  ['postgres://a/d', ['postgres://a/d']],
  ['postgresql://u:p,w@a,b/d', ['postgresql://u:p,w@a/d', 'postgresql://u:p,w@b/d']],
])('each host of %s is a place of its own', (url, hosts) => {
  expect(hostsOf(url)).toEqual(hosts)
})

describe.skipIf(!isOnPostgres)('a session', () => {
  test('takes one at a time: who asks in the midst of a transaction gets what it left', async () => {
    const { db } = await aStore()
    await write('a').execute(db)
    let asked: Promise<unknown> | undefined
    await db.transaction().execute(async (trx) => {
      await write('a', '2').execute(trx)
      asked = db.selectFrom('meta').select('value').where('key', '=', 'a').executeTakeFirst()
      await write('a', '3').execute(trx)
    })
    expect(await asked).toEqual({ value: '3' })
  })

  test('waits for the transaction of another one that writes', async () => {
    const { db, databaseUrl } = await aStore()
    const other = await openStore({ dataDir: '', databaseUrl })
    onTestFinished(() => other.db.destroy())
    const order: string[] = []
    let second: Promise<unknown> | undefined
    await db.transaction().execute(async (trx) => {
      second = other.db.transaction().execute(async (theirs) => {
        order.push('second')
        await write('a', 'second').execute(theirs)
      })
      await sql`select pg_sleep(0.2)`.execute(trx)
      await write('a', 'first').execute(trx)
      order.push('first')
    })
    await second
    expect(order).toEqual(['first', 'second'])
  })

  test('whose wait for another was cancelled is as good as before', async () => {
    const { db, databaseUrl } = await aStore()
    const other = await openStore({ dataDir: '', databaseUrl })
    onTestFinished(() => other.db.destroy())
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    await other.db.transaction().execute(async (theirs) => {
      const waiting = db.transaction().execute((trx) => write('a').execute(trx))
      const refused = expect(waiting).rejects.toThrow('canceling statement due to user request')
      const isWaiting = async () =>
        (
          await sql`select 1 from pg_locks where pid = ${rows[0]?.pid} and not granted`.execute(
            theirs,
          )
        ).rows.length
      await expect.poll(isWaiting).toBe(1)
      await sql`select pg_cancel_backend(cast(${rows[0]?.pid} as integer))`.execute(theirs)
      await refused
    })
    await write('a').execute(db)
  })

  test('counts what it changed, and what is undone', async () => {
    const { db, rowsChanged } = await aStore()
    const counted = await db.transaction().execute(async (trx) => {
      const before = await rowsChanged(trx)
      await write('a').execute(trx)
      await sql`select 1`.execute(trx)
      return (await rowsChanged(trx)) - before
    })
    expect(counted).toBe(1)
  })

  test('gives numbers as numbers, and what is true as 1', async () => {
    const { db } = await aStore()
    const { rows } =
      await sql`select 1795846055733::bigint as a, sum(2::bigint) as b, 1.5::double precision as c,
      true as d, false as e, null as f, count(*) as g`.execute(db)
    expect(rows).toEqual([{ a: 1_795_846_055_733, b: 2, c: 1.5, d: 1, e: 0, f: null, g: 1 }])
  })

  test('that was ended says so once, and is of no use any more', async () => {
    const store = await aStore()
    let told = 0
    store.onEnded(() => told++)
    const killer = await openSession(store.databaseUrl)
    const turn = await killer.connect()
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)
    const refused = expect(sql`select pg_sleep(30)`.execute(store.db)).rejects.toThrow()
    await turn.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    turn.release()
    await refused
    await expect(sql`select 1`.execute(store.db)).rejects.toThrow(/has ended|terminated/)
    await expect(store.db.transaction().execute((trx) => write('a').execute(trx))).rejects.toThrow()
    await expect.poll(() => told).toBe(1)
    await expect(sql`select 1`.execute(store.db)).rejects.toThrow(
      'The connection to PostgreSQL has ended',
    )
    await killer.end()
  })

  test('that was told to end tells nobody', async () => {
    const { databaseUrl } = await aStore()
    const session = await openSession(databaseUrl)
    let told = 0
    session.onEnded(() => told++)
    await session.end()
    expect(told).toBe(0)
    await expect(session.connect()).rejects.toThrow('has ended')
  })

  test('knows a pooler of connections by the number of its session, and refuses it', async () => {
    const { databaseUrl } = await aStore()
    const folder = new URL(databaseUrl).searchParams.get('host')
    const server = createServer((socket) => {
      const upstream = connect(`${folder}/.s.PGSQL.${new URL(databaseUrl).port}`)
      socket.on('error', () => upstream.destroy()).pipe(upstream)
      upstream.on('error', () => socket.destroy())
      upstream.on('data', (chunk: Buffer) => {
        // BackendKeyData, 12 bytes long: the pooler's own number in place of PostgreSQL's.
        const at = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
        if (at >= 0) chunk.writeInt32BE(4711, at + 5)
        socket.write(chunk)
      })
      socket.on('close', () => upstream.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const name = new URL(databaseUrl).pathname
    await expect(openSession(`postgres://farmstead@127.0.0.1:${port}${name}`)).rejects.toThrow(
      /is a pooler of connections/,
    )
  })
})

// SPDX-License-Identifier: MIT
// What SQLite has by itself, PostgreSQL has from us: asked of both, the answers are the same.
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/db/open.ts'
import { openControlDb } from '../../../src/db/sqlite/open.ts'
import { tempDir } from '../../helper.ts'
import { databaseOf, dropDatabase, isOnPostgres } from '../../postgres.ts'

const OBJECT = JSON.stringify({
  a: 'x',
  'b.c': 'ü',
  n: 7,
  f: 1.5,
  none: null,
  list: [1, 'two'],
  own: { k: 'v' },
})
const LIST = JSON.stringify(['a', '', 'ü', 12, { k: [1, 2] }, null])

/** Each of one column, `value`; several rows in their order. */
const ASKED: [string, unknown[]][] = [
  [`select instr('abc', $1) as value`, ['b']],
  [`select instr('abc', $1) as value`, ['']],
  [`select instr('aüb', $1) as value`, ['b']],
  [`select instr(null, 'b') as value`, []],
  [`select iif(1 = 1, 'a', 'b') as value`, []],
  [`select iif(1 = 2, 'a', null) as value`, []],
  [`select iif(null, 'a', 'b') as value`, []],
  ...['a', 'b.c', 'none', 'missing', 'n', 'f'].map((key): [string, unknown[]] => [
    `select cast(cast($1 as text) ->> $2 as text) as value`,
    [OBJECT, key],
  ]),
  [`select cast(cast($1 as text) ->> 1 as text) as value`, [LIST]],
  [`select cast(cast($1 as text) ->> 3 as text) as value`, [LIST]],
  [`select cast(cast($1 as text) ->> 99 as text) as value`, [LIST]],
  [`select cast($1 as text) -> 'list' ->> 1 as value`, [OBJECT]],
  [`select cast($1 as text) -> 'own' ->> 'k' as value`, [OBJECT]],
  [`select cast(null as text) ->> 'a' as value`, []],
  [`select json_array_length($1, '$.list') as value`, [OBJECT]],
  [`select json_array_length($1, '$.missing') as value`, [OBJECT]],
  [`select cast(value as text) as value from json_each($1)`, [LIST]],
  [
    `select value from json_each($1) e where e.value ->> 'k' = 'v'`,
    [JSON.stringify([{ k: 'v' }, { k: 'w' }])],
  ],
  [`select value from json_each($1)`, ['[]']],
  [`select key as value from json_each($1) order by key`, [OBJECT]],
  [`select key as value from json_each($1)`, ['{}']],
  [`select value from json_each(cast(null as text))`, []],
  [`select 'a' as value where 'a' in (select value from json_each($1))`, [LIST]],
]

describe.skipIf(!isOnPostgres)('a function of SQLite', () => {
  test.each(ASKED)('answers the same in PostgreSQL: %s %j', async (text, values) => {
    const sqlite = openControlDb(tempDir())
    const databaseUrl = await databaseOf(tempDir())
    const { db: postgres } = await openStore({ dataDir: '', databaseUrl })
    onTestFinished(async () => {
      await sqlite.destroy()
      await postgres.destroy()
      await dropDatabase(databaseUrl)
    })
    const parts = text.split(/\$\d/)
    const query = sql<{ value: unknown }>`${sql.join(
      parts.flatMap((part, i) => [
        sql.raw(part),
        ...(i < parts.length - 1 ? [sql`${values[i]}`] : []),
      ]),
      sql.raw(''),
    )}`
    const [here, there] = [await query.execute(sqlite), await query.execute(postgres)]
    // A JSON text may be spaced otherwise.
    const plain = (value: unknown) =>
      typeof value === 'string' && /^[{[]/.test(value) ? JSON.parse(value) : value
    expect(there.rows.map(({ value }) => plain(value))).toEqual(
      here.rows.map(({ value }) => plain(value)),
    )
  })

  test.each([
    ['["a\\u0000b"]', 'a\ufffdb'],
    ['["a\\\\u0000b"]', 'a\\u0000b'],
    ['["\\u0000\\u0000"]', '\ufffd\ufffd'],
  ])(
    'reads JSON with a NUL, which PostgreSQL can’t hold, as no character: %s',
    async (json, value) => {
      const databaseUrl = await databaseOf(tempDir())
      const { db } = await openStore({ dataDir: '', databaseUrl })
      onTestFinished(async () => {
        await db.destroy()
        await dropDatabase(databaseUrl)
      })
      expect((await sql`select value from json_each(${json})`.execute(db)).rows).toEqual([
        { value },
      ])
    },
  )
})

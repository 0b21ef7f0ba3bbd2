// SPDX-License-Identifier: MIT
// What SQLite has by itself, PostgreSQL has from us: asked of both, the answers are the same.
import { rmSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../../src/db/open.ts'
import { openControlDb } from '../../../src/db/sqlite/open.ts'
import { databaseOf, dropDatabase, isOnPostgres } from '../../postgres.ts'
import { makeQuickFolder } from '../../quick-folder.ts'

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

/** Nothing is written in them: all share one of each. */
async function openBoth() {
  const dataDir = makeQuickFolder()
  const sqlite = openControlDb(dataDir)
  const databaseUrl = await databaseOf(dataDir)
  const { db: postgres } = await openStore({ dataDir, databaseUrl })
  const close = async () => {
    await sqlite.destroy()
    await postgres.destroy()
    await dropDatabase(databaseUrl)
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { sqlite, postgres, close }
}

describe.skipIf(!isOnPostgres)('a function of SQLite', () => {
  let both: Awaited<ReturnType<typeof openBoth>>
  beforeAll(async () => {
    both = await openBoth()
  })
  afterAll(() => both.close())

  test.each(ASKED)('answers the same in PostgreSQL: %s %j', async (text, values) => {
    const { sqlite, postgres } = both
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
    // Halves of characters, as JSON.stringify writes them when they stand alone.
    ['["a\\ud83d"]', 'a\ufffd'],
    ['["\\ude00b"]', '\ufffdb'],
    ['["\\ud83d\\ud83d\\ude00\\ude00"]', '\ufffd😀\ufffd'],
    ['["\\\\ud83d\\ude00"]', '\\ud83d\ufffd'],
    ['["\\\\ud83d"]', '\\ud83d'],
    ['["\\uD83D\\uDE00"]', '😀'],
  ])(
    'reads JSON with what PostgreSQL can’t hold, a NUL or half a character, as no character: %s',
    async (json, value) => {
      const asked = sql`select value from json_each(${json})`
      expect((await asked.execute(both.postgres)).rows).toEqual([{ value }])
    },
  )
})

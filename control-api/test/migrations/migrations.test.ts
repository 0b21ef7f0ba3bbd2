// SPDX-License-Identifier: MIT
// From every schema that was released to the newest: nothing is lost, nothing is left half done, and the
// service works on what comes out. Steps that are added to src/db/migrate.ts are part of it by themselves.
import type Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../src/db/migrate.ts'
import { build, tempDir } from '../helper.ts'
import { addRows, loadDump, migrateTo, released, stepsAfter, withSqlite } from './dump.ts'

type Row = Record<string, unknown>
type Tables = Record<string, Row[]>

const steps = Object.keys(migrations).sort()
const newest = steps.at(-1) ?? ''

/** What a step changed on purpose: table.column. Everything else must come through as it was. */
const CHANGED = [
  ...['nodes.drift', 'nodes.drift_text', 'rollouts.policy', 'rollouts.evidence'],
  ...['rollouts.reason', 'rollouts.progress'],
]
/** Tables that a step dropped on purpose: what they held stands in another one as well. */
const DROPPED = ['node_labels']
/** Tables that a step emptied on purpose: the service reads what they hold from texts. */
const READ_AGAIN = ['sites_read', 'sites', 'site_hosts']
/** The migrator's own notes. */
const isOurs = (table: string) => !/^(sqlite|kysely)_/.test(table)

function read(sqlite: Sqlite.Database): Tables {
  const names = sqlite
    .prepare<[], string>(`select name from sqlite_master where type = 'table' order by name`)
    .pluck()
    .all()
  return Object.fromEntries(
    names
      .filter(isOurs)
      .map((name) => [name, sqlite.prepare<[], Row>(`select * from "${name}"`).all()]),
  )
}

/** The rows with those columns only that were there before and are there still. */
function comparable(tables: Tables, before: Tables): Tables {
  return Object.fromEntries(
    Object.entries(before)
      .filter(([table]) => ![...DROPPED, ...READ_AGAIN].includes(table))
      .map(([table, rows]) => {
        const columns = Object.keys(rows[0] ?? {}).filter(
          (column) => !CHANGED.includes(`${table}.${column}`),
        )
        const narrowed = (tables[table] ?? []).map((row) =>
          Object.fromEntries(columns.map((column) => [column, row[column]])),
        )
        return [table, narrowed.map((row) => JSON.stringify(row)).sort() as unknown as Row[]]
      }),
  )
}

const sound = { integrity: [{ integrity_check: 'ok' }], references: [] }
const soundness = (sqlite: Sqlite.Database) => ({
  integrity: sqlite.pragma('integrity_check'),
  references: sqlite.pragma('foreign_key_check'),
})

describe('a schema that was released', () => {
  test('has a dump: of every step that was', () => {
    expect(released.slice(0, 5)).toEqual([
      '001-core',
      '010-configs',
      '011-rollouts',
      '012-identities',
      '013-drift-texts',
    ])
    expect(steps).toEqual(expect.arrayContaining(released))
  })

  test.each(released)('%s has rows in every table it made', (step) => {
    const dataDir = tempDir()
    loadDump(dataDir, step)
    const tables = withSqlite(dataDir, read)
    expect(Object.keys(tables).length).toBeGreaterThan(6)
    for (const [table, rows] of Object.entries(tables)) expect(rows, table).not.toEqual([])
  })

  test.each(released)('%s is brought to the newest with all its rows', async (step) => {
    const dataDir = tempDir()
    loadDump(dataDir, step)
    const before = withSqlite(dataDir, read)
    await migrateTo(dataDir, newest)
    withSqlite(dataDir, (sqlite) => {
      expect(comparable(read(sqlite), before)).toEqual(comparable(before, before))
      expect(soundness(sqlite)).toEqual(sound)
    })
  })

  test('serves the service of today, the oldest too', async () => {
    const dataDir = tempDir()
    loadDump(dataDir, released[0] ?? '')
    await expectService(dataDir)
  })
})

async function expectService(dataDir: string): Promise<void> {
  const { admin } = await build({ config: { dataDir } })
  const nodes = (await admin.inject({ url: '/api/v1/nodes' })).json()
  expect(nodes.items).toMatchObject([{ name: 'edge-1', labels: { zone: 'nörd' } }])
  for (const url of ['configs', 'rollouts', 'enrolment-tokens', 'users', 'groups', 'backups']) {
    expect((await admin.inject({ url: `/api/v1/${url}` })).statusCode, url).toBe(200)
  }
}

test('every step since the last release keeps all rows, and has some: test/migrations/rows', async () => {
  const dataDir = tempDir()
  const last = released.at(-1) ?? ''
  loadDump(dataDir, last)
  for (const step of stepsAfter(last)) {
    const before = withSqlite(dataDir, read)
    await migrateTo(dataDir, step)
    const after = withSqlite(dataDir, read)
    expect(comparable(after, before), step).toEqual(comparable(before, before))
    addRows(dataDir, step)
    withSqlite(dataDir, (sqlite) => {
      for (const [table, rows] of Object.entries(read(sqlite))) {
        expect(rows, `${step}: ${table}`).not.toEqual([])
      }
      expect(soundness(sqlite), step).toEqual(sound)
    })
  }
  await expectService(dataDir)
})

describe('all steps', () => {
  test('make the same of a fresh database and of one that was carried on', async () => {
    const [fresh, carried] = [tempDir(), tempDir()]
    await migrateTo(fresh, newest)
    loadDump(carried, released[0] ?? '')
    await migrateTo(carried, newest)
    const schema = (sqlite: Sqlite.Database) =>
      sqlite
        .prepare<[], Row>('select type, name, sql from sqlite_master order by type, name')
        .all()
        .map(({ type, name, sql }) => [
          type,
          name,
          String(sql).replaceAll(/\s+/g, ' ').toLowerCase(),
        ])
    expect(withSqlite(carried, schema)).toEqual(withSqlite(fresh, schema))
  })
})

// SPDX-License-Identifier: MIT
// Where queries stand, and who writes which table.
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { queriesIn } from './queries.ts'
import { faultsOf, roomOf } from './query-rules.ts'
import { TABLES, type Table } from './table-owners.ts'

const SRC = resolve(import.meta.dirname, '../../src')
const sources = new Map(
  globSync('**/*.ts', { cwd: SRC })
    .sort()
    .map((file) => [file, readFileSync(join(SRC, file), 'utf8')]),
)

test('queries stand in stores, and a table is written by its owner only', () => {
  expect(sources.size).toBeGreaterThan(300)
  expect(faultsOf(sources)).toEqual([])
})

test('who is named as a reader of a table reads it', () => {
  const reads = new Set(
    [...sources].flatMap(([file, source]) =>
      queriesIn(source).queries.flatMap(({ tables }) =>
        tables.map(({ name }) => `${roomOf(file)}: ${name}`),
      ),
    ),
  )
  const named = Object.entries<Table>(TABLES).flatMap(([name, { readers }]) =>
    Object.keys(readers).map((room) => `${room}: ${name}`),
  )
  expect(named.filter((one) => !reads.has(one))).toEqual([])
})

/** The file, what somebody wrote into it, and what is said of that. */
const PLANTED: [string, string, string][] = [
  [
    'features/nodes/routes.ts',
    "const all = () =>\n  db\n    .selectFrom('nodes')\n    .selectAll()",
    "features/nodes/routes.ts:3: selectFrom('nodes') stands outside a store. Make it a function of the store of node-identity, and call that.",
  ],
  [
    'agents/inbox.ts',
    'await sql<Row>`\n  select * from assignments`.execute(trx)',
    'agents/inbox.ts:1: sql` select * from assignments` stands outside a store. Make it a function of the store of assignments, and call that.',
  ],
  [
    'features/groups/impact.ts',
    "rows.where(({ exists, selectFrom }) => exists(selectFrom('configs as c').select('c.name')))",
    "features/groups/impact.ts:1: selectFrom('configs as c') stands outside a store. Make it a function of the store of features/configs, and call that.",
  ],
  [
    'fleet/fleet.ts',
    'const isIn = sql`+id`',
    'fleet/fleet.ts:1: sql`+id` stands outside a store. Make it a function of the store of its table’s owner (test/db/table-owners.ts), and call that.',
  ],
  [
    'features/nodes/store.ts',
    "await trx.updateTable('nodes').set({ cordon: null }).execute()",
    'features/nodes/store.ts:1: features/nodes writes "nodes", which node-identity owns. Make it a function of its store, and call that.',
  ],
  [
    'features/nodes/store.ts',
    'await sql`delete from enrolment_tokens`.execute(trx)',
    'features/nodes/store.ts:1: features/nodes writes "enrolment_tokens", which node-identity owns. Make it a function of its store, and call that.',
  ],
  [
    'features/groups/store.ts',
    "db.selectFrom('node_groups').innerJoin('assignments as a', 'a.group_name', 'name')",
    'features/groups/store.ts:1: features/groups reads "assignments", which assignments owns. Ask by a function of its store; if it joins the table with its own, name it as a reader in test/db/table-owners.ts.',
  ],
  [
    'people/user-store.ts',
    "db.selectFrom(['users', 'nodes'])",
    'people/user-store.ts:1: people reads "nodes", which node-identity owns. Ask by a function of its store; if it joins the table with its own, name it as a reader in test/db/table-owners.ts.',
  ],
  [
    'assignments/store.ts',
    'const count = (table: Table) => db.selectFrom(table)',
    'assignments/store.ts:1: selectFrom(table): say here which table it is, so that its owner can be told.',
  ],
  [
    'assignments/store.ts',
    'await sql.raw(text).execute(db)',
    'assignments/store.ts:1: sql.raw: say here which table it is, so that its owner can be told.',
  ],
  [
    'assignments/store.ts',
    'sql`select * from \u0024{sql.ref(name)}`',
    'assignments/store.ts:1: sql`select * from …`: say here which table it is, so that its owner can be told.',
  ],
  [
    'assignments/store.ts',
    "db.selectFrom('offers')",
    'assignments/store.ts:1: there is no table "offers"; a new one needs an owner in test/db/table-owners.ts.',
  ],
]

describe('a query that somebody plants is seen', () => {
  test.each(PLANTED)('%s: %s', (file, source, fault) => {
    expect(faultsOf(new Map([[file, source]]))).toEqual([fault])
  })
})

const FINE: [string, string][] = [
  ['node-identity/store/nodes.ts', "trx.updateTable('nodes').set({ cordon: null })"],
  ['idempotency/store.ts', 'sql`delete from idempotency_keys`'],
  ['features/audit/store.ts', "db.with('walked', walk).selectFrom('walked').selectAll()"],
  ['features/configs/store.ts', 'sql`configs.draft_text is distinct from latest.text`'],
  ['features/nodes/store.ts', 'sql`select n.id from json_each(?) wanted join nodes n`'],
  ['features/nodes/routes.ts', '// db.selectFrom(\'nodes\') would be "select * from nodes"'],
  ['db/labels.ts', 'sql`1`'],
]

describe('what is no fault is not taken for one', () => {
  test.each(FINE)('%s: %s', (file, source) => {
    expect(faultsOf(new Map([[file, source]]))).toEqual([])
  })
})

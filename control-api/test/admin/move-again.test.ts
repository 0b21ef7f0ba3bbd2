// SPDX-License-Identifier: MIT
// What a move must not do: take an old copy for what is in the folder, leave two that start, or stop at a row that is in order.
import { describe, expect, test } from 'vitest'
import { withoutSecrets } from '../../src/admin/move.ts'
import { type Facts, whyUnfit } from '../../src/db/postgres/target.ts'
import { openServices } from '../../src/process/services.ts'
import { type Built, build, tempDir } from '../helper.ts'
import { withSqlite } from '../migrations/dump.ts'
import { databaseOf, isOnPostgres } from '../postgres.ts'
import { start } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'
import { askedOf, aTarget, countIn, fullPlane, move } from './moving.ts'

const LISTS = [
  ...['nodes', 'groups', 'configs', 'configs/default/versions', 'configs/default/draft'],
  ...['rollouts', 'enrolment-tokens', 'users', 'webhooks', 'backups', 'certificates'],
  ...['managed-certificates', 'certificate-authorities', 'dns-webhooks', 'alerts', 'alert-rules'],
  ...['alert-silences', 'releases', 'sites', 'rollout-rules', 'neighbours'],
]

async function answersOf({ admin }: Built): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const list of LISTS) {
    const answer = await admin.inject({ url: `/api/v1/${list}` })
    expect(answer.statusCode, list).toBe(200)
    // Of the process: how often its list changed.
    const { revision: _, ...rest } = answer.json()
    found[list] = rest
  }
  return found
}

const moved = async (dataDir: string, url: string, ...more: string[]) => {
  const { code, stdout, stderr } = await move(dataDir, url, ...more).ended
  return { code, said: stdout + stderr }
}

const RULES = `select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated as rule
  from pg_constraint where connamespace = 'public'::regnamespace
  union all select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
  order by 1`

describe.skipIf(!isOnPostgres)('a move of rows in every table', () => {
  test('changes no answer, and leaves the rules as they are in a new database', async () => {
    const dataDir = await fullPlane()
    const counts = withSqlite(dataDir, (sqlite) =>
      sqlite
        .prepare<[], string>(
          `select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'`,
        )
        .pluck()
        .all()
        .filter((name) => sqlite.prepare(`select count(*) from "${name}"`).pluck().get() === 0),
    )
    // Or nothing would be said of those.
    expect(counts).toEqual([])
    const before = await build({ config: { dataDir, databaseUrl: null } })
    const told = await answersOf(before)
    await before.close()
    const url = await aTarget()
    expect(await moved(dataDir, url)).toMatchObject({ code: 0 })
    expect(await askedOf(url, RULES)).toEqual(
      await askedOf((await databaseOf(tempDir())) ?? '', RULES),
    )
    await expect(askedOf(url, 'delete from events')).rejects.toThrow('append-only')
    const after = await build({ config: { dataDir, databaseUrl: url } })
    expect(await answersOf(after)).toEqual(told)
  })

  test('goes on from a folder that no service of today was started in', async () => {
    const dataDir = await fullPlane()
    const url = await aTarget()
    expect(await moved(dataDir, url)).toMatchObject({ code: 0 })
    const env = { FARMSTEAD_DATA_DIR: dataDir, DATABASE_URL: url }
    const { code, stdout, stderr } = await start(PROGRAMS.admin, ['verify-audit'], env).ended
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^Whole/), ''])
  })

  test('takes a token that was made with a later one, as clocks that go back make them', async () => {
    const dataDir = await fullPlane()
    withSqlite(dataDir, (sqlite) => {
      const insert = sqlite.prepare(`insert into api_tokens
        (id, user_id, name, secret_digest, created_at_ms, expires_at_ms, made_with)
        select ?, user_id, 'm', 'd', 1, 1, ? from api_tokens limit 1`)
      insert.run('token_z', null)
      for (let i = 0; i < 1000; i += 1) insert.run(`token_a${i}`, 'token_z')
    })
    expect(await moved(dataDir, await aTarget())).toMatchObject({ code: 0 })
  })

  test('puts U+FFFD for a NUL where nothing hangs on it, and says so', async () => {
    const dataDir = await fullPlane()
    withSqlite(dataDir, (sqlite) =>
      sqlite.exec(`update webhook_deliveries set response = 'a' || char(0), type = '\\u0000'`),
    )
    const url = await aTarget()
    expect((await moved(dataDir, url)).said).toMatch(
      /webhook_deliveries: in \d+ rows U\+FFFD stands for a NUL in response now/,
    )
    expect(await askedOf(url, 'select distinct response, type from webhook_deliveries')).toEqual([
      { response: 'a\ufffd', type: '\\u0000' },
    ])
  })

  test.each([
    ['events', 'object_id', 'events_are_not_changed'],
    ['config_versions', 'text', 'config_versions_are_not_changed'],
  ])('refuses a NUL in %s.%s, and leaves nothing', async (table, column, trigger) => {
    const dataDir = await fullPlane()
    withSqlite(dataDir, (sqlite) =>
      sqlite.exec(`drop trigger ${trigger}; update ${table} set ${column} = 'a' || char(0)`),
    )
    const url = await aTarget()
    const { code, said } = await moved(dataDir, url)
    expect(code).toBe(1)
    expect(said).toMatch(
      table === 'events'
        ? /The audit is not whole|not as its hash/
        : /NUL character in text, which PostgreSQL cannot hold/,
    )
    expect(await countIn(url, 'users')).toBe(0)
  })
})

describe.skipIf(!isOnPostgres)('after a move', () => {
  test('what is in the database is not taken for the folder that went on without it', async () => {
    const dataDir = await fullPlane()
    const url = await aTarget()
    expect(await moved(dataDir, url)).toMatchObject({ code: 0 })
    await moved(dataDir, url, '--undo')
    const services = await openServices({ dataDir })
    await services.write(({ emit }) => emit({ kind: 'node', id: 'later', action: 'changed' }))
    await services.close()
    for (const more of [['--dry-run'], []]) {
      expect(await moved(dataDir, url, ...more)).toEqual({
        code: 1,
        said: expect.stringMatching(
          /has the control plane cp_\w+ with \d+ nodes in it, and nothing/,
        ),
      })
      await (await openServices({ dataDir })).close()
    }
  })

  test('a dry run leaves no mark', async () => {
    const dataDir = await fullPlane()
    expect(await moved(dataDir, await aTarget(), '--dry-run')).toMatchObject({ code: 0 })
    await (await openServices({ dataDir })).close()
  })

  test('a connection that ends at the last step leaves a folder that starts', async () => {
    const dataDir = await fullPlane()
    const url = await aTarget()
    await askedOf(
      url,
      `create function die() returns trigger language plpgsql as $$ begin
         perform pg_terminate_backend(pg_backend_pid()); return null; end $$`,
      // Fires when the transaction is committed, when the folder is marked.
      `create constraint trigger dies after insert or update on meta deferrable initially deferred
         for each row execute function die()`,
      'alter table meta enable always trigger dies',
    )
    const { code, said } = await moved(dataDir, url)
    expect(code).toBe(1)
    expect(said).toMatch(/^admin: The connection to PostgreSQL ended.*try again/m)
    expect(await countIn(url, 'users')).toBe(0)
    await (await openServices({ dataDir })).close()
  })

  test('is refused while nodes are known to have obeyed a newer one', async () => {
    const dataDir = await fullPlane()
    withSqlite(dataDir, (sqlite) => sqlite.exec('update nodes set max_epoch = 77'))
    expect((await moved(dataDir, await aTarget())).said).toMatch(/newer than the one.*raise-epoch/)
  })

  test('is refused where other tables are', async () => {
    const dataDir = await fullPlane()
    const url = await aTarget()
    await askedOf(
      url,
      'drop schema public cascade',
      'create schema public',
      'create table orders (id bigint)',
    )
    expect((await moved(dataDir, url)).said).toMatch(
      /^admin: The database holds tables.*\(orders\)/,
    )
  })
})

test('where it went is told without who may go there', () => {
  expect(withoutSecrets('postgres://u:p@ss:w@db-1:5432,db-2/farm?password=x#y')).toBe(
    'postgres://db-1:5432,db-2/farm',
  )
})

const FIT: Facts = {
  ...{ version: 15, encoding: 'UTF8', icu: 1, schema: 'public' },
  ...{ mayCreate: 1, mayMakeTemporary: 1 },
}
test.each<[Partial<Facts>, RegExp | null]>([
  [{}, null],
  [{ version: 14 }, /PostgreSQL 14: take 15 or newer/],
  [{ encoding: 'LATIN1' }, /encoding is LATIN1: make it with/],
  [{ icu: 0 }, /without ICU/],
  [{ schema: null }, /search_path/],
  [{ mayCreate: 0 }, /grant create on schema public/],
  [{ mayMakeTemporary: 0 }, /grant temporary/],
])('of a database with %j is said what to do', (changes, wanted) => {
  const said = whyUnfit({ ...FIT, ...changes })
  if (wanted === null) expect(said).toBeNull()
  else expect(said).toMatch(wanted)
})

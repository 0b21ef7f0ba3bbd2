// SPDX-License-Identifier: MIT
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createWrite } from '../../src/audit/write.ts'
import { raiseEpoch, takeEpoch } from '../../src/control-plane/epoch.ts'
import { migrateToLatest } from '../../src/db/migrate.ts'
import * as core from '../../src/db/migrations/001-core.ts'
import * as configs from '../../src/db/migrations/010-configs.ts'
import * as rollouts from '../../src/db/migrations/011-rollouts.ts'
import * as identities from '../../src/db/migrations/012-identities.ts'
import * as driftTexts from '../../src/db/migrations/013-drift-texts.ts'
import * as audit from '../../src/db/migrations/023-audit.ts'
import { openControlDb } from '../../src/db/sqlite/open.ts'
import { rowsChanged } from '../../src/db/sqlite/rows-changed.ts'
import { verifyChain } from '../../src/features/audit/verify.ts'
import { openServices } from '../../src/process/services.ts'
import { enrolNode } from '../agents/node-client.ts'
import { build, tempDir } from '../helper.ts'

const HOLD_LOCK = `
  const db = require('better-sqlite3')(process.argv[1])
  db.exec("begin immediate; update meta set value = 'theirs' where key = 'epoch'")
  console.log('locked')
  setTimeout(() => db.exec('commit'), 300)
`

const CONFIG =
  '{ "listen": [{ "address": "127.0.0.1", "port": 8080 }], "sites": [{ "hosts": ["*"], "root": "/srv/www" }] }'

async function open(dataDir: string) {
  const services = await openServices({ dataDir })
  onTestFinished(() => services.close())
  return services
}
const token = (id: string) => ({
  id,
  secret_digest: id,
  labels: '{}',
  merge_patch: '{}',
  max_uses: 1,
  uses: 0,
  created_at_ms: 0,
  expires_at_ms: 0,
  created_by: null,
})

describe('control.db', () => {
  test('loses no committed step in a power cut, checks references, and is nobody else’s to read', async () => {
    const dataDir = tempDir()
    const { db } = await open(dataDir)
    const pragma = async (name: string) =>
      Object.values((await sql.raw<object>(`pragma ${name}`).execute(db)).rows[0] ?? {})[0]
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('synchronous')).toBe(2)
    expect(await pragma('foreign_keys')).toBe(1)
    expect(await pragma('busy_timeout')).toBe(5000)
    expect(statSync(join(dataDir, 'control.db')).mode & 0o077).toBe(0)
  })

  test('keeps its identity over restarts', async () => {
    const dataDir = tempDir()
    const first = await openServices({ dataDir })
    await first.close()
    const second = await open(dataDir)
    expect(second.controlPlaneId).toBe(first.controlPlaneId)
    expect(first.controlPlaneId).toMatch(/^cp_\w{26}$/)
  })

  test('takes a higher epoch at each start, and none twice', async () => {
    const services = await open(tempDir())
    expect(await takeEpoch(services.write)).toBe(1)
    expect(await Promise.all([1, 2].map(() => takeEpoch(services.write)))).toEqual([2, 3])
  })

  test('can be put above what nodes obeyed', async () => {
    const service = await build()
    const { write } = service.services
    expect(await raiseEpoch(write, 'operator')).toMatchObject({ nodes: [], epoch: null })
    const [old, young] = [await enrolNode(service), await enrolNode(service)]
    await old.hello({ fences: { maxEpoch: 7, maxGeneration: 1 } })
    await young.hello({ fences: { maxEpoch: 1, maxGeneration: 1 } })
    expect(await raiseEpoch(write, 'operator')).toMatchObject({
      nodes: [(await old.show()).name],
      epoch: 7,
    })
    expect(await raiseEpoch(write, 'operator')).toMatchObject({ nodes: [], epoch: null })
    expect(await takeEpoch(write)).toBe(8)
  })

  test('never changes or deletes an event', async () => {
    const { db, write } = await open(tempDir())
    await write((unit) => unit.emit({ kind: 'config', id: 'default', action: 'created' }))
    const change = db.updateTable('events').set({ action: 'denied' }).execute()
    await expect(change).rejects.toThrow(/append-only/)
    await expect(db.deleteFrom('events').execute()).rejects.toThrow(/append-only/)
  })
})

describe('migrations', () => {
  test('that are cut short leave nothing behind, so that the next start makes them anew', async () => {
    const dataDir = tempDir()
    const db = openControlDb(dataDir)
    onTestFinished(() => db.destroy())
    // In the way of the last step: the steps before it must not stay.
    await sql.raw('create table node_leases (id integer)').execute(db)
    await expect(migrateToLatest(db)).rejects.toThrow(/It is unchanged/)
    await sql.raw('drop table node_leases').execute(db)
    await migrateToLatest(db)
    expect(await db.selectFrom('node_leases').selectAll().execute()).toEqual([])
  })

  test('move the texts of local changes beside the nodes', async () => {
    const db = openControlDb(tempDir())
    onTestFinished(() => db.destroy())
    const raw = db as unknown as Kysely<unknown>
    for (const step of [core, configs, rollouts, identities]) await step.up(raw)
    for (const id of ['a', 'b']) {
      await sql`insert into nodes (id, name, labels, merge_patch, revision, enrolled_at_ms, hostname,
        version, os, arch, capabilities, max_epoch, max_generation)
        values (${id}, ${id}, '{}', '{}', 1, 0, '', '', '', '', '[]', 0, 0)`.execute(db)
    }
    const drift = JSON.stringify({ digest: 'sha256:x', isServed: true, errors: [], atMs: 7 })
    await sql`update nodes set drift = ${drift}, drift_text = '{"ä":1}' where id = 'a'`.execute(db)
    await driftTexts.up(raw)
    const nodes = await db.selectFrom('nodes').select(['id', 'drift']).orderBy('id').execute()
    expect(nodes.map((node) => node.drift && JSON.parse(node.drift))).toEqual([
      { ...JSON.parse(drift), sizeBytes: 8 },
      null,
    ])
    expect(await db.selectFrom('drift_texts').selectAll().execute()).toEqual([
      { node_id: 'a', text: '{"ä":1}' },
    ])
  })
})

describe('the migration of the audit', () => {
  test('chains what there is, in batches, as what is to come', async () => {
    const db = openControlDb(tempDir())
    onTestFinished(() => db.destroy())
    const raw = db as unknown as Kysely<unknown>
    await core.up(raw)
    await sql`insert into meta values ('controlPlaneId', 'cp_1')`.execute(db)
    const node = `node_${'0'.repeat(26)}`
    const actors = [null, 'operator', node, 'anna']
    for (let i = 0; i < 1002; i += 1) {
      await sql`insert into events (at_ms, kind, object_id, action, actor, data)
        values (${i}, 'node', 'x', 'y', ${actors[i % 4]}, '{"half":"\\ud800","whole":"\\\\ud800"}')`.execute(
        db,
      )
    }
    await audit.up(raw)
    const rows = await db.selectFrom('events').selectAll().orderBy('id').limit(4).execute()
    expect(rows.map((row) => [row.via, row.by_whom])).toEqual([
      ['service', 'service'],
      ['operator', 'people'],
      ['agent', 'nodes'],
      ['session', 'people'],
    ])
    expect(JSON.parse(rows[0]?.data ?? '')).toEqual({ half: '\ufffd', whole: '\\ud800' })
    const write = createWrite({
      db,
      rowsChanged,
      now: () => 7,
      onEvents: () => {},
      withRoom: (attempt) => attempt(),
    })
    await write((unit) => unit.emit({ kind: 'node', id: 'x', action: 'z' }))
    expect(await verifyChain(db, { controlPlaneId: 'cp_1' })).toMatchObject({
      rows: 1003,
      broken: null,
    })
    await expect(db.deleteFrom('events').execute()).rejects.toThrow(/append-only/)
  })
})

describe('a full disk', () => {
  test('is said to be one, nothing of the write stays, and reading goes on', async () => {
    let now = Date.now()
    const service = await build({ now: () => now })
    const { db } = service.services
    const pages = await sql<{ page_count: number }>`pragma page_count`.execute(db)
    await sql.raw(`pragma max_page_count = ${pages.rows[0]?.page_count}`).execute(db)
    // Large enough that SQLite gives the whole transaction up by itself.
    const response = await service.admin.inject({
      method: 'POST',
      url: '/api/v1/configs/default/versions',
      payload: { text: `${CONFIG} // ${'x'.repeat(200_000)}`, parent: null, message: 'large' },
    })
    expect(response.json()).toMatchObject({ status: 507, code: 'storage_full' })
    expect(await db.selectFrom('configs').selectAll().execute()).toEqual([])
    // Late enough that the session is prolonged, which cannot be stored either.
    await sql.raw('pragma query_only = on').execute(db)
    now += 10 * 60_000
    expect((await service.admin.inject({ url: '/api/v1/nodes' })).statusCode).toBe(200)
    await sql.raw('pragma query_only = off').execute(db)
  })
})

describe('a database that another process holds', () => {
  test('is said to be held, and is written again afterwards', async () => {
    const { services, admin, config } = await build()
    await sql.raw('pragma busy_timeout = 20').execute(services.db)
    const other = openControlDb(config.dataDir)
    onTestFinished(() => other.destroy())
    const create = () =>
      admin.inject({ method: 'POST', url: '/api/v1/enrolment-tokens', payload: {} })
    await other.transaction().execute(async () => {
      expect((await create()).json()).toMatchObject({ status: 503, code: 'storage_busy' })
    })
    expect((await create()).statusCode).toBe(201)
  })
})

describe('a write', () => {
  test('is all or nothing: rows, events and effects', async () => {
    const { db, write } = await open(tempDir())
    const effects: string[] = []
    const failing = write(async (unit) => {
      await unit.trx.insertInto('enrolment_tokens').values(token('a')).execute()
      await unit.emit({ kind: 'node', id: 'a', action: 'created' })
      unit.afterCommit(() => effects.push('failed'))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await write(async (unit) => {
      unit.afterCommit(() => effects.push('committed'))
      expect(effects).toEqual([])
    })
    expect(effects).toEqual(['committed'])
    expect(await db.selectFrom('enrolment_tokens').selectAll().execute()).toEqual([])
    expect(await db.selectFrom('events').selectAll().execute()).toEqual([])
  })

  test('that reads first still waits for a writer in another process', async () => {
    const dataDir = tempDir()
    const { write, db } = await open(dataDir)
    // Holds the write lock for a while, from a process of its own.
    const holder = spawn(process.execPath, ['-e', HOLD_LOCK, join(dataDir, 'control.db')], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => {
      holder.kill()
    })
    await new Promise((locked) => holder.stdout.once('data', locked))
    await write(async ({ trx }) => {
      const row = await trx
        .selectFrom('meta')
        .select('value')
        .where('key', '=', 'epoch')
        .executeTakeFirstOrThrow()
      await trx
        .updateTable('meta')
        .set({ value: `${row.value}+ours` })
        .where('key', '=', 'epoch')
        .execute()
    })
    const rows = await db.selectFrom('meta').select('value').where('key', '=', 'epoch').execute()
    expect(rows).toEqual([{ value: 'theirs+ours' }])
  })
})

describe('the event log', () => {
  test('tells what was committed, in order and once', async () => {
    const { write, events } = await open(tempDir())
    const heard: string[] = []
    events.subscribe(({ event }) => heard.push(event.id))
    const ids = Array.from({ length: 30 }, (_, i) => `thing-${i}`)
    await Promise.all(
      ids.map((id) => write((unit) => unit.emit({ kind: 'node', id, action: 'changed' }))),
    )
    await expect.poll(() => heard).toEqual(ids)
    expect((await events.after(events.lastId() - 2, 10)).map(({ event }) => event.id)).toEqual(
      ids.slice(-2),
    )
  })
})

// SPDX-License-Identifier: MIT
// A control plane with a past is moved from SQLite into a real PostgreSQL, and goes on there.
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newIdentity } from '../../src/backup/seal.ts'
import { openStore } from '../../src/db/open.ts'
import { assign, enrolNode } from '../agents/node-client.ts'
import { type Built, build, tempDir } from '../helper.ts'
import { isOnPostgres } from '../postgres.ts'
import { start } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'
import { aTarget, countIn, move, stopsAtEvents } from './moving.ts'

const ASKED = [
  '/nodes',
  '/configs',
  '/configs/default/versions',
  '/rollouts',
  '/groups',
  '/audit?action=changed&limit=500',
  '/users',
  '/alert-rules',
  '/enrolment-tokens',
  '/webhooks',
  '/certificates',
  '/releases',
]

/** On SQLite, whatever the other tests are on. */
async function withAPast(): Promise<{ dataDir: string; answers: unknown }> {
  const dataDir = tempDir()
  const service = await build({ config: { dataDir, databaseUrl: null } })
  const { admin } = service
  const say = (method: 'POST' | 'PUT', url: string, payload: object) =>
    admin.inject({ method, url: `/api/v1${url}`, payload })
  const node = await enrolNode(service)
  await node.hello()
  await assign(service, { nodeId: node.id })
  const text = '{ "listen": [{ "port": 8080 }], "sites": [{ "hosts": ["*"], "root": "/srv/wwẅ" }] }'
  for (const parent of [null, 1]) {
    await say('POST', '/configs/default/versions', {
      ...{ text: parent ? text.replace('8080', '8081') : text, parent, message: 'It’s “more”' },
    })
  }
  await say('POST', '/groups', { name: 'racks', selector: 'rack=b1' })
  await say('POST', '/enrolment-tokens', { labels: { rack: 'b1' }, expiresInSeconds: 3600 })
  await service.as('viewer')
  await sql`insert into releases (config, version, at_ms) values ('default', 1, 1)`.execute(
    service.services.db,
  )
  await service.services.write(async (unit) => {
    for (let i = 0; i < 1200; i++)
      await unit.emit({ kind: 'node', id: `n${i}`, action: 'changed', data: { i } })
  })
  const answers = await answersOf(service)
  await service.close()
  return { dataDir, answers }
}

const standing = ({ id, name, labels, enrolledAt, bootId }: Record<string, unknown>) => ({
  ...{ id, name, labels, enrolledAt, bootId },
})

async function answersOf({ admin }: Built) {
  const all: Record<string, unknown> = {}
  for (const path of ASKED) {
    const answer = await admin.inject({ url: `/api/v1${path}` })
    expect(answer.statusCode, path).toBe(200)
    // Whether it is heard is of the process.
    const { items } = answer.json()
    all[path] = path === '/nodes' ? items.map(standing) : answer.json()
  }
  return all
}

describe.skipIf(!isOnPostgres)('migrate-to-postgres', () => {
  test('moves all there is: the API answers the same, the audit is whole, and the epoch is above both', async () => {
    const { dataDir, answers } = await withAPast()
    const url = await aTarget()
    const moved = await move(dataDir, url).ended
    expect(moved.code, moved.stderr).toBe(0)
    expect(moved.stdout).toMatch(/events: 1\d\d\d\n[\s\S]*rows are moved, and were read back/)

    const service = await build({ config: { dataDir, databaseUrl: url } })
    expect(await answersOf(service)).toEqual(answers)
    const verification = '/api/v1/audit/verification'
    await service.admin.inject({ method: 'POST', url: verification })
    await expect
      .poll(async () => (await service.admin.inject({ url: verification })).json().state)
      .toBe('whole')
    // Numbers that the database gives go on behind those that came.
    await sql`insert into releases (config, version, at_ms) values ('default', 2, 2)`.execute(
      service.services.db,
    )
    // The first start was epoch 1: however often an old program is started in the folder, it stays below.
    const rows = await sql<{ value: string }>`select value from meta where key = 'epoch'`.execute(
      service.services.db,
    )
    expect(rows.rows).toEqual([{ value: '1000002' }])
    const version = {
      text: '{ "sites": [{ "hosts": ["*"], "root": "/srv" }] }',
      parent: 2,
      message: 'm',
    }
    const made = await service.admin.inject({
      method: 'POST',
      url: '/api/v1/configs/default/versions',
      payload: version,
    })
    expect(made.statusCode, made.body).toBe(201)
    await service.close()

    await expect(build({ config: { dataDir, databaseUrl: null } })).rejects.toMatchObject({
      code: 'moved_to_postgres',
      message: expect.stringMatching(/was moved to postgres:\/\/localhost.*--undo/s),
    })
    expect((await move(dataDir, url).ended).stderr).toMatch(/was moved to/)
    expect((await move(dataDir, url, '--undo').ended).stdout).toMatch(/may start again/)
    const back = await build({ config: { dataDir, databaseUrl: null } })
    expect(await answersOf(back)).toEqual(answers)
  })

  test('a backup of one in PostgreSQL is restored to a folder, and moved into another database', async () => {
    const url = await aTarget()
    const service = await build({ config: { databaseUrl: url } })
    await service.services.write((unit) => unit.emit({ kind: 'node', id: 'n1', action: 'changed' }))
    const { dataDir } = service.config
    const { identity, recipient } = await newIdentity()
    const key = join(dataDir, 'identity')
    writeFileSync(key, `${identity}\n`, { mode: 0o600 })
    const file = join(dataDir, 'x.age')
    const admin = async (folder: string, at: string, ...words: string[]) => {
      const env = { FARMSTEAD_DATA_DIR: folder, ...(at && { DATABASE_URL: at }) }
      const done = await start(PROGRAMS.admin, words, env).ended
      expect(done.code, done.stderr).toBe(0)
      return done.stdout
    }
    await admin(dataDir, url, 'backup', '--to', file, '--recipient', recipient)
    // What is written since is not in it.
    await service.services.write((unit) => unit.emit({ kind: 'node', id: 'n2', action: 'changed' }))

    const restored = tempDir()
    const other = await aTarget()
    const said = await admin(restored, other, 'restore', file, '--identity', key, '--yes')
    expect(said).toMatch(/Now run "admin migrate-to-postgres"/)
    await admin(restored, other, 'migrate-to-postgres')
    const again = await build({ config: { dataDir: restored, databaseUrl: other } })
    const objects = async ({ admin: client }: Built) =>
      (await client.inject({ url: '/api/v1/audit?action=changed' }))
        .json()
        .items.map(({ object }: { object: string }) => object)
    expect([await objects(service), await objects(again)]).toEqual([['n2', 'n1'], ['n1']])
    const groups = async ({ admin: client }: Built) =>
      (await client.inject({ url: '/api/v1/groups' })).json()
    expect(await groups(again)).toEqual(await groups(service))
    expect((await again.admin.inject({ url: '/api/v1/recovery' })).json().recovery).not.toBeNull()
  })

  test('keeps nothing of a dry run', async () => {
    const { dataDir } = await withAPast()
    const url = await aTarget()
    const tried = await move(dataDir, url, '--dry-run').ended
    expect(tried.code, tried.stderr).toBe(0)
    expect(tried.stdout).toMatch(/can be moved\. Nothing was kept/)
    expect(await countIn(url, 'events')).toBe(0)
  })

  test('keeps nothing of one that is killed, nor when its session is, and leaves the folder as it was', async () => {
    const { dataDir } = await withAPast()
    const url = await aTarget()
    const stopped = await stopsAtEvents(url)
    const killed = move(dataDir, url)
    await stopped.isReached()
    killed.child.kill('SIGKILL')
    await killed.ended
    await stopped.endSession()
    const cutOff = move(dataDir, url)
    await stopped.isReached()
    await stopped.endSession()
    const { code, stderr } = await cutOff.ended
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^admin: The connection to PostgreSQL ended/),
    ])
    await stopped.letGo()
    expect(await countIn(url, 'users')).toBe(0)
    const service = await build({ config: { dataDir, databaseUrl: null } })
    await service.close()
    const again = await move(dataDir, url).ended
    expect(again.code, again.stderr).toBe(0)
    expect(await countIn(url, 'events')).toBeGreaterThan(1200)
  })

  test('refuses what it can’t do right, and says what to do', async () => {
    const { dataDir } = await withAPast()
    const url = await aTarget()
    const refused = async (folder: string, to: string) => {
      const { code, stderr } = await move(folder, to).ended
      expect(code).toBe(1)
      return stderr
    }
    expect(await refused(tempDir(), url)).toMatch(/must name the folder of the one to move/)
    expect(await refused(dataDir, '')).toMatch(/Set DATABASE_URL/)
    expect(await refused(dataDir, 'postgres://farmstead@127.0.0.1:9/x')).toMatch(/ECONNREFUSED/)

    const used = await build({ config: { databaseUrl: url } })
    expect(await refused(dataDir, url)).toMatch(/has the control plane cp_\w+ with 0 nodes in it/)
    await used.close()

    const running = await build({ config: { dataDir, databaseUrl: null } })
    expect(await refused(dataDir, await aTarget())).toMatch(/works in .*Stop it, then try again/)
    await running.close()
    const empty = await aTarget()

    const copy = tempDir()
    cpSync(join(dataDir, 'control.db'), join(copy, 'control.db'))
    const { db } = await openStore({ dataDir: copy, databaseUrl: null })
    await sql`drop trigger events_are_not_changed`.execute(db)
    await sql`update events set actor = 'mallory' where id = 3`.execute(db)
    await db.destroy()
    expect(existsSync(join(copy, 'control.db'))).toBe(true)
    expect(await refused(copy, empty)).toMatch(/The audit is not whole|not as its hash says/)
  })
})

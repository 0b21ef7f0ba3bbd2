// SPDX-License-Identifier: MIT
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newIdentity } from '../../src/backup/seal.ts'
import { unpackBackup } from '../../src/backup/unpack.ts'
import { migrations } from '../../src/db/migrate.ts'
import { isDue, judgeBackups, type Known, superfluous } from '../../src/features/backups/rules.ts'
import { knownBackups } from '../../src/features/backups/store.ts'
import { beginRecovery } from '../../src/recovery.ts'
import { openServices } from '../../src/services.ts'
import { assign, enrolNode, example, post } from '../agents/node-client.ts'
import { type Built, build, tempDir } from '../helper.ts'

const HOUR_MS = 3600_000
const key = await newIdentity()
const settings = (changes = {}) => ({
  dir: join(tempDir(), 'backups'),
  recipients: [key.recipient],
  everyHours: 0,
  keep: 3,
  ...changes,
})

const create = ({ admin }: Built) => admin.inject({ method: 'POST', url: '/api/v1/backups' })
const list = async ({ admin }: Built) =>
  (await admin.inject({ url: '/api/v1/backups' })).json().items
const one = async ({ admin }: Built, id: string) =>
  (await admin.inject({ url: `/api/v1/backups/${id}` })).json()
const health = async ({ anonymous }: Built) =>
  (await anonymous.inject({ url: '/api/v1/health' }))
    .json()
    .checks.find(({ name }: { name: string }) => name === 'backup')

async function made(service: Built): Promise<string> {
  const { id } = (await create(service)).json()
  await service.backups?.idle()
  return id
}

describe('the rules of backups', () => {
  const known = (
    state: Known['state'],
    hoursAgo: number,
    trigger: Known['trigger'] = 'schedule',
  ) => ({
    id: `${state}${hoursAgo}`,
    state,
    trigger,
    createdAtMs: -hoursAgo * HOUR_MS,
  })

  test.each<[string, Known[], number, boolean]>([
    ['never by itself', [], 0, false],
    ['the first at once', [], 24, true],
    ['not before its time', [known('done', 23)], 24, false],
    ['at its time', [known('done', 24)], 24, true],
    ['one made by hand counts', [known('done', 2, 'manual'), known('done', 30)], 24, false],
    ['none beside one that runs', [known('running', 1), known('done', 30)], 24, false],
    ['a failed one soon again', [known('failed', 0.2), known('done', 30)], 24, true],
    ['but not at once', [known('failed', 0.1), known('done', 30)], 24, false],
    ['a failure by hand does not delay', [known('failed', 0.1, 'manual')], 24, true],
  ])('a backup is due: %s', (_, backups, everyHours, due) => {
    expect(isDue(backups, everyHours, 0)).toBe(due)
  })

  test('keep the newest good ones, and failures for a while', () => {
    const backups = [known('failed', 1), known('done', 2), known('done', 3), known('done', 4)]
    expect(superfluous(backups, 2).map(({ id }) => id)).toEqual(['done4'])
    expect(superfluous(backups, 3)).toEqual([])
    const failures = Array.from({ length: 25 }, (_, i) => known('failed', i))
    expect(superfluous([...failures, known('done', 99)], 1)).toEqual(failures.slice(20))
  })

  test.each<[Known[], boolean, RegExp]>([
    [[], true, /none yet/],
    [[known('done', 20)], true, /20 h old/],
    [[known('running', 0), known('done', 20)], true, /20 h old/],
    [[known('done', 40)], false, /40 h old/],
    [[known('failed', 1), known('done', 20)], false, /20 h old, and the last attempt failed/],
  ])('say whether all is well: %j', (backups, ok, message) => {
    const verdict = judgeBackups(backups, { everyHours: 24, sinceMs: -HOUR_MS, nowMs: 0 })
    expect(verdict).toEqual({ ok, message: expect.stringMatching(message) })
  })

  test('miss the first one when the service has run for long without', () => {
    const at = { everyHours: 24, sinceMs: -40 * HOUR_MS, nowMs: 0 }
    expect(judgeBackups([], at).ok).toBe(false)
  })
})

describe('POST /backups', () => {
  test('is refused while nobody could open one, and says what to set', async () => {
    const service = await build()
    expect((await create(service)).json()).toMatchObject({
      status: 409,
      code: 'backups_not_configured',
      detail: expect.stringContaining('FARMSTEAD_BACKUP_RECIPIENTS'),
    })
    expect(await health(service)).toMatchObject({ ok: true })
    const shown = await service.admin.inject({ url: '/api/v1/backups/settings' })
    expect(shown.json()).toMatchObject({ configured: false })
  })

  test('makes one that its key opens, and tells', async () => {
    const backups = settings()
    const service = await build({ config: { backups } })
    const response = await create(service)
    expect(response.statusCode).toBe(202)
    expect(response.json()).toMatchObject({ state: 'running', createdBy: 'test-admin' })
    const { id } = response.json()
    expect(response.headers.location).toBe(`/api/v1/backups/${id}`)
    await service.backups?.idle()
    const done = await one(service, id)
    expect(done).toMatchObject({ state: 'done', trigger: 'manual', epoch: 1, reason: '' })
    expect(await list(service)).toEqual([done])
    const content = await service.admin.inject({ url: `/api/v1/backups/${id}/content` })
    expect(content.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${done.fileName}"`,
    })
    const file = join(tempDir(), 'fetched.age')
    writeFileSync(file, content.rawPayload)
    const source = { file, identities: [key.identity], knownSteps: Object.keys(migrations) }
    const manifest = await unpackBackup(source, join(tempDir(), 'content'))
    expect(manifest.controlPlaneId).toBe(service.services.controlPlaneId)
    const events = await service.services.db
      .selectFrom('events')
      .select(['action', 'actor'])
      .where('object_id', '=', id)
      .execute()
    expect(events).toEqual([
      { action: 'started', actor: 'test-admin' },
      { action: 'done', actor: null },
    ])
  })

  test('makes one at a time', async () => {
    const service = await build({ config: { backups: settings() } })
    const answers = await Promise.all([create(service), create(service)])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 409])
    await service.backups?.idle()
    expect(await list(service)).toHaveLength(1)
  })

  test('keeps the newest and lets the others go, with their files', async () => {
    const backups = settings({ keep: 2 })
    const service = await build({ config: { backups } })
    const ids = [await made(service), await made(service), await made(service)]
    const left = await list(service)
    expect(left.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]])
    expect(readdirSync(backups.dir).sort()).toEqual(
      left.map(({ fileName }: { fileName: string }) => fileName).sort(),
    )
  })

  test('that cannot be written fails, says why, and counts as such', async () => {
    const backups = settings()
    writeFileSync(backups.dir, 'a file where the folder should be')
    const service = await build({ config: { backups } })
    await made(service)
    expect(await list(service)).toMatchObject([
      { state: 'failed', reason: expect.stringMatching(/EEXIST|ENOTDIR/) },
    ])
  })
})

describe('a backup', () => {
  test('is deleted with its file', async () => {
    const backups = settings()
    const service = await build({ config: { backups } })
    const id = await made(service)
    const remove = () => service.admin.inject({ method: 'DELETE', url: `/api/v1/backups/${id}` })
    expect((await remove()).statusCode).toBe(204)
    expect(readdirSync(backups.dir)).toEqual([])
    expect((await remove()).json()).toMatchObject({ status: 404, code: 'backup_not_found' })
  })

  test('whose file is gone says so', async () => {
    const backups = settings()
    const service = await build({ config: { backups } })
    const id = await made(service)
    rmSync(backups.dir, { recursive: true })
    const content = await service.admin.inject({ url: `/api/v1/backups/${id}/content` })
    expect(content.json()).toMatchObject({ status: 410, code: 'backup_file_gone' })
  })

  test('is pages of a list', async () => {
    const service = await build({ config: { backups: settings() } })
    const ids = [await made(service), await made(service)].reverse()
    const url = '/api/v1/backups?limit=1'
    const first = (await service.admin.inject({ url })).json()
    const second = (await service.admin.inject({ url: `${url}&cursor=${first.nextCursor}` })).json()
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
    expect(second.nextCursor).toBeNull()
  })
})

describe('the schedule', () => {
  test('makes the first one at the start and the next when it is due', async () => {
    let now = Date.now()
    const backups = settings({ everyHours: 24 })
    const service = await build({ config: { backups }, now: () => now })
    const states = async () =>
      (await knownBackups(service.services.db)).map(({ state }) => state).join()
    await expect.poll(states, { timeout: 15_000 }).toBe('done')
    now += 23 * HOUR_MS
    await service.backups?.look()
    expect(await states()).toBe('done')
    now += HOUR_MS
    await service.backups?.look()
    await service.backups?.idle()
    expect(await states()).toBe('done,done')
    expect(await health(service)).toEqual({ name: 'backup', ok: true, message: expect.any(String) })
  })

  test('that fails is seen in the health, and tried again', async () => {
    let now = Date.now()
    const backups = settings({ everyHours: 24 })
    // What stands where the file is to be written makes each attempt fail.
    const blocked = `${backups.dir}.blocked`
    writeFileSync(blocked, '')
    const service = await build({
      config: { backups: { ...backups, dir: join(blocked, 'x') } },
      now: () => now,
    })
    await expect
      .poll(() => list(service), { timeout: 15_000 })
      .toMatchObject([{ state: 'failed', trigger: 'schedule', createdBy: null }])
    expect(await health(service)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/the last attempt failed/),
    })
    rmSync(blocked)
    now += 11 * 60_000
    await service.backups?.look()
    await service.backups?.idle()
    expect(await health(service)).toMatchObject({ ok: true })
  })
})

describe('a start', () => {
  test('says of what was cut short that it failed, and clears it away', async () => {
    const backups = settings()
    const first = await build({ config: { backups } })
    const { dataDir } = first.config
    await first.services.db
      .insertInto('backups')
      .values({
        id: `backup_${'0'.repeat(26)}`,
        state: 'running',
        trigger: 'manual',
        file_name: 'cut.age',
        created_by: null,
        created_at_ms: 0,
        reason: '',
      })
      .execute()
    await first.close()
    mkdirSync(backups.dir, { recursive: true })
    writeFileSync(join(backups.dir, 'cut.age.tmp'), 'half')
    mkdirSync(join(dataDir, 'backup.work-999999999-abc'))
    const second = await build({ config: { backups, dataDir } })
    expect(await list(second)).toMatchObject([
      { state: 'failed', reason: 'the service ended meanwhile' },
    ])
    expect(readdirSync(backups.dir)).toEqual([])
    expect(readdirSync(dataDir).join()).not.toMatch(/backup\.work/)
  })

  test('finds the backups that an older database does not know', async () => {
    const backups = settings()
    const first = await build({ config: { backups } })
    const id = await made(first)
    const { createdAt } = await one(first, id)
    await first.close()
    const second = await build({ config: { backups } })
    const [found] = await list(second)
    expect(found).toMatchObject({ id, state: 'done' })
    expect(Math.abs(Date.parse(found.createdAt) - Date.parse(createdAt))).toBeLessThan(5000)
    const content = await second.admin.inject({ url: `/api/v1/backups/${id}/content` })
    expect(content.rawPayload).toEqual(readFileSync(join(backups.dir, found.fileName)))
  })
})

describe('a control plane that was restored', () => {
  /** As `admin restore` leaves it. */
  async function restored(prepare: (service: Built) => Promise<void> = async () => {}) {
    const before = await build()
    await prepare(before)
    const { dataDir } = before.config
    await before.close()
    const services = await openServices({ dataDir })
    const at = Date.now()
    await services.write((unit) =>
      beginRecovery(unit, { restoredAtMs: at, backupCreatedAtMs: at - HOUR_MS }),
    )
    await services.close()
    return await build({ config: { dataDir } })
  }
  const confirm = (service: Built, payload = {}) =>
    service.admin.inject({ method: 'POST', url: '/api/v1/recovery/confirm', payload })
  const show = async ({ admin }: Built) =>
    (await admin.inject({ url: '/api/v1/recovery' })).json().recovery

  test('says so, and gives nodes nothing', async () => {
    const service = await restored()
    expect(await show(service)).toMatchObject({ nodes: 0, unheard: [], highestEpoch: 0, epoch: 2 })
    expect(await health(service)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/until somebody confirms/),
    })
    const node = await enrolNode(service)
    await node.hello({ fences: { maxEpoch: 9, maxGeneration: 4 } })
    await expect(assign(service, { nodeId: node.id })).rejects.toMatchObject({
      code: 'in_recovery',
    })
    expect((await node.desired(null)).json()).toEqual({ assignment: null })
  })

  test('offers nothing of what it had assigned before, and goes on above every epoch it heard', async () => {
    let id = ''
    let credential = ''
    const service = await restored(async (before) => {
      const node = await enrolNode(before)
      id = node.id
      credential = node.credential ?? ''
      await node.hello()
      await assign(before, { nodeId: id })
    })
    const [name] = (await show(service)).unheard
    expect(name).toBeTruthy()
    expect((await confirm(service)).json()).toMatchObject({
      status: 409,
      code: 'nodes_unheard',
      detail: expect.stringContaining(name),
    })
    const say = (message: string, body: object) => post(service, message, body, credential)
    await say('hello', {
      ...example('hello.request.first'),
      nodeId: id,
      fences: { maxEpoch: 41, maxGeneration: 7 },
    })
    const ask = () => say('desired', { ...example('desired.request'), have: null, waitMs: 0 })
    expect((await ask()).json()).toEqual({ assignment: null })
    expect(await show(service)).toMatchObject({ unheard: [], highestEpoch: 41 })
    const confirmed = await confirm(service)
    expect([confirmed.statusCode, confirmed.json()]).toEqual([200, { recovery: null }])
    await assign(service, { nodeId: id })
    expect((await ask()).json().assignment).toMatchObject({ epoch: 42, generation: 8 })
    expect((await confirm(service)).json()).toMatchObject({ status: 409, code: 'not_in_recovery' })
    const { dataDir } = service.config
    await service.close()
    const again = await build({ config: { dataDir } })
    expect((await again.admin.inject({ url: '/api/v1/system' })).json().epoch).toBe(43)
    expect(await show(again)).toBeNull()
  })

  test('goes on without nodes that are gone, when told to', async () => {
    const service = await restored(async (before) => {
      await (await enrolNode(before)).hello()
    })
    expect((await confirm(service, { withoutUnheard: true })).statusCode).toBe(200)
  })
})

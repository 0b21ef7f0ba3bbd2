// SPDX-License-Identifier: MIT
// The keeper over real stores and files, with the clock in the test's hand.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backUpInWorker } from '../../../src/backup/in-worker.ts'
import { newIdentity } from '../../../src/backup/seal.ts'
import { openKeeper } from '../../../src/features/backups/keeper.ts'
import { findBackup, knownBackups } from '../../../src/features/backups/store.ts'
import { openServices } from '../../../src/process/services.ts'
import { tempDir } from '../../helper.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const key = await newIdentity()

type Options = {
  everyHours?: number
  keep?: number
  dir?: string
  dataDir?: string
  nowMs?: number
}

async function open({
  everyHours = 0,
  keep = 3,
  dir = join(tempDir(), 'backups'),
  dataDir = tempDir(),
  nowMs = Date.now(),
}: Options = {}) {
  const clock = { nowMs }
  const now = () => clock.nowMs
  const services = await openServices({ dataDir }, now)
  const errors: unknown[] = []
  const keeper = await openKeeper({
    ...{
      db: services.db,
      write: services.write,
      now,
      dataDir,
      databaseUrl: null,
      version: '0.1.0',
    },
    config: { dir, recipients: [key.recipient], everyHours, keep },
    run: backUpInWorker,
    onError: (error) => errors.push(error),
  })
  let isOpen = true
  const close = async () => {
    if (isOpen) await keeper.close()
    if (isOpen) await services.close()
    isOpen = false
  }
  onTestFinished(close)
  const known = () => knownBackups(services.db)
  return {
    ...{ services, keeper, clock, dir, dataDir, errors, known, close },
    states: async () => (await known()).map(({ state }) => state).join(),
    files: () => readdirSync(dir).sort(),
    /** Its id, when it has ended. */
    make: async () => {
      const id = await keeper.begin('manual', 'ana')
      await keeper.idle()
      return id
    },
    /** As its timer does, each minute. */
    look: async () => {
      await keeper.look()
      await keeper.idle()
    },
  }
}
type Opened = Awaited<ReturnType<typeof open>>

const actions = async ({ services }: Opened, id: string) =>
  (
    await services.db
      .selectFrom('events')
      .select(['action', 'actor'])
      .where('object_id', '=', id)
      .execute()
  ).map(({ action, actor }) => `${action} by ${actor ?? 'nobody'}`)

const untilDone = (opened: Opened, states: string) => expect.poll(opened.states).toBe(states)

describe('the schedule', () => {
  test('makes the first one at the start, the next when it is due, and keeps the newest', async () => {
    const opened = await open({ everyHours: 24, keep: 2 })
    const { keeper, clock, look, known, files } = opened
    await untilDone(opened, 'done')
    clock.nowMs += 23 * HOUR_MS
    await look()
    expect(await opened.states()).toBe('done')
    for (const day of [2, 3]) {
      clock.nowMs += 24 * HOUR_MS
      await look()
      expect((await known()).length, `day ${day}`).toBe(2)
    }
    const left = await known()
    expect(left.map(({ createdAtMs }) => clock.nowMs - createdAtMs)).toEqual([0, 24 * HOUR_MS])
    expect(files()).toEqual(left.map(({ fileName }) => fileName).sort())
    expect(await actions(opened, left[0]?.id ?? '')).toEqual([
      'started by nobody',
      'done by nobody',
    ])
    expect(await keeper.check()).toEqual({ ok: true, message: 'the newest is 0 min old' })
  })

  test('that fails tells, is not well, and tries again in ten minutes', async () => {
    const dataDir = tempDir()
    const blocked = join(dataDir, 'blocked')
    // A file where the folder should be makes each attempt fail.
    writeFileSync(blocked, '')
    const opened = await open({ everyHours: 24, dataDir, dir: join(blocked, 'backups') })
    const { keeper, clock, look, known, services } = opened
    await untilDone(opened, 'failed')
    const [failed] = await known()
    expect(await actions(opened, failed?.id ?? '')).toEqual([
      'started by nobody',
      'failed by nobody',
    ])
    const row = await findBackup(services.db, failed?.id ?? '')
    expect(row?.reason).toMatch(/EEXIST|ENOTDIR/)
    const failing = expect.stringMatching(/none yet, and the last attempt failed/)
    expect(await keeper.check()).toEqual({ ok: false, message: failing })
    rmSync(blocked)
    clock.nowMs += 9 * MINUTE_MS
    await look()
    expect(await opened.states()).toBe('failed')
    clock.nowMs += MINUTE_MS
    await look()
    expect(await opened.states()).toBe('done,failed')
    expect(await keeper.check()).toMatchObject({ ok: true })
    expect(opened.errors).toHaveLength(1)
  })

  test('that is off makes none', async () => {
    const { look, clock, states } = await open({ everyHours: 0 })
    clock.nowMs += 1000 * HOUR_MS
    await look()
    expect(await states()).toBe('')
  })
})

test('one is made at a time', async () => {
  const { keeper, known } = await open()
  const attempts = await Promise.allSettled([
    keeper.begin('manual', 'ana'),
    keeper.begin('manual', 'ben'),
  ])
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(attempts.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'backup_running' },
  })
  await keeper.idle()
  expect(await known()).toHaveLength(1)
})

describe('a start', () => {
  test('says of what was cut short that it failed, and clears it away', async () => {
    const first = await open()
    const id = `backup_${'0'.repeat(26)}`
    await first.services.db
      .insertInto('backups')
      .values({
        ...{ id, state: 'running', trigger: 'manual', file_name: 'cut.age', created_by: null },
        ...{ created_at_ms: 0, reason: '' },
      })
      .execute()
    await first.close()
    const { dir, dataDir } = first
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'cut.age.tmp'), 'half')
    mkdirSync(join(dataDir, 'backup.work-999999999-abc'))
    const second = await open({ dir, dataDir })
    expect(await findBackup(second.services.db, id)).toMatchObject({
      state: 'failed',
      reason: 'the service ended meanwhile',
    })
    expect(second.files()).toEqual([])
    expect(readdirSync(dataDir).join()).not.toMatch(/backup\.work/)
  })

  test('finds the backups that an older database does not know', async () => {
    const first = await open()
    const id = await first.make()
    const [made] = await first.known()
    await first.close()
    const second = await open({ dir: first.dir })
    expect(await second.known()).toMatchObject([{ id, state: 'done', fileName: made?.fileName }])
    expect(await actions(second, id)).toEqual(['found by nobody'])
  })
})

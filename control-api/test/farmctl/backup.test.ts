// SPDX-License-Identifier: MIT
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newIdentity } from '../../src/backup/seal.ts'
import { beginRecovery } from '../../src/control-plane/recovery.ts'
import { openServices } from '../../src/process/services.ts'
import { tempDir } from '../helper.ts'
import { FARMCTL_TEST_MS, farmctl } from './helper.ts'

const key = await newIdentity()
const backups = () => ({ dir: tempDir(), recipients: [key.recipient], everyHours: 0, keep: 3 })

describe('backup', { timeout: FARMCTL_TEST_MS }, () => {
  test('is made, listed, fetched whole and deleted', async () => {
    const settings = backups()
    const { run, json, home } = await farmctl({ config: { backups: settings } })
    const made = await run(['backup', 'create'])
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^backup_\w+: done\n$/)])
    const { items } = (await json('backup', 'list')) as {
      items: { id: string; fileName: string }[]
    }
    const [{ id, fileName } = { id: '', fileName: '' }] = items
    expect((await run(['backup', 'download', '-o', 'control.age'])).code).toBe(0)
    const copy = readFileSync(join(home, 'control.age'))
    expect(copy.equals(readFileSync(join(settings.dir, fileName)))).toBe(true)

    writeFileSync(join(settings.dir, fileName), copy.subarray(0, -1))
    const broken = await run(['backup', 'download', id, '-o', 'broken.age'])
    expect(broken.code).toBe(1)
    expect(existsSync(join(home, 'broken.age'))).toBe(false)
    expect((await run(['backup', 'remove', id, '--yes'])).code).toBe(0)
    expect((await run(['backup', 'download'])).stderr).toMatch(/farmctl backup create/)
  })

  test('that nobody set up says how to', async () => {
    const { run } = await farmctl()
    const { code, stderr } = await run(['backup', 'create'])
    expect([code, stderr]).toEqual([6, expect.stringContaining('FARMSTEAD_BACKUP_RECIPIENTS')])
  })
})

/** A data folder as `admin restore` leaves it. */
async function restoredDir(): Promise<string> {
  const dataDir = tempDir()
  const services = await openServices({ dataDir })
  const at = Date.now()
  await services.write((unit) =>
    beginRecovery(unit, { restoredAtMs: at, backupCreatedAtMs: at - 1000 }),
  )
  await services.close()
  return dataDir
}

describe('recovery', { timeout: FARMCTL_TEST_MS }, () => {
  test('is told, and refused to be confirmed where there is none', async () => {
    const { run } = await farmctl()
    const status = await run(['recovery', 'status'])
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/not in recovery/)])
    expect((await run(['recovery', 'confirm', '--yes'])).code).toBe(6)
  })

  test('ends when its operator confirms it', async () => {
    const { run } = await farmctl({ config: { dataDir: await restoredDir() } })
    const waits = await run(['recovery', 'status'])
    expect([waits.code, waits.stderr]).toEqual([4, expect.stringMatching(/recovery confirm/)])
    expect((await run(['recovery', 'confirm'])).stderr).toMatch(/Add --yes/)
    expect((await run(['recovery', 'confirm', '--yes'])).stdout).toBe('It goes on.\n')
    expect((await run(['recovery', 'status'])).code).toBe(0)
  })
})

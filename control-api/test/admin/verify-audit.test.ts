// SPDX-License-Identifier: MIT
// The audit from outside the service: the operator's command, and writers in several processes.

import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifyDatabase, verifyFile } from '../../src/admin/verify-audit.ts'
import { openSecretBox } from '../../src/base/secret-box.ts'
import type { StorePlace } from '../../src/db/store.ts'
import { exportAudit } from '../../src/features/audit/export.ts'
import { openServices } from '../../src/process/services.ts'
import { tamper } from '../audit/tamper.ts'
import { tempDir } from '../helper.ts'
import { placeOf } from '../postgres.ts'
import { start } from '../processes.ts'
import { PROGRAMS } from '../programs.ts'

/** For programs: where the store is. */
const envOf = ({ dataDir, databaseUrl }: StorePlace) => ({
  FARMSTEAD_DATA_DIR: dataDir,
  ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
})

const admin = async (place: StorePlace, ...args: string[]) => {
  const env = envOf(place)
  const { code, stdout, stderr } = await start(PROGRAMS.admin, ['verify-audit', ...args], env).ended
  return { code, out: stdout + stderr }
}

async function withEvents(count: number) {
  const place = await placeOf(tempDir())
  const services = await openServices(place)
  // As every service that ran there leaves it.
  openSecretBox(place.dataDir)
  onTestFinished(() => services.close())
  for (let i = 1; i <= count; i += 1) {
    await services.write((unit) => unit.emit({ kind: 'node', id: `n${i}`, action: 'changed' }))
  }
  return { place, services }
}

async function exported({ db, controlPlaneId }: Awaited<ReturnType<typeof openServices>>) {
  const path = join(tempDir(), 'audit.ndjson')
  const lines = exportAudit(db, { format: 'ndjson', filter: {}, controlPlaneId })
  writeFileSync(path, (await Readable.from(lines).toArray()).join(''))
  return path
}

describe('the chain', () => {
  test('stays whole while three processes write it at once', { timeout: 60_000 }, async () => {
    const { place, services } = await withEvents(1)
    const writers = ['left', 'right'].map((name) =>
      start(resolve(import.meta.dirname, '../write-events.ts'), [name, '60'], envOf(place)),
    )
    for (let i = 0; i < 60; i += 1) {
      await services.write((unit) => unit.emit({ kind: 'node', id: 'here', action: 'changed' }))
    }
    const ended = await Promise.all(writers.map((writer) => writer.ended))
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(await verifyDatabase(services, undefined)).toMatchObject({ ok: true, rows: 181 })
  })
})

describe('admin verify-audit', () => {
  test('says that it is whole, and prints the head to note', { timeout: 60_000 }, async () => {
    const { place, services } = await withEvents(3)
    const { head } = await verifyDatabase(services, undefined)
    expect(await admin(place)).toEqual({
      code: 0,
      out: expect.stringMatching(`Whole: 3 rows.*\n.*row 3, ${head}\n.*--head`),
    })
    expect((await admin(place, '--head', head)).out).toMatch(/The noted head is row 3/)
    expect((await admin(place, '--head', 'x')).code).toBe(2)
  })

  test('finds a row that was changed behind our back', { timeout: 60_000 }, async () => {
    const { place, services } = await withEvents(3)
    await tamper(services.db, `update events set actor = 'mallory' where id = 2`)
    expect(await admin(place)).toEqual({
      code: 1,
      out: expect.stringMatching(/Broken at row 2: it is not as its hash says/),
    })
  })

  test('finds a tail that was cut off by a noted head, and by that alone', async () => {
    const { services } = await withEvents(3)
    const { head } = await verifyDatabase(services, undefined)
    await tamper(services.db, 'delete from events where id = 3')
    expect(await verifyDatabase(services, undefined)).toMatchObject({ ok: true, rows: 2 })
    expect(await verifyDatabase(services, head)).toMatchObject({ ok: false, notedRow: null })
  })

  test('verifies an export without the database', { timeout: 60_000 }, async () => {
    const { services } = await withEvents(3)
    const path = await exported(services)
    const { head } = await verifyDatabase(services, undefined)
    expect(await verifyFile(path, head)).toMatchObject({ ok: true, rows: 3, head, notedRow: 3 })
    expect((await admin({ dataDir: '/nowhere', databaseUrl: null }, '--file', path)).code).toBe(0)
  })

  test.each([
    ['changed', (lines: string[]) => lines.with(1, (lines[1] ?? '').replace('n2', 'n9')), 2],
    ['removed', (lines: string[]) => lines.toSpliced(1, 1), 3],
    ['swapped', ([a = '', b = '', c = '']: string[]) => [a, c, b], 3],
  ])('finds a line that was %s', async (_what, change, brokenAt) => {
    const { services } = await withEvents(3)
    const path = await exported(services)
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    writeFileSync(path, `${change(lines).join('\n')}\n`)
    expect(await verifyFile(path, undefined)).toMatchObject({ ok: false, brokenAt })
  })

  test('says which line of a file is no entry', async () => {
    const path = join(tempDir(), 'audit.ndjson')
    writeFileSync(path, '{"id":1}\n')
    await expect(verifyFile(path, undefined)).rejects.toThrow(/Line 1 is no entry/)
  })
})

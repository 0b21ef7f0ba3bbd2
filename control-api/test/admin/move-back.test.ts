// SPDX-License-Identifier: MIT
// A backup of PostgreSQL is made while others write: it is of one moment, with nothing half in it.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { copyToFile } from '../../src/db/move/to-file.ts'
import { openControlDb } from '../../src/db/sqlite/open.ts'
import { verifyChain } from '../../src/features/audit/verify.ts'
import { build, tempDir } from '../helper.ts'
import { isOnPostgres } from '../postgres.ts'

describe.skipIf(!isOnPostgres)('a copy of what PostgreSQL holds', () => {
  test('has of each write all or nothing, though writes go on while it is made', async () => {
    const { services, config } = await build()
    const { write } = services
    // Tables are read one after the other: nodes' tokens long before the audit.
    const once = (i: number) =>
      write(async ({ trx, emit }) => {
        await trx
          .insertInto('alert_silences')
          .values({
            ...{ id: newId('silence'), reason: `${i}`, until_ms: 1, created_at_ms: 1 },
            created_by: 'ana',
          })
          .execute()
        await emit({ kind: 'alert', id: `${i}`, action: 'silenced-in-a-test' })
      })
    let isMade = false
    let written = 0
    const folder = tempDir()
    const writing = (async () => {
      while (!isMade || written < 20) await once(written++)
    })()
    await expect.poll(() => written).toBeGreaterThan(5)
    await copyToFile(config.databaseUrl ?? '', folder)
    isMade = true
    await writing

    const sqlite = new Sqlite(join(folder, 'control.db'), { readonly: true })
    const count = (text: string) => Number(sqlite.prepare(text).pluck().get())
    const silences = count('select count(*) from alert_silences')
    const events = count(`select count(*) from events where action = 'silenced-in-a-test'`)
    sqlite.close()
    expect(silences).toBe(events)
    expect(silences).toBeGreaterThan(5)
    expect(silences).toBeLessThan(written)
    const db = openControlDb(folder)
    const { controlPlaneId } = services
    expect(await verifyChain(db, { controlPlaneId })).toMatchObject({ broken: null })
    await db.destroy()
  })
})

// SPDX-License-Identifier: MIT
// What PostgreSQL refuses is said as what SQLite refuses: by its name, with nothing written, and over when it is over.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/db/open.ts'
import { RESERVE_FILE } from '../../../src/storage/reserve.ts'
import { type Built, build } from '../../helper.ts'
import { isOnPostgres } from '../../postgres.ts'

const makeToken = ({ admin }: Built) =>
  admin.inject({ method: 'POST', url: '/api/v1/enrolment-tokens', payload: {} })

/** Each token is refused as PostgreSQL refuses what it has no room for. */
async function fillDisk({ services: { db } }: Built): Promise<() => Promise<unknown>> {
  await sql`create function has_no_room() returns trigger language plpgsql as $$ begin
    raise exception using errcode = 'disk_full', message = 'could not extend file'; end $$`.execute(
    db,
  )
  await sql`create trigger has_no_room before insert on enrolment_tokens execute function has_no_room()`.execute(
    db,
  )
  return () => sql`drop trigger has_no_room on enrolment_tokens`.execute(db)
}

describe.skipIf(!isOnPostgres)('PostgreSQL', () => {
  test('without room is said to be full; measurements, which are elsewhere, do not give way for it', async () => {
    const service = await build()
    const reserve = join(service.config.dataDir, RESERVE_FILE)
    await expect.poll(() => statSync(reserve, { throwIfNoEntry: false })).toBeDefined()
    const { ino } = statSync(reserve)
    const makeRoom = await fillDisk(service)
    expect((await makeToken(service)).json()).toMatchObject({ status: 507, code: 'storage_full' })
    expect(statSync(reserve).ino).toBe(ino)
    await makeRoom()
    expect((await makeToken(service)).statusCode).toBe(201)
  })

  test('that another one holds is said to be held, and is written again afterwards', async () => {
    const service = await build()
    await sql`set lock_timeout = 20`.execute(service.services.db)
    const other = await openStore(service.config)
    onTestFinished(() => other.db.destroy())
    await other.db.transaction().execute(async () => {
      expect((await makeToken(service)).json()).toMatchObject({ status: 503, code: 'storage_busy' })
    })
    expect((await makeToken(service)).statusCode).toBe(201)
  })

  test('is waited for no longer than SQLite is', async () => {
    const { services } = await build()
    const { rows } = await sql`show lock_timeout`.execute(services.db)
    expect(rows).toEqual([{ lock_timeout: '5s' }])
  })
})

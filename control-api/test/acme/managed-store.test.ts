// SPDX-License-Identifier: MIT
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { failingManaged } from '../../src/acme/managed-store.ts'
import { openServices } from '../../src/process/services.ts'
import { tempDir } from '../helper.ts'
import { placeOf } from '../postgres.ts'

test('of those that fail, what never had a certificate is first, then what was due first', async () => {
  const { db, close } = await openServices(await placeOf(tempDir()))
  onTestFinished(close)
  const add = (name: string, renewAtMs: number | null, error: string | null = 'refused') =>
    sql`insert into managed_certificates (name, revision, names, key_type, authorities, challenge, roll_out, random,
        renew_at_ms, next_action_at_ms, last_error, created_at_ms, created_by)
      values (${name}, 1, '[]', 'p256', '[]', 'http-01', 0, 0.5, ${renewAtMs}, 1, ${error}, 1, 'ana')`.execute(
      db,
    )
  await add('second', 20)
  await add('not-due', 200)
  await add('first', 10)
  await add('never', null)
  await add('well', 5, null)
  expect(await failingManaged(db, 100, 10)).toEqual(['never', 'first', 'second'])
})

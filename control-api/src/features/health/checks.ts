// SPDX-License-Identifier: MIT
// Each finds out for itself; a check that throws is a check that failed.
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { NodeBinary } from '../../node-binary.ts'
import type { Check } from './routes.ts'

export async function checkControlDb(db: Kysely<Database>): Promise<Check> {
  await sql`select 1 from meta`.execute(db)
  return { ok: true, message: 'control.db answers' }
}

export async function checkNodeBinary({ path, version }: NodeBinary): Promise<Check> {
  const found = await version()
  return found
    ? { ok: true, message: `farmstead-node ${found}` }
    : {
        ok: false,
        message: `${path} does not run: set FARMSTEAD_NODE_BINARY to farmstead-node, without it no config can be checked`,
      }
}

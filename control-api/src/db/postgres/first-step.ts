// SPDX-License-Identifier: MIT
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { insertRules } from '../migrations/066-alerts.ts'
import { FUNCTIONS } from './functions.ts'
import { ROWS, TABLES, TRIGGERS } from './tables.ts'

export const postgresTables: Migration = {
  async up(db) {
    for (const statements of [...FUNCTIONS, TABLES, TRIGGERS, ROWS]) {
      await sql.raw(statements).execute(db)
    }
    await insertRules(db)
  },
}

// SPDX-License-Identifier: MIT
import type { Kysely } from 'kysely'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { Contents } from './contents.ts'

export type Deps = { db: Kysely<Database>; write: Write; now: () => number; contents: Contents }

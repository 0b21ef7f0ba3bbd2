// SPDX-License-Identifier: MIT
// What somebody looks at again and again: filters and columns of a list, under a name of their own.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table saved_views (
     user_id text not null references users (id) on delete cascade,
     list text not null,
     name text not null,
     search text not null,
     saved_at_ms integer not null,
     primary key (user_id, list, name)
   ) strict, without rowid`.execute(db)
}

// SPDX-License-Identifier: MIT
// The text of a local change may be a megabyte: beside the nodes, so that a list of them does not read it.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table drift_texts (
     node_id text primary key references nodes (id),
     text text not null
   ) strict`,
  `insert into drift_texts (node_id, text)
     select id, drift_text from nodes where drift_text is not null`,
  `update nodes set drift = json_set(drift, '$.sizeBytes', octet_length(drift_text))
     where drift is not null`,
  `alter table nodes drop column drift_text`,
]

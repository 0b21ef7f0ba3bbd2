// SPDX-License-Identifier: MIT
// Versions of releases that a node shows under a name of their own. One ends with its version.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table release_previews (
     id text primary key,
     release text not null,
     number integer not null,
     manifest text not null,
     node_id text not null references nodes (id) on delete cascade,
     host text not null,
     key_sha256 text not null check (length(key_sha256) = 64),
     created_by text not null,
     created_at_ms integer not null,
     ends_at_ms integer not null,
     unique (node_id, manifest),
     unique (node_id, host),
     foreign key (release, number) references release_versions (release, number) on delete cascade
   ) strict, without rowid`.execute(db)
  await sql`create index release_previews_by_version on release_previews (release, number)`.execute(
    db,
  )
}

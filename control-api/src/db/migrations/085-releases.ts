// SPDX-License-Identifier: MIT
// Releases of files: versions that never change, and the manifests they are of. Contents are on the disk beside the
// database (release-store/).
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table release_manifests (
     sha256 text primary key check (length(sha256) = 64),
     files integer not null,
     links integer not null,
     bytes integer not null,
     blobs integer not null,
     blob_bytes integer not null,
     touched_at_ms integer not null
   ) strict, without rowid`,

  `create table release_sets (
     name text primary key,
     next_number integer not null default 1 check (next_number >= 1),
     latest integer,
     updated_at_ms integer not null
   ) strict, without rowid`,

  `create table release_versions (
     release text not null references release_sets (name),
     number integer not null check (number >= 1),
     manifest text not null references release_manifests (sha256),
     parent integer,
     author text not null check (author <> ''),
     message text not null check (message <> ''),
     source text not null,
     created_at_ms integer not null,
     added integer not null,
     changed integer not null,
     removed integer not null,
     changed_bytes integer not null,
     primary key (release, number)
   ) strict, without rowid`,
  `create index release_versions_by_manifest on release_versions (manifest)`,
  `create trigger release_versions_are_not_changed before update on release_versions
     begin select raise(abort, 'versions are immutable'); end`,
]

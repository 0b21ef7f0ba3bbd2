// SPDX-License-Identifier: MIT
// Nodes of a zone give each other the contents of releases: the farm's setting, off at first; the keys that sign passes; and
// who gave wrong bytes.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table neighbour_settings (
    id integer primary key check (id = 1),
    revision integer not null,
    zone_label text,
    across_zones integer not null,
    max_bytes_per_second integer,
    at_once integer not null
  ) strict`,
  `insert into neighbour_settings (id, revision, zone_label, across_zones, max_bytes_per_second, at_once)
   values (1, 1, null, 0, null, 4)`,
  `create table neighbour_keys (
    number integer primary key,
    public_key text not null,
    private_key text not null
  ) strict`,
  `create table distrusted_neighbours (
    node_id text primary key references nodes (id),
    told_by text not null,
    manifest_sha256 text not null,
    at_ms integer not null
  ) strict, without rowid`,
]

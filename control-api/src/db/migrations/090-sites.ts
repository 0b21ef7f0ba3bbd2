// SPDX-License-Identifier: MIT
// The sites of texts, so that a list of them costs a look-up. What there is already is read by the service, a text at a
// time, after it has started: a thousand large ones take a minute and a half.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // A text without a site is here, too.
  `create table sites_read (
     config text not null,
     version integer not null,
     primary key (config, version),
     foreign key (config, version) references config_versions (config, number) on delete cascade
   ) strict, without rowid`,
  // In the order of the list.
  `create table sites (
     host text not null,
     config text not null,
     version integer not null,
     hosts text not null,
     root text,
     certificates text not null,
     has_certificate_files integer not null,
     primary key (host, config, version),
     foreign key (config, version) references sites_read (config, version) on delete cascade
   ) strict, without rowid`,
  `create index sites_by_version on sites (config, version, host)`,
  `create table site_hosts (
     config text not null,
     host text not null,
     version integer not null,
     site text not null,
     primary key (config, host, version),
     foreign key (config, version) references sites_read (config, version) on delete cascade
   ) strict, without rowid`,
]

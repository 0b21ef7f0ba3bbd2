// SPDX-License-Identifier: MIT
// Who signs in through an identity provider: the provider's name for a person, and ours.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table oidc_identities (
     issuer text not null,
     subject text not null,
     user_id text not null references users (id) on delete cascade,
     origin text not null,
     created_at_ms integer not null,
     last_sign_in_at_ms integer,
     primary key (issuer, subject)
   ) strict, without rowid`,
  `create unique index oidc_identities_by_user on oidc_identities (user_id, issuer)`,
]

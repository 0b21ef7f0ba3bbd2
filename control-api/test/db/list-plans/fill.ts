// SPDX-License-Identifier: MIT
// The control.db of as large a farm as is promised, some years old, by SQL alone.
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../src/db/database.ts'
import { migrateToLatest } from '../../../src/db/migrate.ts'
import { openControlDb } from '../../../src/db/sqlite/open.ts'

const NODES = 10_000
const VERSIONS = 1000
/** Of each version. */
const SITES = 500
const EVENTS = 1_000_000
/** More than a month of them. */
const ROLLOUTS = 500
/** Each of so many goes to all nodes, the others to few. */
const TO_ALL = 25
const FEW = 100
/** What each node was told, one after the other. */
const GENERATIONS = 10

export const idOf = (prefix: string, i: number) => `${prefix}_${String(i).padStart(26, '0')}`
export const nameOf = (i: number) => `edge-${String(i).padStart(5, '0')}`

/** Before a service opens it. Not safe against a power cut, so that it takes seconds. */
export async function fillFarm(dataDir: string): Promise<void> {
  const db = openControlDb(dataDir)
  try {
    await migrateToLatest(db)
    for (const pragma of ['journal_mode = off', 'synchronous = off', 'cache_size = -262144']) {
      await sql.raw(`pragma ${pragma}`).execute(db)
    }
    await db.transaction().execute(async (trx) => {
      for (const statement of STATEMENTS) await sql.raw(statement).execute(trx)
      await withoutIndexes(trx, 'events', () => sql.raw(ALL_EVENTS).execute(trx))
    })
    await sql`pragma journal_mode = wal`.execute(db)
  } finally {
    await db.destroy()
  }
}

/** They, and what watches each row, are made anew at the end: much quicker than row by row. */
async function withoutIndexes(db: Kysely<Database>, table: string, work: () => Promise<unknown>) {
  const { rows } = await sql<{ type: string; name: string; sql: string }>`
    select type, name, sql from sqlite_schema
    where tbl_name = ${table} and type in ('index', 'trigger') and sql is not null`.execute(db)
  for (const { type, name } of rows) await sql.raw(`drop ${type} ${name}`).execute(db)
  await work()
  for (const { sql: text } of rows) await sql.raw(text).execute(db)
}

/** As idOf, in SQL. */
const id = (prefix: string, i = 'i') => `'${prefix}_' || printf('%026d', ${i})`
/** For i from 1 on. */
const each = (count: number) =>
  `(with recursive number (i) as (select 1 union all select i + 1 from number where i < ${count}) select i from number)`
const text = `'{ "listen": [], "sites": [] } // ' || hex(zeroblob(2000))`
/** Of the assignments: all nodes have one before any has two. */
const generation = `(1 + (i - 1) / ${NODES})`
const zone = `iif(i % 10 < 6, 'eu', 'us')`

const STATEMENTS = [
  `insert into users (id, username, password_hash, roles, password_change_required, created_at_ms)
   select ${id('user')}, 'person-' || printf('%03d', i), '', '["viewer"]', 0, 1 from ${each(500)}`,
  `insert into api_tokens (id, user_id, name, secret_digest, created_at_ms, expires_at_ms)
   select ${id('token')}, ${id('user', '1 + i % 500')}, 'ci', 'digest' || i, 1, 1e15 from ${each(2000)}`,
  `insert into sessions (id_digest, user_id, data, created_at_ms, expires_at_ms)
   select 'session' || i, ${id('user', '1 + i % 500')}, '{}', 1, 1e15 from ${each(2000)}`,

  `insert into configs (name, draft_text, draft_base, draft_updated_at_ms, draft_revision, updated_at_ms)
   select 'config-' || printf('%02d', i), ${text}, 1, 1, 1, 1 from ${each(60)}`,
  `insert into config_versions (config, number, digest, text, parent, author, message, source, created_at_ms)
   select 'config-01', i, 'digest' || i, ${text}, nullif(i - 1, 0), 'person-' || (i % 20), 'change ' || i,
     json_array('ui', 'cli', 'api') ->> (i % 3), i from ${each(VERSIONS)}`,
  `insert into config_versions (config, number, digest, text, author, message, source, created_at_ms)
   select 'config-' || printf('%02d', i + 1), 1, 'digest', ${text}, 'ana', 'first', 'ui', 1 from ${each(59)}`,
  `insert into sites_read (config, version) select config, max(number) from config_versions group by config`,
  // The nodes run it.
  `insert into sites_read (config, version) values ('config-01', ${GENERATIONS - 1})`,
  `insert into sites (host, config, version, hosts, root, certificates, has_certificate_files)
   select printf('site-%04d.example', i), config, version, json_array(printf('site-%04d.example', i)), '/srv/www', '[]', 0
   from sites_read cross join ${each(SITES)}`,
  `insert into site_hosts (config, host, version, site) select config, host, version, host from sites`,
  `insert into node_groups (name, description, selector, position, config, merge_patch, revision, updated_at_ms)
   select 'group-' || i, '', 'rack=' || i, i, 'config-01', '{}', 1, 1 from ${each(20)}`,

  `insert into nodes (id, name, labels, merge_patch, revision, credential_digest, enrolled_at_ms, last_seen_at_ms,
     hostname, version, os, arch, capabilities, max_epoch, max_generation, cordon)
   select ${id('node')}, 'edge-' || printf('%05d', i), json_object('zone', ${zone}, 'rack', i % 100), '{}', 1,
     'digest' || i, 1, i, 'edge', '1.0', 'linux', 'x86_64', '["probes"]', 1, 20,
     iif(i % 50 = 0, '{"by":"ana","atMs":1,"reason":"disk"}', null) from ${each(NODES)}`,
  `insert into node_certificates (sha256, node_id, serial, key_sha256, ca_sha256, state, issued_at_ms, not_after_ms)
   select 'certificate' || i, ${id('node', `1 + i % ${NODES}`)}, i, 'key' || i, 'ca', 'active', i, 1e15
   from ${each(2 * NODES)}`,
  `insert into policy_rules select 'rules' || i, '{}' from ${each(5)}`,
  `insert into node_policies (node_id, source, digest, rules_id, since_ms)
   select ${id('node')}, 'builtIn', 'digest', 'rules' || (1 + i % 5), 1 from ${each(NODES)}`,
  `insert into rendered_texts (id, text) select 'text' || i, ${text} from ${each(20)}`,
  `insert into assignments (node_id, generation, offer_id, epoch, rollout_id, config, version, digest, text_id, state,
     created_at_ms, updated_at_ms)
   select ${id('node', `1 + i % ${NODES}`)}, ${generation}, 'offer' || i, 1, ${id('rollout', generation)},
     'config-01', ${generation}, 'digest' || ${generation}, 'text' || (1 + i % 20), 'confirmed', 1, 1
   from ${each(GENERATIONS * NODES)}`,
  // Each is one behind.
  `update nodes set effective = json_object('generation', ${GENERATIONS - 1}, 'digest', 'digest' || ${GENERATIONS - 1},
     'bootId', 'b', 'reloads', 0)`,

  `insert into rollouts (id, config, version, state, state_version, reason, author, author_id, message, created_at_ms,
     started_at_ms, ended_at_ms)
   select ${id('rollout')}, 'config-01', 1 + i % ${VERSIONS}, json_array('succeeded', 'reverted', 'frozen') ->> (i % 3),
     1, '{"code":"cancelled","by":"ana"}', 'person-' || (i % 20), ${id('user', '1 + i % 20')}, '', i * 1000000, i * 1000000,
     i * 1000000 + 500000 from ${each(ROLLOUTS)}`,
  `insert into node_tasks (rollout_id, node_id, wave, state, digest, text_id, message, errors, updated_at_ms)
   select rollouts.id, nodes.id, 0, json_array('done', 'done', 'skipped') ->> (nodes.rowid % 3), 'digest', 'text1', '',
     '[]', 1
   from rollouts cross join nodes
   where nodes.rowid <= iif(rollouts.rowid % ${TO_ALL} = 0, ${NODES}, ${FEW})`,
  `update rollouts set counts = (
     select json_object('0', json_object('done', sum(state = 'done'), 'skipped', sum(state = 'skipped')))
     from node_tasks where rollout_id = rollouts.id)`,
  `insert into rollout_approvals (rollout_id, user_id, username, at_ms)
   select ${id('rollout')}, ${id('user', '1 + i % 500')}, 'ana', 1 from ${each(ROLLOUTS)}`,
  `insert into releases (config, version, rollout_id, at_ms)
   select 'config-01', 1 + i % ${VERSIONS}, ${id('rollout')}, i from ${each(200)}`,

  `insert into enrolment_tokens (id, secret_digest, labels, merge_patch, max_uses, uses, created_at_ms, expires_at_ms,
     created_by, node_id)
   select ${id('token')}, 'secret' || i, json_object('zone', ${zone}), '{}', 1, i % 2, 1, 1e15, 'ana',
     iif(i % 5 = 0, ${id('node')}, null) from ${each(NODES)}`,
  `insert into certificates (name, revision, latest, not_after_ms, created_at_ms, created_by)
   select 'certificate-' || printf('%04d', i), 1, 3, i, 1, 'ana' from ${each(2000)}`,
  `insert into certificate_versions
   select 'certificate-' || printf('%04d', 1 + i % 2000), 1 + i / 2000, 'fingerprint' || i, ${text}, '', '["a.example"]', '', '',
     '', '', 2, '[]', 1, i, 'upload', null, 1, 'ana' from ${each(5999)}`,
  `insert into served_certificates
   select ${id('node', `1 + i % ${NODES}`)}, 'host-' || (i / ${NODES}), 'fingerprint' || (i / ${NODES} * 2000), 1, 1
   from ${each(3 * NODES)}`,
  `insert into certificate_authorities (name, revision, directory_url, contact, account_key, created_at_ms, created_by)
   select 'authority-' || printf('%02d', i), 1, 'https://ca.example/dir', '[]', '', 1, 'ana' from ${each(50)}`,
  `insert into dns_webhooks (name, revision, url, secret, created_at_ms, created_by)
   select 'webhook-' || printf('%02d', i), 1, 'https://dns.example', '', 1, 'ana' from ${each(50)}`,
  `insert into managed_certificates (name, revision, names, key_type, authorities, challenge, roll_out, random,
     renew_at_ms, next_action_at_ms, created_at_ms, created_by)
   select 'certificate-' || printf('%04d', i), 1, '["a.example"]', 'ecdsa-p256', '[{"name":"authority-01","profile":null}]',
     'http-01', 1, 0.5, ${Number.MAX_SAFE_INTEGER}, ${Number.MAX_SAFE_INTEGER}, 1, 'ana' from ${each(2000)}`,
  `insert into certificate_orders (id, certificate, authority, names, challenge, state, key, csr, started_at_ms, started_by,
     ended_at_ms, cleaned_up)
   select ${id('order')}, 'certificate-' || printf('%04d', i % 2000), 'authority-01', '["a.example"]', 'http-01', 'issued', '',
     '', 1, 'renewal', 2, 1 from ${each(20_000)}`,
  `insert into webhooks (id, url, description, events, revision, secret, last_event_id, attempts, created_at_ms, created_by)
   select ${id('webhook')}, 'https://example.com', '', '["*"]', 1, '', 0, 0, 1, 'ana' from ${each(40)}`,
  `insert into webhook_deliveries (id, webhook_id, type, at_ms, attempt, duration_ms, response)
   select ${id('delivery')}, ${id('webhook', '1 + i % 40')}, 'node.hello', 1, 1, 1, '' from ${each(4000)}`,
  `insert into alerts (id, rule_id, rule_name, severity, subject_kind, subject_id, subject_name, node_id, state, message,
     pending_at_ms, firing_at_ms)
   select ${id('alert')}, ${id('rule', '1 + i % 6')}, 'Rule', 'warning', 'node', ${id('node')}, '', ${id('node')},
     json_array('resolved', 'pending', 'firing') ->> (i % 3), '', 1, 1 from ${each(10_000)}`,
  `insert into alert_rules (id, name, description, enabled, severity, applies_to, condition, for_seconds, keep_firing_seconds,
     revision, created_at_ms, created_by)
   select ${id('rule', '10 + i')}, 'rule-' || printf('%02d', i), '', 0, 'warning', 'farm', '{"kind":"drift"}', 0, 0, 1, 1, 'ana'
     from ${each(90)}`,
  `insert into alert_silences (id, rule_id, reason, until_ms, created_at_ms, created_by)
   select ${id('silence')}, ${id('rule', '1')}, '', 8e15, 1, 'ana' from ${each(200)}`,
  `insert into backups (id, state, trigger, file_name, created_at_ms, reason)
   select ${id('backup')}, 'done', 'schedule', 'file' || i, i, '' from ${each(400)}`,
  `insert into release_manifests (sha256, files, links, bytes, blobs, blob_bytes, touched_at_ms)
   select printf('%064d', i), 1, 0, 1, 1, 1, i from ${each(20_000)}`,
  `insert into release_sets (name, next_number, latest, updated_at_ms)
   select 'release-' || printf('%02d', i), 1001, 1000, 1 from ${each(40)}`,
  `insert into release_versions
   select 'release-' || printf('%02d', 1 + i % 20), 1 + i / 20, printf('%064d', 1 + i), null, 'ana', 'message', '', 1, 1, 0, 0, 1
     from ${each(19_999)}`,
]

const ALL_EVENTS = `insert into events (id, at_ms, kind, object_id, action, actor, data, via, hash)
  select i, i, json_array('node', 'rollout', 'session') ->> (i % 3), ${id('node', `1 + i % ${NODES}`)},
    'change-' || (i % 30), 'person-' || (i % 20), '{"a":"text"}', 'session', '${'0'.repeat(64)}'
  from ${each(EVENTS)}`

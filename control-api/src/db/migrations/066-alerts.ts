// SPDX-License-Identifier: MIT
// Rules of what somebody is to be told of, what they found, and what is not told meanwhile; with rules that every farm begins
// with, those of before as well.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await insertRules(db)
}

/** Of any database. */
export async function insertRules(db: Kysely<unknown>): Promise<void> {
  for (const [i, rule] of RULES.entries()) {
    const id = `rule_${String(i + 1).padStart(26, '0')}`
    const { name, severity, condition, forSeconds, keepFiringSeconds } = rule
    await sql`insert into alert_rules (id, name, description, enabled, severity, applies_to, condition, for_seconds,
        keep_firing_seconds, revision, created_at_ms, created_by)
      values (${id}, ${name}, '', 1, ${severity}, 'farm', ${JSON.stringify(condition)}, ${forSeconds},
        ${keepFiringSeconds}, 1, ${Date.now()}, 'farmstead')`.execute(db)
  }
}

const statements = [
  `create table alert_rules (
     id text primary key,
     name text not null unique,
     description text not null,
     enabled integer not null,
     severity text not null,
     applies_to text not null,
     condition text not null,
     for_seconds integer not null,
     keep_firing_seconds integer not null,
     revision integer not null,
     created_at_ms integer not null,
     created_by text not null,
     failing text
   ) strict`,
  `create table alerts (
     id text primary key,
     rule_id text not null,
     rule_name text not null,
     severity text not null,
     subject_kind text not null,
     subject_id text not null,
     subject_name text not null,
     node_id text,
     state text not null,
     value real,
     message text not null,
     pending_at_ms integer not null,
     firing_at_ms integer,
     clear_since_ms integer,
     resolved_at_ms integer,
     resolved_because text,
     is_without_data integer not null default 0,
     firing_told_at_ms integer,
     resolved_told_at_ms integer,
     is_untold integer not null default 0,
     acknowledged_at_ms integer,
     acknowledged_by text,
     comment text not null default ''
   ) strict`,
  `create unique index alerts_open on alerts (rule_id, subject_id) where state in ('pending', 'firing')`,
  `create index alerts_untold on alerts (rule_id, id) where is_untold = 1`,
  `create index alerts_by_state on alerts (state, id)`,
  `create index alerts_by_node on alerts (node_id, id)`,
  `create index alerts_by_subject on alerts (rule_id, subject_id, firing_at_ms)`,
  `create table alert_silences (
     id text primary key,
     rule_id text,
     selector text,
     reason text not null,
     until_ms integer not null,
     created_at_ms integer not null,
     created_by text not null
   ) strict`,
  `create table alert_watch (id integer primary key check (id = 1), looked_at_ms integer not null) strict`,
]

/** Of a healthy farm none of them says anything. */
const RULES = [
  {
    name: 'Node silent',
    severity: 'critical',
    condition: { kind: 'node-silent' },
    forSeconds: 120,
    keepFiringSeconds: 60,
  },
  {
    name: 'Config changed on a node',
    severity: 'warning',
    condition: { kind: 'drift' },
    forSeconds: 300,
    keepFiringSeconds: 0,
  },
  {
    name: 'Rollout waiting',
    severity: 'warning',
    condition: { kind: 'rollout-waiting' },
    forSeconds: 3600,
    keepFiringSeconds: 0,
  },
  {
    name: 'Certificate near its end',
    severity: 'critical',
    condition: { kind: 'certificate-ending', days: 14 },
    forSeconds: 0,
    keepFiringSeconds: 0,
  },
  {
    name: 'Disk filling',
    severity: 'warning',
    condition: {
      kind: 'measurement',
      each: 'node',
      by: 'gauge:diskUsedRatio',
      comparison: 'above',
      threshold: 0.9,
      clearThreshold: 0.85,
      windowSeconds: 300,
    },
    forSeconds: 600,
    keepFiringSeconds: 300,
  },
  {
    name: 'Server errors',
    severity: 'critical',
    condition: {
      kind: 'measurement',
      each: 'node',
      by: 'share:responses5xx',
      comparison: 'above',
      threshold: 0.05,
      clearThreshold: 0.02,
      windowSeconds: 300,
    },
    forSeconds: 300,
    keepFiringSeconds: 300,
  },
]

// SPDX-License-Identifier: MIT
// A rollout to as many nodes as one likes, written by SQL alone: in three waves, the first through, the second under way with
// some of every trouble, the third to come.
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../src/db/database.ts'

export const LARGE = 'rollout_00000000000000000000000001'
export const nodeId = (i: number) => `node_${String(i).padStart(26, '0')}`

export async function addLargeRollout(db: Kysely<Database>, nodes: number): Promise<void> {
  const each = `(with recursive number (i) as (select 1 union all select i + 1 from number where i < ${nodes}) select i from number) as numbers`
  const id = `'node_' || printf('%026d', i)`
  const wave = `iif(i * 100 <= ${nodes}, 0, iif(i * 4 <= ${nodes}, 1, 2))`
  const state = `case ${wave} when 0 then 'done' when 2 then 'pending' else
    iif(i % 500 = 0, 'nacked', iif(i % 333 = 0, 'unreachable', iif(i % 50 = 0, 'applied', 'healthy'))) end`
  const statements = [
    `insert into configs (name, draft_text, draft_base, draft_updated_at_ms, draft_revision, updated_at_ms)
     values ('default', '{}', 0, 1, 1, 1) on conflict do nothing`,
    `insert into config_versions (config, number, digest, text, author, message, source, created_at_ms)
     values ('default', 1, 'sha256:' || printf('%064d', 1), '{}', 'ana', 'first', 'api', 1) on conflict do nothing`,
    `insert into nodes (id, name, labels, merge_patch, revision, credential_digest, enrolled_at_ms, last_seen_at_ms,
       hostname, version, os, arch, capabilities, max_epoch, max_generation)
     select ${id}, 'edge-' || printf('%05d', i), '{"zone":"' || iif(i % 10 = 0, 'eu', 'us') || '"}', '{}', 1, 'digest' || i, 1, 1,
       'edge', '0.1.0', 'linux', 'x86_64', '[]', 1, 1 from ${each}`,
    `insert into rendered_texts (id, text) values ('text-large', '{}')`,
    `insert into rollouts (id, config, version, state, state_version, reason, author, message, created_at_ms, started_at_ms, progress)
     values ('${LARGE}', 'default', 1, 'paused', 4, '{"code":"cancelled","by":"ana"}', 'ana', 'Longer caching', 1, 1,
       '{"wave":1,"waves":3,"phase":"dispatching","soakedMs":0,"verdict":null,"progressLeftMs":null,"hold":null,"goesBack":null}')`,
    `insert into node_tasks (rollout_id, node_id, wave, state, digest, text_id, code, message, errors, updated_at_ms, generation)
     select '${LARGE}', ${id}, ${wave}, ${state}, 'sha256:' || printf('%064d', 1), 'text-large',
       iif(${state} = 'nacked', 'semantic', null), iif(${state} = 'nacked', 'there is no folder /srv/www', ''), '[]', i, 1 from ${each}`,
    `with counted as (select wave, state, count(*) as nodes from node_tasks where rollout_id = '${LARGE}' group by 1, 2),
       waves as (select wave, string_agg('"' || state || '":' || nodes, ',') as states from counted group by 1)
     update rollouts set counts = (select '{' || string_agg('"' || wave || '":{' || states || '}', ',') || '}' from waves)
     where id = '${LARGE}'`,
  ]
  await db.transaction().execute(async (trx) => {
    for (const statement of statements) await sql.raw(statement).execute(trx)
  })
}

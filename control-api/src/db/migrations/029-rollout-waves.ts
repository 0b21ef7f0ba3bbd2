// SPDX-License-Identifier: MIT
// Rollouts go by waves and can take back what they changed. One that is under way goes on as it began: one
// wave of all its nodes, nothing asked but that they confirm; it can be taken back where a node had
// something confirmed before.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const AT_ONCE = JSON.stringify({
  maxParallel: null,
  blastBudget: null,
  minHealthyMs: 0,
  soakMs: 0,
  maxSoakMs: 0,
  progressDeadlineMs: null,
  maxFailedPercent: 0,
  maxUnreachablePercent: 100,
  maxFlaps: 3,
  onFailure: 'pause',
  gates: [],
  minSamples: 500,
})
const BEGUN = JSON.stringify({
  wave: 0,
  waves: 1,
  phase: 'dispatching',
  soakedMs: 0,
  verdict: null,
  progressLeftMs: null,
  hold: null,
  goesBack: null,
})

const statements = [
  `alter table rollouts add column policy text not null default '${AT_ONCE}'`,
  // '': from before plans had one.
  `alter table rollouts add column plan_digest text not null default ''`,
  `alter table rollouts add column progress text not null default '${BEGUN}'`,

  `alter table rollouts add column evidence text`,

  `alter table node_tasks add column previous_generation integer`,
  `alter table node_tasks add column previous_digest text`,
  `alter table node_tasks add column offers integer not null default 0`,
  `alter table node_tasks add column flaps integer not null default 0`,
  `alter table node_tasks add column excused integer not null default 0`,

  `update node_tasks set offers = 1 where exists (
     select 1 from assignments a where a.node_id = node_tasks.node_id
       and a.generation = node_tasks.generation and a.rollout_id = node_tasks.rollout_id)`,
  `update node_tasks set previous_generation = (
     select max(a.generation) from assignments a where a.node_id = node_tasks.node_id
       and a.generation < node_tasks.generation and a.state = 'confirmed'
       and a.digest <> node_tasks.digest)
     where offers = 1 and rollout_id in (select id from rollouts where ended_at_ms is null)`,
  `update node_tasks set previous_digest = (
     select a.digest from assignments a where a.node_id = node_tasks.node_id
       and a.generation = node_tasks.previous_generation)
     where previous_generation is not null`,
]

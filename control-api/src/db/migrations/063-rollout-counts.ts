// SPDX-License-Identifier: MIT
// How many nodes of each wave stand how, kept with the rollout: a list of a hundred large ones would count a million tasks.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table rollouts add column counts text not null default '{}'`,
  `alter table rollouts add column tasks_version integer not null default 0`,
  `with counted as (
     select rollout_id, wave, count(*) as nodes,
       case when state = 'healthy' and code is 'gate_failed' then 'gate_failed'
         when state = 'skipped' and code is 'cordoned' then 'cordoned' else state end as standing
     from node_tasks group by 1, 2, 4),
   of_waves as (
     select rollout_id, wave, json_group_object(standing, nodes) as standings from counted group by 1, 2),
   of_rollouts as (
     select rollout_id, json_group_object(wave, json(standings)) as counts from of_waves group by 1)
   update rollouts set counts = of_rollouts.counts from of_rollouts where of_rollouts.rollout_id = rollouts.id`,
]

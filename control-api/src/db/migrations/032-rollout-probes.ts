// SPDX-License-Identifier: MIT
// Rollouts can have nodes make requests themselves. Those that there are have none made, and their evidence
// rests on visitors alone.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `update rollouts set policy = json_set(policy, '$.probes', json('[]'))`,
  `update rollouts set evidence = json_set(evidence, '$.gates', json((
     select json_group_array(json_set(value, '$.canary.probed', 0, '$.control.probed', 0))
       from json_each(evidence, '$.gates'))))
     where evidence is not null`,
]

// SPDX-License-Identifier: MIT
// Reasons are codes with what they are about, told in words where they are read. What is a sentence stays one:
// nobody knows any more which nodes it names.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** A part of a rollout's progress that was a sentence, or the sentence in it. */
const asText = (at: string) => `json_object('cause', 'text', 'text', progress ->> '${at}')`

const statements = [
  `update rollouts set reason = json_object('code', 'text', 'text', reason)`,
  `update rollouts set progress = json_set(progress, '$.hold',
     json_object('kind', progress ->> '$.hold.kind', 'why', ${asText('$.hold.message')}))
     where progress ->> '$.hold' is not null`,
  `update rollouts set progress = json_set(progress, '$.goesBack', ${asText('$.goesBack')})
     where progress ->> '$.goesBack' is not null`,
  `update rollouts set progress = json_set(progress, '$.standIn',
     json_object('text', progress ->> '$.standIn'))
     where progress ->> '$.standIn' is not null`,
  // Whom a node was left out for, which was in its task's message.
  `alter table node_tasks add column left_out_for text`,
]

// SPDX-License-Identifier: MIT
// What lists ask the database, how it goes about that, and what is wrong with the way.
import { AsyncLocalStorage } from 'node:async_hooks'
import { CompiledQuery, type Kysely } from 'kysely'
import { vi } from 'vitest'
import type { Database } from '../../../src/db/database.ts'

export type Asked = {
  sql: string
  /** As EXPLAIN QUERY PLAN says it: a step of another lies below it. */
  steps: { depth: number; text: string }[]
}

/** Of the work that is looked at: the service has other things to do meanwhile. */
const sending = new AsyncLocalStorage<CompiledQuery[]>()

/** What `work` sends, each statement once. */
export async function asked(db: Kysely<Database>, work: () => Promise<unknown>): Promise<Asked[]> {
  const executor = db.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  const spy = vi.spyOn(executor, 'executeQuery').mockImplementation((query) => {
    sending.getStore()?.push(query)
    return execute(query)
  })
  try {
    const queries: CompiledQuery[] = []
    await sending.run(queries, work)
    const distinct = [...new Map(queries.map((query) => [readable(query.sql), query]))]
    return await Promise.all(
      distinct.map(async ([sql, query]) => ({ sql, steps: await planOf(db, query) })),
    )
  } finally {
    spy.mockRestore()
  }
}

/** As many values as there happen to be are one list; a line for each part. */
export const readable = (sql: string) =>
  sql
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/\(\?(?:, \?)+\)/g, '(?, …)')
    .replaceAll(
      / (from|where|group by|order by|limit|(?:inner|left|cross) join|and(?! \?)) /g,
      '\n  $1 ',
    )

async function planOf(db: Kysely<Database>, query: CompiledQuery): Promise<Asked['steps']> {
  const explained = CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters])
  return stepsOf((await db.executeQuery<PlanRow>(explained)).rows)
}

export type PlanRow = { id: number; parent: number; detail: string }

export function stepsOf(rows: readonly PlanRow[]): Asked['steps'] {
  const depths = new Map<number, number>([[0, -1]])
  return rows.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1
    depths.set(id, depth)
    return { depth, text: detail }
  })
}

/** Of what looks as if it grew, what does not, or not without need. */
export type Exception = { sql: RegExp; step: RegExp; why: string }
export const EXCEPTIONS: Exception[] = [
  {
    sql: /from "node_groups"/,
    step: /^(SCAN node_groups|USE TEMP B-TREE FOR ORDER BY)$/,
    why: 'a hundred groups at most',
  },
  {
    sql: /^select "id", "name" from "nodes" where "id" in/,
    step: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'as many nodes as one chart shows',
  },
  {
    sql: /from "node_certificates" where "node_id" in/,
    step: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'the certificates of the nodes of a page, some of each',
  },
  {
    sql: /from "node_tasks" as "t" .* order by /,
    step: /^USE TEMP B-TREE FOR (LAST \d TERMS OF )?ORDER BY$/,
    why: 'the nodes of one rollout: of ten thousand some milliseconds, which no index need be written for',
  },
  {
    sql: /from "node_tasks" as "t" .* group by /,
    step: /^USE TEMP B-TREE FOR GROUP BY$/,
    why: 'for who sees some nodes only they are counted; for the others the rollout has it',
  },
  {
    sql: /from managed_certificates m, json_each\(m\.authorities\)/,
    step: /^(SCAN m|USE TEMP B-TREE FOR GROUP BY)$/,
    why: 'each authority says how many certificates may come from it; ten thousand at most',
  },
  {
    sql: /from "rollout_approvals"/,
    step: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'a few of each rollout of the page',
  },
  {
    sql: /"started_at_ms" between \?/,
    step: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'rollouts of the time that the chart shows',
  },
]

/** A sentence for each step whose cost grows with a table. */
export const faultsOf = (request: string, { sql, steps }: Asked): string[] =>
  steps.flatMap(({ text }) => {
    const why = whyItGrows(sql, text)
    if (why === null || exceptionOf(sql, text)) return []
    return [
      `${request} ${why} (${text}). Give it an index by a migration, or ask in another way: ${onOneLine(sql)}`,
    ]
  })

export const exceptionOf = (sql: string, step: string): Exception | undefined =>
  EXCEPTIONS.find((one) => one.sql.test(onOneLine(sql)) && one.step.test(step))

const onOneLine = (sql: string) => sql.replaceAll(/\s+/g, ' ')

function whyItGrows(sql: string, step: string): string | null {
  if (step.startsWith('USE TEMP B-TREE')) return 'sorts all that it found before it shows any of it'
  const [, table, by] = /^SCAN (\S+)(.*)/.exec(step) ?? []
  if (table === undefined || by?.includes('VIRTUAL TABLE')) return null
  // What the query made itself, of rows that were found already.
  if (table === 'CONSTANT' || new RegExp(`with "${table}"`).test(sql)) return null
  if (!by?.includes('INDEX')) return `reads all of ${table}`
  if (!/\n {2}limit /.test(sql)) return `reads all of an index of ${table}`
  const value = /\n {2}(?:where|and) "?(?:\w+"?\.")?(\w+)" = \?/.exec(sql)?.[1]
  if (value === undefined) return null
  return `looks at one row of ${table} after the other for those with one ${value}`
}

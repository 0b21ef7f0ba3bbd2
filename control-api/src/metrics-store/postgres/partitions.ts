// SPDX-License-Identifier: MIT
// The parts of the tables in PostgreSQL, each of so much time. A part is made beside its table and then attached, which holds up
// nobody who reads or writes; to drop one nobody may, so that is another transaction, which gives up soon and comes again: to
// make parts never waits for it. There is no part for what fits into none: it would grow, and be in the way of each that is made.
import type { Connection } from './connection.ts'
import { KEPT_TABLES, type KeptTable, remoteName } from './tables.ts'

/** Who reads a large part of a table holds it for seconds: what was not dropped is dropped next time. */
const DROP_WITHIN_MS = 2_000

export type Partitions = {
  /** In the caller's transaction. */
  makeFor(table: KeptTable, steps: Iterable<number>): Promise<void>
  /** The next of each table that has any, and none that all rows of which are older than what is kept. */
  keepUp(nowMs: number): Promise<void>
}

export async function createPartitions(connection: Connection): Promise<Partitions> {
  const rows = await connection.rows<[table: string, part: string]>(
    `select parent.relname::text, part.relname::text from pg_inherits
     join pg_class parent on parent.oid = inhparent join pg_class part on part.oid = inhrelid
     where parent.relkind = 'p' and pg_table_is_visible(parent.oid)`,
  )
  /** Of each table where its parts begin. */
  const known = new Map(
    KEPT_TABLES.map((table) => [
      table,
      new Set(rows.filter(([name]) => name === remoteName(table)).map(([, part]) => beginOf(part))),
    ]),
  )
  const beginsOf = (table: KeptTable) => known.get(table) ?? new Set<number>()

  async function make(table: KeptTable, begin: number): Promise<void> {
    const [name, part] = [remoteName(table), partName(table, begin)]
    await connection.run(`create table ${part} (like ${name} including all);
      alter table ${name} attach partition ${part} for values from (${begin}) to (${begin + table.partSeconds})`)
    beginsOf(table).add(begin)
  }

  async function drop(table: KeptTable, begin: number): Promise<void> {
    // The table before its part, as those who read it.
    await connection.run(`set local lock_timeout = ${DROP_WITHIN_MS};
      lock table ${remoteName(table)} in access exclusive mode;
      drop table ${partName(table, begin)}`)
  }

  return {
    async makeFor(table, steps) {
      const begins = new Set([...steps].map((step) => step - (step % table.partSeconds)))
      for (const begin of begins) if (!beginsOf(table).has(begin)) await make(table, begin)
    },

    async keepUp(nowMs) {
      const nowSeconds = Math.floor(nowMs / 1000)
      for (const table of KEPT_TABLES) {
        const begins = beginsOf(table)
        const next = nowSeconds - (nowSeconds % table.partSeconds) + table.partSeconds
        if (begins.size > 0 && !begins.has(next)) {
          await connection.transaction(() => make(table, next))
        }
      }
      for (const table of KEPT_TABLES) {
        for (const begin of [...beginsOf(table)]) {
          if (begin + table.partSeconds > nowSeconds - table.keepSeconds) continue
          await connection.transaction(() => drop(table, begin))
          beginsOf(table).delete(begin)
        }
      }
    },
  }
}

const partName = (table: KeptTable, begin: number) => `${remoteName(table)}_p${begin}`
const beginOf = (part: string) => Number(part.slice(part.lastIndexOf('_p') + 2))

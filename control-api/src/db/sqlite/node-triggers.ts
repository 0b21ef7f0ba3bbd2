// SPDX-License-Identifier: MIT
// Tells which nodes are written of, as they are written: by triggers of this connection alone, which call a function of ours.
import type Sqlite from 'better-sqlite3'
import { WATCHED, type WriteSource } from '../node-writes.ts'

const ROW_OF = { insert: 'new', update: 'new', delete: 'old' }

export function nodeTriggers(sqlite: Sqlite.Database): WriteSource {
  const version = sqlite.prepare('pragma data_version').pluck()
  return {
    async watch(tell) {
      sqlite.function('node_written', (nodeId: string) => tell(nodeId))
      for (const [table, column] of Object.entries(WATCHED)) {
        for (const [event, row] of Object.entries(ROW_OF)) {
          sqlite.exec(`create temp trigger told_of_${event}_of_${table} after ${event} on main.${table}
            begin select node_written(${row}.${column}); end`)
        }
      }
    },
    /** Counts what others committed to this file, not what this connection did. */
    foreign: () => version.get(),
    isPending: () => false,
  }
}

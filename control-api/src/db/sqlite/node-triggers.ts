// SPDX-License-Identifier: MIT
// Tells which nodes are written of, as they are written: by triggers of this connection alone, which call a function of ours.
import type Sqlite from 'better-sqlite3'
import { SPEAKS_BY, WATCHED, type WriteSource, type Written } from '../node-writes.ts'

/** A column that is set to what it was is none. */
const IS_ANOTHER_SPEAKER = SPEAKS_BY.map((name) => `new.${name} is not old.${name}`).join(' or ')
const ROW_OF = { insert: 'new', update: 'new', delete: 'old' }

export function nodeTriggers(sqlite: Sqlite.Database): WriteSource {
  const version = sqlite.prepare('pragma data_version').pluck()
  return {
    async watch(tell) {
      sqlite.function('node_written', (nodeId: string, what: Written) => tell(nodeId, what))
      for (const [table, column] of Object.entries(WATCHED)) {
        for (const [event, row] of Object.entries(ROW_OF)) {
          sqlite.exec(`create temp trigger told_of_${event}_of_${table} after ${event} on main.${table}
            begin select node_written(${row}.${column}, '${table}'); end`)
        }
      }
      for (const [event, row] of Object.entries(ROW_OF)) {
        const when = event === 'update' ? `when ${IS_ANOTHER_SPEAKER}` : ''
        sqlite.exec(`create temp trigger told_of_${event}_of_speaker after ${event} on main.nodes ${when}
          begin select node_written(${row}.id, 'speaker'); end`)
      }
    },
    /** Counts what others committed to this file, not what this connection did. */
    foreign: () => version.get(),
    isPending: () => false,
  }
}

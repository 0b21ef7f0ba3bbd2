// SPDX-License-Identifier: MIT
// What happens between two turns of the event loop: how long nothing else had its turn, and how much was asked of SQLite.
import Sqlite from 'better-sqlite3'

export type Turns = {
  longestMs: number
  statements: number
  /** The most between two turns, of statements and of the rows that they gave and changed. */
  mostStatements: number
  mostRows: number
}

const RUNNING = ['all', 'run', 'get'] as const

type Count = { statements: number; rows: number }
/** Of this process. Counted from the first look on. */
const count: Count = { statements: 0, rows: 0 }
let isCounting = false

/** Each statement of better-sqlite3 is an object of one class, which says what it runs. */
function countAll(): void {
  if (isCounting) return
  isCounting = true
  const database = new Sqlite(':memory:')
  const statement = Object.getPrototypeOf(database.prepare('select 1'))
  for (const name of RUNNING) {
    const run = statement[name]
    statement[name] = function (this: Sqlite.Statement, ...given: unknown[]) {
      const result = run.apply(this, given)
      count.statements++
      count.rows += Array.isArray(result) ? result.length : (result?.changes ?? 1)
      return result
    }
  }
  database.close()
}

/** Looks at every turn of the loop until it is told to stop. */
export function watchTurns(): () => Turns {
  countAll()
  const seen: Turns = { longestMs: 0, statements: 0, mostStatements: 0, mostRows: 0 }
  let atMs = performance.now()
  let before = { ...count }
  let isOver = false
  const look = () => {
    const nowMs = performance.now()
    const statements = count.statements - before.statements
    seen.longestMs = Math.max(seen.longestMs, nowMs - atMs)
    seen.statements += statements
    seen.mostStatements = Math.max(seen.mostStatements, statements)
    seen.mostRows = Math.max(seen.mostRows, count.rows - before.rows)
    atMs = nowMs
    before = { ...count }
  }
  const turn = () => {
    look()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    look()
    isOver = true
    return seen
  }
}

// SPDX-License-Identifier: MIT
// What happens between two turns of the event loop: how long nothing else had its turn, and how much was asked of SQLite.
import Sqlite from 'better-sqlite3'

export type Turns = {
  longestMs: number
  /** Of the processor: what it would be on a machine that does nothing else, but for its disk. */
  longestCpuMs: number
  /** In all, of the processor. */
  totalCpuMs: number
  statements: number
  /** The most between two turns, of statements and of the rows that they changed. */
  mostStatements: number
  mostChanges: number
}

const RUNNING = ['all', 'run', 'get'] as const

/** Of the databases in a folder: other services of this process have theirs elsewhere. */
type Count = { folder: string; statements: number; changes: number }
const counts = new Set<Count>()
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
      for (const count of counts) {
        if (!this.database.name.startsWith(count.folder)) continue
        count.statements++
        count.changes += result?.changes ?? 0
      }
      return result
    }
  }
  database.close()
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Looks at every turn of the loop until it is told to stop; statements are those of databases in that folder. */
export function watchTurns(folder: string): () => Turns {
  countAll()
  const count: Count = { folder, statements: 0, changes: 0 }
  counts.add(count)
  const seen: Turns = {
    longestMs: 0,
    longestCpuMs: 0,
    totalCpuMs: 0,
    statements: 0,
    mostStatements: 0,
    mostChanges: 0,
  }
  let atMs = performance.now()
  let atCpuMs = cpuMs()
  let before = { ...count }
  let isOver = false
  const look = () => {
    const nowMs = performance.now()
    const nowCpuMs = cpuMs()
    const statements = count.statements - before.statements
    seen.longestMs = Math.max(seen.longestMs, nowMs - atMs)
    seen.longestCpuMs = Math.max(seen.longestCpuMs, nowCpuMs - atCpuMs)
    seen.totalCpuMs += nowCpuMs - atCpuMs
    seen.statements += statements
    seen.mostStatements = Math.max(seen.mostStatements, statements)
    seen.mostChanges = Math.max(seen.mostChanges, count.changes - before.changes)
    atMs = nowMs
    atCpuMs = nowCpuMs
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
    counts.delete(count)
    return seen
  }
}

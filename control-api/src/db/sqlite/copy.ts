// SPDX-License-Identifier: MIT
// A copy of control.db while it is written, as of one moment, and what can be said of such a copy.
import Sqlite from 'better-sqlite3'

/** Between two of them other threads and processes get their turn at the disk. */
const PAGES_PER_STEP = 500

export type ControlDbFacts = { controlPlaneId: string; epoch: number; steps: string[] }

/**
 * The open read keeps its moment: without it, whoever writes meanwhile would make the copy begin again,
 * under a steady load for ever.
 */
export async function copyControlDb(from: string, to: string): Promise<void> {
  const sqlite = new Sqlite(from, { readonly: true, fileMustExist: true })
  try {
    sqlite.exec('begin')
    sqlite.prepare('select count(*) from sqlite_master').get()
    await sqlite.backup(to, { progress: () => PAGES_PER_STEP })
  } finally {
    sqlite.close()
  }
}

/** Throws with what is wrong with it. Of a file that nobody else has open. */
export function checkControlDb(path: string): ControlDbFacts {
  const sqlite = new Sqlite(path, { fileMustExist: true })
  try {
    // In one file: what is moved is all there is.
    sqlite.pragma('journal_mode = DELETE')
    const found = sqlite.pragma('integrity_check(10)', { simple: true })
    if (found !== 'ok') throw new Error(`its integrity_check says: ${found}`)
    const dangling = sqlite.pragma('foreign_key_check') as unknown[]
    if (dangling.length > 0) throw new Error(`${dangling.length} rows refer to nothing`)
    const meta = (key: string) =>
      sqlite.prepare<[string], string>('select value from meta where key = ?').pluck().get(key)
    const steps = sqlite
      .prepare<[], string>('select name from kysely_migration order by name')
      .pluck()
      .all()
    return {
      controlPlaneId: meta('controlPlaneId') ?? '',
      epoch: Number(meta('epoch') ?? 0),
      steps,
    }
  } finally {
    sqlite.close()
  }
}

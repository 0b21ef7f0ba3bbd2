// SPDX-License-Identifier: MIT
// Who works in a data folder: the service and the operator's commands side by side, or a restore alone.
// The lock is SQLite's on an empty file beside the databases: the kernel lets it go with its process,
// however that ends.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { defineError } from '../errors.ts'

export const LOCK_FILE = 'folder.lock'

export const FolderInUse = defineError(
  409,
  'folder_in_use',
  'The data folder is in use',
  (dataDir: string) =>
    `A control plane, or one of its commands, works in ${dataDir}. Stop it, then try again.`,
)
export const FolderBeingRestored = defineError(
  409,
  'folder_being_restored',
  'The data folder is being restored',
  (dataDir: string) => `A backup is being restored into ${dataDir}. Wait until it is done.`,
)

type Release = () => void

/** Beside others that do the same. */
export function enterFolder(dataDir: string): Release {
  return take(dataDir, ['begin', 'select count(*) from sqlite_master'], FolderBeingRestored)
}

/** Alone. */
export function claimFolder(dataDir: string): Release {
  return take(dataDir, ['begin exclusive'], FolderInUse)
}

function take(dataDir: string, statements: string[], Refusal: typeof FolderInUse): Release {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const sqlite = new Sqlite(join(dataDir, LOCK_FILE), { timeout: 0 })
  try {
    for (const statement of statements) sqlite.exec(statement)
    return () => sqlite.close()
  } catch (error) {
    sqlite.close()
    const isHeld = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')
    throw isHeld ? new Refusal(dataDir) : error
  }
}

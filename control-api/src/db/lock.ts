// SPDX-License-Identifier: MIT
// Who works in a data folder: one service and the operator's commands side by side, or a restore alone.
// The locks are SQLite's on empty files beside the databases: the kernel lets them go with their process,
// however that ends.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { defineError } from '../api-shapes/errors.ts'

export const LOCK_FILE = 'folder.lock'
/** Held by the one service: two would each take their own turns at the same rollouts. */
export const SERVICE_LOCK_FILE = 'service.lock'

export const FolderInUse = defineError(
  409,
  'folder_in_use',
  'The data folder is in use',
  (dataDir: string) =>
    `A control plane, or one of its commands, works in ${dataDir}. Stop it, then try again.`,
)
export const FolderServed = defineError(
  409,
  'folder_served',
  'Another control plane runs on the data folder',
  (dataDir: string) =>
    `A control plane runs on ${dataDir} already. Stop that one first, or set FARMSTEAD_DATA_DIR to another folder.`,
)
export const FolderBeingRestored = defineError(
  409,
  'folder_being_restored',
  'The data folder is being restored',
  (dataDir: string) => `A backup is being restored into ${dataDir}. Wait until it is done.`,
)

type Release = () => void

const SHARED = ['begin', 'select count(*) from sqlite_master']
const EXCLUSIVE = ['begin exclusive']

/** Beside others that do the same. */
export const enterFolder = (dataDir: string): Release =>
  take(dataDir, { file: LOCK_FILE, statements: SHARED, Refusal: FolderBeingRestored })

/** Alone. */
export const claimFolder = (dataDir: string): Release =>
  take(dataDir, { file: LOCK_FILE, statements: EXCLUSIVE, Refusal: FolderInUse })

/** Beside commands, but not beside another service. */
export function enterFolderAsService(dataDir: string): Release {
  const leaveFolder = enterFolder(dataDir)
  const alone = { file: SERVICE_LOCK_FILE, statements: EXCLUSIVE, Refusal: FolderServed }
  try {
    const leaveService = take(dataDir, alone)
    return () => {
      leaveService()
      leaveFolder()
    }
  } catch (error) {
    leaveFolder()
    throw error
  }
}

type Lock = { file: string; statements: readonly string[]; Refusal: typeof FolderInUse }

function take(dataDir: string, { file, statements, Refusal }: Lock): Release {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const sqlite = new Sqlite(join(dataDir, file), { timeout: 0 })
  try {
    for (const statement of statements) sqlite.exec(statement)
    return () => sqlite.close()
  } catch (error) {
    sqlite.close()
    const isHeld = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')
    throw isHeld ? new Refusal(dataDir) : error
  }
}

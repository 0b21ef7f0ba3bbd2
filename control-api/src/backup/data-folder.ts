// SPDX-License-Identifier: MIT
// Which files of a data folder a backup holds, and what of them is only in passing.
import { readdirSync } from 'node:fs'
import { LOCK_FILE, SERVICE_LOCK_FILE } from '../db/lock.ts'
import { RESERVE_FILE } from '../storage/reserve.ts'

/** Followed by the process that works in it. */
export const WORK_PREFIX = 'backup.work-'
export const RESTORE_WORK = 'restore.work'
/** As long as it is there, the folder's files are of two control planes. */
export const RESTORE_MARK = 'restore.unfinished'
/** What a restore put aside, with the time. */
export const REPLACED_PREFIX = 'replaced-'

/** Measurements may be lost, and outgrow everything else. */
const MEASUREMENTS = /^metrics\.db/
const DATABASE = /^control\.db/
const PASSING = /\.(new|tmp)$/

const LOCKS = [LOCK_FILE, SERVICE_LOCK_FILE]

const isFolderOwn = (name: string) =>
  name === RESTORE_MARK ||
  name === RESERVE_FILE ||
  LOCKS.some((lock) => name === lock || name.startsWith(`${lock}-`))

const plainFiles = (dataDir: string) =>
  readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !isFolderOwn(entry.name) && !MEASUREMENTS.test(entry.name))
    .map(({ name }) => name)
    .sort()

/** The CA's keys, the session's, and whatever else lies beside the database. */
export const keyFiles = (dataDir: string): string[] =>
  plainFiles(dataDir).filter((name) => !DATABASE.test(name) && !PASSING.test(name))

/** What makes it a control plane's: a restore replaces it. */
export const replaceable = plainFiles

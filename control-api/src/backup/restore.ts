// SPDX-License-Identifier: MIT
// Puts a backup in the place of a data folder's control plane. Everything that can fail is done beside it
// first; then files are moved, under a mark that keeps the service from starting on half of them.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../base/sync-folder.ts'
import { claimFolder, LOCK_FILE } from '../db/lock.ts'
import { REPLACED_PREFIX, RESTORE_MARK, RESTORE_WORK, replaceable } from './data-folder.ts'
import { FolderNotEmpty, RestoreUnfinished } from './errors.ts'
import type { Manifest } from './manifest.ts'
import { unpackBackup } from './unpack.ts'

type RestoreOrder = {
  dataDir: string
  file: string
  identities: readonly string[]
  knownSteps: readonly string[]
  /** Of the file that is meant; see unpack.ts. */
  sha256?: string | undefined
  /** What is there may be put aside. */
  replace: boolean
  nowMs: number
  /** Makes the unpacked folder one that may be started. */
  prepare: (dir: string, manifest: Manifest) => Promise<void>
}
/** putAside: where what was there is now; null: the folder was empty. */
export type Restored = { manifest: Manifest; putAside: string | null }

export async function restoreBackup(order: RestoreOrder): Promise<Restored> {
  const { dataDir, replace, prepare } = order
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const release = claimFolder(dataDir)
  try {
    if (!replace && replaceable(dataDir).length > 0) throw new FolderNotEmpty(dataDir)
    const work = join(dataDir, RESTORE_WORK)
    rmSync(work, { recursive: true, force: true })
    const manifest = await unpackBackup(order, work)
    await prepare(work, manifest)
    rmSync(join(work, LOCK_FILE), { force: true })
    return { manifest, putAside: exchange(order, work) }
  } finally {
    release()
  }
}

function exchange({ dataDir, nowMs }: RestoreOrder, work: string): string | null {
  const mark = join(dataDir, RESTORE_MARK)
  writeFileSync(mark, '', { mode: 0o600 })
  syncFolder(dataDir)
  const putAside = putFilesAside(dataDir, nowMs)
  for (const name of readdirSync(work)) renameSync(join(work, name), join(dataDir, name))
  syncFolder(dataDir)
  rmSync(mark)
  rmSync(work, { recursive: true })
  syncFolder(dataDir)
  return putAside
}

function putFilesAside(dataDir: string, nowMs: number): string | null {
  const names = replaceable(dataDir)
  if (names.length === 0) return null
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const aside = join(dataDir, `${REPLACED_PREFIX}${stamp}`)
  mkdirSync(aside, { recursive: true, mode: 0o700 })
  for (const name of names) renameSync(join(dataDir, name), join(aside, name))
  syncFolder(aside)
  return aside
}

/** Throws when a restore was cut short here. */
export function requireWholeFolder(dataDir: string): void {
  if (existsSync(join(dataDir, RESTORE_MARK))) throw new RestoreUnfinished(dataDir)
}

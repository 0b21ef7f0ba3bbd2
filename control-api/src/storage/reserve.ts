// SPDX-License-Identifier: MIT
// A file that keeps room in the data folder. Let go when the disk is full, it is where the last decisions
// find room: that rollouts pause, and what nodes say of what they were doing.
import { randomBytes } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const RESERVE_FILE = 'reserve'
export const RESERVE_BYTES = 4 * 1024 * 1024

export function createReserve(dataDir: string) {
  const path = join(dataDir, RESERVE_FILE)
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.size === RESERVE_BYTES
  const letGo = () => rmSync(path, { force: true })
  return {
    /** Makes it where as much again stays free; true: it is there. */
    async hold(): Promise<boolean> {
      if (isThere()) return true
      const { bavail, bsize } = await statfs(dataDir)
      if (bavail * bsize < 2 * RESERVE_BYTES) return false
      try {
        // Zeros would take no room on a disk that compresses.
        await writeFile(path, randomBytes(RESERVE_BYTES), { mode: 0o600, flush: true })
        return true
      } catch {
        letGo()
        return false
      }
    },
    letGo,
  }
}

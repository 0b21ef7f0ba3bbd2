// SPDX-License-Identifier: MIT
// Where tests keep what they write: in memory, where there is room. A database waits for its disk at each step, and a test
// has hundreds; what a disk does when it is full, or slow, is the matter of tests that have one of their own.
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Containers give 64 MiB, which some tests fill. */
const ROOM_BYTES = 1024 ** 3
const PREFIX = 'farmstead-test-'
/** No test lives as long, not even one that runs for hours. */
const LEFT_MS = 24 * 3600 * 1000

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  // The folder may be as large as half of the memory, which is others' by now.
  return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES
}

/** Whoever makes it removes it. Asked each time: others fill the memory, too. */
export const makeQuickFolder = (): string => mkdtempSync(join(quickPlace(), PREFIX))

export const quickPlace = (): string => (hasRoom() ? MEMORY : tmpdir())

/** What runs that were killed have left takes memory until somebody removes it. Of one's own user. */
export function removeLeft(folder = MEMORY, nowMs = Date.now()): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX)) continue
    const path = join(folder, name)
    const about = statSync(path, { throwIfNoEntry: false })
    if (about && about.uid === process.getuid?.() && about.mtimeMs < nowMs - LEFT_MS)
      rmSync(path, { recursive: true, force: true })
  }
}

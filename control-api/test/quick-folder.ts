// SPDX-License-Identifier: MIT
// Where tests keep what they write: in memory, where there is room. A database waits for its disk at each step, and a test
// has hundreds; what a disk does when it is full, or slow, is the matter of tests that have one of their own.
import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
/** Containers give 64 MiB, which some tests fill. */
const ROOM_BYTES = 1024 ** 3

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM_BYTES
}

export const QUICK_FOLDER = hasRoom() ? MEMORY : tmpdir()

// SPDX-License-Identifier: MIT
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** A file that was made, renamed or removed in it stays so after a power cut. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

// SPDX-License-Identifier: MIT
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A program in the binary's place, in that folder, that answers or fails as the real one should not. */
export function program(dir: string, script: string): string {
  const path = join(dir, 'farmstead-node')
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

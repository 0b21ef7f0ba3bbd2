// SPDX-License-Identifier: MIT
// For the environment of processes that tests start: compiling the same modules again is a third of what each takes.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Kept from one run of the tests to the next, where the set-up says so. */
export const COMPILED = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'farmstead-compiled'),
}

/** Node writes a module's file once and never takes one away, though the module, its folder or that Node is gone. */
const KEPT_MS = 3 * 24 * 3600 * 1000

/** What is in use is compiled anew, once in that time. */
export function removeOldCompiled(folder = COMPILED.NODE_COMPILE_CACHE, nowMs = Date.now()): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    const about = statSync(path, { throwIfNoEntry: false })
    if (about?.isFile() && about.mtimeMs < nowMs - KEPT_MS) rmSync(path, { force: true })
  }
}

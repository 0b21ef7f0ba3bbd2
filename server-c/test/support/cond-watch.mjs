// SPDX-License-Identifier: MIT
// Builds cond_watch.c and says how to start a node with it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from './node.mjs'

const source = join(dirname(fileURLToPath(import.meta.url)), 'cond_watch.c')

/** `wrap` is for startNode; seen() is what event loops have signalled. */
export function condWatch(t) {
  const folder = tempFolder(t)
  const library = join(folder, 'cond_watch.so')
  const path = join(folder, 'seen')
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'],
    ...['-o', library, source],
  ])
  // AddressSanitizer wants to be the first library. It need not: its calls come after ours.
  const asan = [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':')
  return {
    wrap: ['env', `LD_PRELOAD=${library}`, `ASAN_OPTIONS=${asan}`, `FARMSTEAD_COND_SEEN=${path}`],
    seen: () => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
  }
}

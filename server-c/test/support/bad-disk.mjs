// SPDX-License-Identifier: MIT
// Builds bad_disk.c and says how to start a node with it.
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from './node.mjs'

const source = join(dirname(fileURLToPath(import.meta.url)), 'bad_disk.c')

/** For startNode's `wrap`: the node's disk fails where bad_disk.c says. */
export function badDisk(t) {
  const library = join(tempFolder(t), 'bad_disk.so')
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'],
    ...['-o', library, source],
  ])
  // AddressSanitizer wants to be the first library. It need not: its calls come after ours.
  const asan = [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':')
  return ['env', `LD_PRELOAD=${library}`, `ASAN_OPTIONS=${asan}`]
}

// SPDX-License-Identifier: MIT
// Builds hung_disk.c and says how to start a node with it.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { tempFolder } from './node.mjs'

const source = join(dirname(fileURLToPath(import.meta.url)), 'hung_disk.c')

/** `wrap` is for startNode, `env` for AgentNode; after release() the disk answers. */
export function hungDisk(t) {
  const folder = tempFolder(t)
  const library = join(folder, 'hung_disk.so')
  const until = join(folder, 'released')
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'],
    ...['-o', library, source],
  ])
  // AddressSanitizer wants to be the first library. It need not: its calls come after ours.
  const asan = [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':')
  const env = { LD_PRELOAD: library, ASAN_OPTIONS: asan, FARMSTEAD_HANG_UNTIL: until }
  return {
    env,
    wrap: ['env', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
    release: async () => {
      writeFileSync(until, '')
      await sleep(500) // all that hang have seen it
    },
  }
}

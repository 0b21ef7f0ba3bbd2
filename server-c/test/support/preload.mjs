// SPDX-License-Identifier: MIT
// Builds a library that stands between the node and the system, and says how to start a node with it.
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from './node.mjs'

const here = dirname(fileURLToPath(import.meta.url))

/** For startNode's `wrap`: the calls of `name`.c come before the system's. */
export function preload(t, name, env = {}) {
  const library = join(tempFolder(t), `${name}.so`)
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'],
    ...['-o', library, join(here, `${name}.c`)],
  ])
  // AddressSanitizer wants to be the first library. It need not: its calls come after ours.
  const asan = [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':')
  const pairs = Object.entries(env).map((pair) => pair.join('='))
  return ['env', `LD_PRELOAD=${library}`, `ASAN_OPTIONS=${asan}`, ...pairs]
}

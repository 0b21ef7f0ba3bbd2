// SPDX-License-Identifier: MIT
// Builds a library that stands between the node and the system, and says how to start a node with it.
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from './node.mjs'

const here = dirname(fileURLToPath(import.meta.url))

/** The environment of a node, in which the calls of `name`.c come before the system's. */
export function preloadEnv(t, name, env = {}) {
  const library = join(tempFolder(t), `${name}.so`)
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'],
    ...['-o', library, join(here, `${name}.c`)],
  ])
  // AddressSanitizer wants to be the first library. It need not: its calls come after ours.
  const asan = [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':')
  return { LD_PRELOAD: library, ASAN_OPTIONS: asan, ...env }
}

/** An environment as startNode's `wrap`. */
export const wrapWith = (env) => ['env', ...Object.entries(env).map((pair) => pair.join('='))]

export const preload = (t, name, env) => wrapWith(preloadEnv(t, name, env))

// SPDX-License-Identifier: MIT
// Builds a library that stands between the node and the system, and says how to start a node with it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/** Once for all tests of a file: nothing else goes on while it is built. */
const libraries = new Map()

function libraryOf(name) {
  const built = libraries.get(name)
  if (built) return built
  const folder = mkdtempSync(join(tmpdir(), 'farmstead-preload-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const library = join(folder, `${name}.so`)
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'],
    ...['-o', library, join(here, `${name}.c`)],
  ])
  libraries.set(name, library)
  return library
}

/** The environment of a node, in which the calls of `name`.c come before the system's. */
export function preloadEnv(name, env = {}) {
  // AddressSanitizer wants to be the first library. It need not: its calls come after ours.
  const asan = [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':')
  return { LD_PRELOAD: libraryOf(name), ASAN_OPTIONS: asan, ...env }
}

/** An environment as startNode's `wrap`. */
export const wrapWith = (env) => ['env', ...Object.entries(env).map((pair) => pair.join('='))]

export const preload = (name, env) => wrapWith(preloadEnv(name, env))

// SPDX-License-Identifier: MIT
// What has to be there before anything is measured: peers and wrk from Debian, the release build of
// the node, and the bench's own programs.
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNode } from '../../scripts/setup/builds.mjs'
import { ensureDebianPackages } from '../../scripts/setup/debian-packages.mjs'
import { lock } from '../../scripts/setup/lock.mjs'
import { nodeBinary, toolsDir } from '../../scripts/setup/paths.mjs'
import { Steps } from '../../scripts/setup/steps.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Where files, configs and programs are kept: the servers' user must be able to get there. */
export function benchFolder() {
  const dir = process.env.FARMSTEAD_BENCH_DIR ?? `/var/tmp/farmstead-bench-${process.getuid?.()}`
  mkdirSync(dir, { recursive: true })
  chmodSync(dir, 0o755)
  return dir
}

const isNewer = (a, b) => !existsSync(b) || statSync(a).mtimeMs > statSync(b).mtimeMs

/** @param {Steps} steps @param {string} dir */
async function compile(steps, dir) {
  const flags = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Werror', '-pthread']
  const libraries = ['-lssl', '-lcrypto']
  await steps.step('floor and clients', async () => {
    let built = null
    for (const name of ['floor', 'idle_holder', 'tls_load']) {
      const source = join(here, `${name}.c`)
      const program = join(dir, name)
      if (!isNewer(source, program)) continue
      await steps.run('cc', [...flags, '-o', program, source, ...libraries])
      built = 'built'
    }
    return built
  })
}

/**
 * FARMSTEAD_NODE names a build that is there already.
 * @param {{ packages: 'bench' | null, builds: boolean }} what
 */
export async function prepare({ packages, builds }) {
  const dir = benchFolder()
  const held = await lock(join(toolsDir, 'setup.lock'), (pid) => {
    process.stdout.write(`A set-up is at work here (pid ${pid}); waiting for it to end.\n`)
  })
  const steps = new Steps()
  try {
    if (packages) await ensureDebianPackages(steps, packages)
    if (builds && !process.env.FARMSTEAD_NODE) await buildNode(steps)
    await compile(steps, dir)
  } finally {
    steps.close()
    held.release()
  }
  return {
    dir,
    node: process.env.FARMSTEAD_NODE ?? nodeBinary,
    floor: join(dir, 'floor'),
    holder: join(dir, 'idle_holder'),
    tlsLoad: join(dir, 'tls_load'),
    caddy: join(dir, 'caddy'),
  }
}

// SPDX-License-Identifier: MIT
// Set-up: from a bare Debian 12 with some Node ≥ 18 to everything built. Safe to run again at any
// time, and by two terminals at once (the second waits).
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole, buildControlPlane, buildNode } from './builds.mjs'
import { ensureDebianPackages } from './debian-packages.mjs'
import { ensureChartTools } from './helm.mjs'
import { lock } from './lock.mjs'
import { ensureNode } from './node-toolchain.mjs'
import { ensureNpmPackages, isInstalled } from './npm-packages.mjs'
import { root, toolsDir } from './paths.mjs'
import { Problem } from './problem.mjs'
import { ensureSchemathesis } from './schemathesis.mjs'
import { Steps, seconds } from './steps.mjs'
import { withSystemFolders } from './system-folders.mjs'

const MEBIBYTE = 1024 * 1024
const FIRST_TIME_MEBIBYTES = 2048
const LATER_MEBIBYTES = 256

function checkDisk() {
  const { bavail, bsize } = statfsSync(root)
  const freeMebibytes = Math.floor((bavail * bsize) / MEBIBYTE)
  const needed = isInstalled() ? LATER_MEBIBYTES : FIRST_TIME_MEBIBYTES
  if (freeMebibytes >= needed) return
  throw new Problem(
    `The disk is full: ${freeMebibytes} MiB are free at ${root}, set-up needs ${needed} MiB; free some space and run the command again.`,
  )
}

/**
 * @param {import('./debian-packages.mjs').PackageSet} set
 * @returns {Promise<import('./node-toolchain.mjs').Toolchain>}
 */
export async function setUp(set) {
  const startedAt = performance.now()
  process.env.PATH = withSystemFolders(process.env.PATH ?? '')
  checkDisk()
  const held = await lock(join(toolsDir, 'setup.lock'), (pid) => {
    process.stdout.write(`Another set-up is at work here (pid ${pid}); waiting for it to end.\n`)
  })
  const steps = new Steps()
  try {
    process.stdout.write('Setting up (details in .tools/setup.log)\n')
    const tools = await ensureNode(steps)
    await ensureDebianPackages(steps, set)
    // What comes over the network waits for it: the node is built meanwhile.
    await steps.together([
      ensureNpmPackages(steps, tools),
      buildNode(steps),
      ...(set === 'test' ? [ensureTestTools(steps, tools)] : []),
    ])
    await buildControlPlane(steps, tools)
    await buildConsole(steps, tools)
    process.stdout.write(`Set up in ${seconds(startedAt)}\n`)
    return tools
  } finally {
    steps.close()
    held.release()
  }
}

/** @param {Steps} steps @param {import('./node-toolchain.mjs').Toolchain} tools */
async function ensureTestTools(steps, tools) {
  await ensureSchemathesis(steps)
  await ensureChartTools(steps, tools)
}

// SPDX-License-Identifier: MIT
// Runs one of our TypeScript programs under the project's Node, as if it were this process: it has
// the terminal, gets our signals, and learns when we are gone (its IPC channel closes).
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './paths.mjs'

/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * @param {import('./node-toolchain.mjs').Toolchain} tools
 * @param {string} script path from the root
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export function runScript(tools, script, args) {
  // A process group of its own: Ctrl-C reaches only us and is passed on once.
  const child = spawn(tools.node, [join(root, script), ...args], {
    env: tools.env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of forwarded) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']),
    )
  })
}

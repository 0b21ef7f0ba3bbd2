// SPDX-License-Identifier: MIT
// Builds service_manager.c and starts it: what a process under test tells systemd.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder, until } from './node.mjs'

const source = join(dirname(fileURLToPath(import.meta.url)), 'service_manager.c')

/** `env` is what the process is started with; `told` what it has said so far. */
export async function startServiceManager(t) {
  const folder = tempFolder(t)
  const program = join(folder, 'service_manager')
  const socket = join(folder, 'notify')
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror', '-o', program, source],
  ])
  const child = spawn(program, [socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    child.kill()
    await once(child, 'exit')
  })
  let output = ''
  child.stdout.on('data', (bytes) => (output += bytes))
  await until(() => output.startsWith('listening\n'), 'the service manager')
  const told = () => output.split('\n').slice(1, -1)
  return {
    env: { NOTIFY_SOCKET: socket },
    told,
    /** Resolves when `count` messages that begin with `start` have come. */
    untilTold: (start, count = 1) =>
      until(() => told().filter((line) => line.startsWith(start)).length >= count, start),
  }
}

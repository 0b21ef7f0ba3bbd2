// SPDX-License-Identifier: MIT
// Namespaces of the kernel, each held by a process that ends with this one. Only root can make them.
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Child, cleanEnv } from './processes.ts'

const READY_WITHIN_MS = 5000
const POLL_MS = 10

/** The words that start a command inside the `what` (m: mounts, n: network) that `pid` holds. */
export const enter = (what: string, pid: number) => ['nsenter', '-t', String(pid), `-${what}`, '--']

/** Why there can be no such machines here; null: there can. */
export function whyNone(): string | null {
  const script = 'mount -t tmpfs tmpfs /mnt && unshare -n ip link set lo up'
  const { status, stderr, error } = spawnSync('unshare', ['-m', 'sh', '-c', script])
  return status === 0 ? null : String(error ?? stderr).trim()
}

/** A process that stands in a namespace and says so; who enters by its pid is there too. */
export async function hold(command: string[], logFile: string): Promise<Child> {
  let said = ''
  const onOutput = (text: string) => {
    said += text
  }
  const child = new Child({ command, env: cleanEnv(), logFile, onOutput })
  const deadline = performance.now() + READY_WITHIN_MS
  while (!said.includes('ready')) {
    if (!child.lives || performance.now() > deadline) throw new Error(`no namespace: ${said}`)
    await sleep(POLL_MS)
  }
  return child
}

/** Set in the process that has a network of its own. */
const INSIDE = 'FARMSTEAD_INSIDE'

/**
 * Runs this very program once more in a network and with mounts of its own, where what is left over ends with it, and returns
 * how it ended; null: this is that one. It draws from the same seed.
 */
export function runInside(seed: number): number | null {
  if (process.env[INSIDE]) {
    spawnSync('ip', ['link', 'set', 'lo', 'up'])
    return null
  }
  const words = ['--net', '--mount', process.execPath, ...process.argv.slice(1)]
  const more = process.argv.includes('--seed') ? [] : ['--seed', String(seed)]
  const env = { ...process.env, [INSIDE]: '1' }
  return spawnSync('unshare', [...words, ...more], { env, stdio: 'inherit' }).status ?? 1
}

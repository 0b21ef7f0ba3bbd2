// SPDX-License-Identifier: MIT
// The service as a process of its own, for programs that are no tests: nothing ends it but its caller.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMPILED } from './compiled.ts'
import { PROGRAMS } from './programs.ts'

/** As `npm start` starts it. */
const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
const FLAGS: string[] = scripts.start.split(' ').filter((word: string) => word.startsWith('--'))
const START_WITHIN_MS = 60_000

export type ServiceProcess = { child: ChildProcess; url: string; ended: Promise<void> }

/** Throws when it ended, or did not say in a minute where it listens. `onSpawned` is told before it is waited for. */
export async function startService(
  env: NodeJS.ProcessEnv,
  onSpawned: (child: ChildProcess) => void = () => {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [...FLAGS, PROGRAMS.server], {
    env: { ...COMPILED, MALLOC_ARENA_MAX: '2', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onSpawned(child)
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const deadline = performance.now() + START_WITHIN_MS
  for (;;) {
    const url = /Console and API {2}(\S+)/.exec(output)?.[1]
    if (url) return { child, url, ended }
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`the service did not start: ${output}`)
    }
    await sleep(10)
  }
}

export function oneTimePassword(env: NodeJS.ProcessEnv): string {
  const words = [PROGRAMS.admin, 'reset-admin-password', '--json']
  const options = { env: { ...COMPILED, ...env }, encoding: 'utf8' } as const
  return JSON.parse(execFileSync(process.execPath, words, options)).password
}

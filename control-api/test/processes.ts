// SPDX-License-Identifier: MIT
// Starts the real processes; they end with the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { expect, onTestFinished } from 'vitest'
import { COMPILED } from './compiled.ts'
import { PROGRAMS } from './programs.ts'

/** It takes two seconds of a core that may have much else to do: this is for when it never would. */
export const START_WITHIN_MS = 60_000
type Ended = { code: number | null; stdout: string; stderr: string }

export function start(script: string, args: string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH ?? '', ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    out.stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    out.stderr += chunk
  })
  const ended = new Promise<Ended>((done) => child.on('close', (code) => done({ code, ...out })))
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { child, out, ended }
}

export const serverEnv = (dataDir: string) => ({
  FARMSTEAD_DATA_DIR: dataDir,
  FARMSTEAD_PORT: '0',
  FARMSTEAD_AGENT_PORT: '0',
  FARMSTEAD_AGENT_URL: 'http://127.0.0.1:9701',
  FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
})

export async function startServer(dataDir: string, env: Record<string, string> = {}) {
  const server = start(PROGRAMS.server, [], { ...serverEnv(dataDir), ...env })
  await expect.poll(() => server.out.stdout, { timeout: START_WITHIN_MS }).toMatch(/Agents/)
  const url = /Console and API {2}(\S+)/.exec(server.out.stdout)?.[1] ?? ''
  return { ...server, url }
}

// SPDX-License-Identifier: MIT
// The control plane as this farm runs it: its environment, its operator's commands, its health.
import { execFile } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { consoleDir, nodeBinary, programsDir } from '../setup/paths.mjs'
import { knownRemedy, Problem } from '../setup/problem.mjs'

const run = promisify(execFile)
const ADMIN_WITHIN_MS = 60_000

export type ControlPlanePorts = { console: number; agent: number }

export type ControlPlanePlace = { dataDir: string; consoleCopy: string; ports: ControlPlanePorts }

export const agentUrlOf = ({ agent }: Pick<ControlPlanePorts, 'agent'>) =>
  `https://127.0.0.1:${agent}`

/** A build under way must not take files away from under a running farm: it serves a copy. */
export function copyConsole(to: string): void {
  rmSync(to, { recursive: true, force: true })
  cpSync(consoleDir, to, { recursive: true })
}

export function controlPlaneEnv(place: ControlPlanePlace): NodeJS.ProcessEnv {
  const { dataDir, consoleCopy, ports } = place
  return {
    ...process.env,
    MALLOC_ARENA_MAX: '2',
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_HOST: '127.0.0.1',
    FARMSTEAD_PORT: String(ports.console),
    FARMSTEAD_AGENT_HOST: '127.0.0.1',
    FARMSTEAD_AGENT_PORT: String(ports.agent),
    // Whatever the shell says: the nodes of this farm have certificates.
    FARMSTEAD_AGENT_TRANSPORT: 'mtls',
    FARMSTEAD_AGENT_URL: agentUrlOf(ports),
    FARMSTEAD_NODE_BINARY: nodeBinary,
    FARMSTEAD_CONSOLE_DIR: consoleCopy,
  }
}

/** What node is started with. The flags: docs/running-the-control-plane.md, "Memory". */
export const serverWords = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=30',
  join(programsDir, 'server.js'),
]

/** Runs a command of the operator's (control-api/src/admin) and returns the JSON it prints; `wrap`: words before it. */
export async function admin(
  env: NodeJS.ProcessEnv,
  args: string[],
  wrap: readonly string[] = [],
): Promise<unknown> {
  const script = join(programsDir, 'admin.js')
  const [program = '', ...words] = [...wrap, process.execPath, script, ...args, '--json']
  try {
    const { stdout } = await run(program, words, {
      env,
      timeout: ADMIN_WITHIN_MS,
    })
    return JSON.parse(stdout)
  } catch (error) {
    throw failed(`The control plane's command "admin ${args[0]}" failed.`, error)
  }
}

/** A command's failure: what it said, and the remedy when that is known. */
export function failed(sentence: string, error: unknown): Problem {
  const detail =
    error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
  const remedy = knownRemedy(detail)
  return new Problem(remedy ? `${sentence} ${remedy}` : sentence, { detail })
}

export function stringField(answer: unknown, name: string): string | null {
  if (typeof answer !== 'object' || answer === null) return null
  const value = (answer as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : null
}

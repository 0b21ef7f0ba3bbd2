// SPDX-License-Identifier: MIT
// Runs farmload, the program that asks and counts (server-c/src/load), and understands what it says.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { repositoryDir } from '../../base/places.ts'
import type { Environment } from '../contexts.ts'
import { Failure } from '../failures.ts'

/** A histogram of times; `buckets` by index, as nodes have them. */
export type Times = {
  count: number
  zeroCount: number
  sumNs: number
  maxNs: number
  p50Seconds?: number
  p90Seconds?: number
  p95Seconds?: number
  p99Seconds?: number
  p999Seconds?: number
  buckets: [index: number, count: number][]
}
export const STAGES = [
  'latency',
  'wait',
  'connect',
  'handshake',
  'firstByte',
  'body',
  'service',
  'lag',
] as const
export type Stage = (typeof STAGES)[number]
type Misbehaved = { requests: number; bytes: number; failed: number }

export type Counted = {
  elapsedSeconds: number
  processorSeconds: number
  requests: number
  good: number
  /** What siege counts as not available. */
  socketFaults: number
  bodyBytes: number
  connections: number
  sentAgain: number
  mostUnderWay: number
  faults: Record<string, number>
  statuses: Record<string, number>
  badAnswer?: string
  handshakeFault?: string
  slow: Misbehaved
  aborting: Misbehaved
  stages: Record<Stage, Times>
  /** Times in ms from the beginning; the longest latency of each. */
  slots: [fromMs: number, requests: number, faults: number, maxMs: number][]
  /** In ms: when due, the stages but for `lag`; then the URL's number, the status and the fault. */
  samples: [...times: number[], url: number, status: number, fault: string][]
}

const BUILT = join(repositoryDir, 'server-c/build/release/farmload')

/** Where there is no build of ours it is looked for on the PATH. */
const programOf = (env: Environment) =>
  env.FARMSTEAD_LOAD_BINARY ?? (existsSync(BUILT) ? BUILT : 'farmload')

export async function runHeart(
  { env }: { env: Environment },
  plan: string,
  stop: AbortSignal,
): Promise<Counted> {
  stop.throwIfAborted()
  const program = programOf(env)
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'pipe'] })
  const end = () => child.kill('SIGTERM')
  stop.addEventListener('abort', end)
  const exit = new Promise<number | null>((done, fail) => {
    child.on('error', fail).on('close', done)
  })
  // It may refuse a plan before it has read all of it.
  child.stdin.on('error', () => {})
  child.stdin.end(plan)
  try {
    const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
    if (code !== 0) throw new Failure(stderr.trim() || `${program} ended by itself (${code}).`)
    return JSON.parse(stdout)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Failure(
        `${program} is not there. Build it (cmake --build --preset release in server-c), or name it: FARMSTEAD_LOAD_BINARY.`,
      )
    }
    throw error
  } finally {
    stop.removeEventListener('abort', end)
  }
}

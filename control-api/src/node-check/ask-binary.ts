// SPDX-License-Identifier: MIT
// One question to farmstead-node: a process of its own, bounded in time, output and number, and never more than a few at a
// time on the control plane's own cores.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'

export type Question = { args: readonly string[]; input: string }
export type Asked =
  /** Exit code 0, or 1: the ordinary "no". */
  | { ok: true; code: 0 | 1; stdout: string }
  /** Nobody looked; `message` says why and what to do. */
  | { ok: false; message: string }
export type AskBinary = (question: Question) => Promise<Asked>

export type BinaryOptions = {
  binary: string
  timeoutMs?: number
  concurrency?: number
  /** Questions waiting for a free place; more are turned away. */
  queueLength?: number
}

/** One that waits must not keep others from theirs, on one core either. */
const AT_ONCE = Math.max(2, availableParallelism())
const MAX_OUTPUT_BYTES = 1024 * 1024

export function createAskBinary(options: BinaryOptions): AskBinary {
  const { binary, timeoutMs = 5_000, concurrency = AT_ONCE, queueLength = 64 } = options
  const places = pLimit(concurrency)
  return async (question) => {
    if (places.pendingCount >= queueLength) {
      const message = `${queueLength} checks are waiting already; try again in a few seconds`
      return { ok: false, message }
    }
    return places(run, binary, question, timeoutMs)
  }
}

function run(binary: string, { args, input }: Question, timeoutMs: number): Promise<Asked> {
  return new Promise((resolve) => {
    const child = execFile(
      binary,
      args,
      { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES, env: {}, cwd: '/' },
      (error, stdout) =>
        resolve(error ? failed(binary, error, stdout, timeoutMs) : { ok: true, code: 0, stdout }),
    )
    // A child that ends without reading its input is reported by its exit.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

type Failure = Error & {
  code?: number | string | null
  killed?: boolean
  signal?: NodeJS.Signals | null
}

function failed(binary: string, error: Failure, stdout: string, timeoutMs: number): Asked {
  if (error.code === 1) return { ok: true, code: 1, stdout }
  return { ok: false, message: whyNot(binary, error, timeoutMs) }
}

function whyNot(binary: string, error: Failure, timeoutMs: number): string {
  if (error.code === 'ENOENT' || error.code === 'EACCES') {
    return `${binary} ${error.code === 'ENOENT' ? 'does not exist' : 'may not be run'}; build farmstead-node, or point FARMSTEAD_NODE_BINARY at it`
  }
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return `${binary} answered with more than ${MAX_OUTPUT_BYTES} bytes`
  }
  if (error.killed) return `${binary} did not answer within ${timeoutMs} ms`
  return `${binary} ended with ${error.signal ?? `exit code ${error.code}`}`
}

export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const STRANGE_ANSWER =
  'farmstead-node answered in a form this control plane does not know; use the same release of both'

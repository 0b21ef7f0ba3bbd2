// SPDX-License-Identifier: MIT
// Asks the node's own binary whether a config text is right: the code that will run it has the last
// word. One process per question, bounded in time, output and number, and never more than a few at
// a time on the control plane's own cores.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ConfigError } from '../api-shapes/common.ts'

export type NodeCheckResult =
  | { verdict: 'good'; digest: string }
  | { verdict: 'bad'; errors: ConfigError[] }
  /** Nobody looked: never to be taken for "good". `message` says why and what to do. */
  | { verdict: 'unavailable'; message: string }
/** With a file of an owner's rules, what those do not allow is an error with the code `policy`. */
export type NodeCheck = (text: string, policyFile?: string) => Promise<NodeCheckResult>

type Options = {
  binary: string
  timeoutMs?: number
  concurrency?: number
  /** Questions waiting for a free place; more are turned away. */
  queueLength?: number
}

/** One that waits must not keep others from theirs, on one core either. */
const AT_ONCE = Math.max(2, availableParallelism())
const MAX_OUTPUT_BYTES = 1024 * 1024

export function createNodeCheck(options: Options): NodeCheck {
  const { binary, timeoutMs = 5_000, concurrency = AT_ONCE, queueLength = 64 } = options
  const places = pLimit(concurrency)
  return async (text, policyFile) => {
    if (places.pendingCount >= queueLength) {
      return unavailable(`${queueLength} checks are waiting already; try again in a few seconds`)
    }
    return places(runCheck, binary, { text, policyFile }, timeoutMs)
  }
}

type Question = { text: string; policyFile: string | undefined }

function runCheck(
  binary: string,
  { text, policyFile }: Question,
  timeoutMs: number,
): Promise<NodeCheckResult> {
  const policy = policyFile === undefined ? [] : ['--policy', policyFile]
  return new Promise((resolve) => {
    const child = execFile(
      binary,
      ['check', '--text-only', '--json', ...policy, '-'],
      { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES, env: {}, cwd: '/' },
      (error, stdout) =>
        resolve(error ? failed(binary, error, stdout, timeoutMs) : parseAnswer(stdout)),
    )
    // A child that ends without reading the text is reported by its exit.
    child.stdin?.on('error', () => {})
    child.stdin?.end(text)
  })
}

type Failure = Error & {
  code?: number | string | null
  killed?: boolean
  signal?: NodeJS.Signals | null
}

/** Exit code 1 is the ordinary "no": its output says what is wrong. */
function failed(
  binary: string,
  error: Failure,
  stdout: string,
  timeoutMs: number,
): NodeCheckResult {
  if (error.code === 1) return parseAnswer(stdout)
  if (error.code === 'ENOENT' || error.code === 'EACCES') {
    return unavailable(
      `${binary} ${error.code === 'ENOENT' ? 'does not exist' : 'may not be run'}; build farmstead-node, or point FARMSTEAD_NODE_BINARY at it`,
    )
  }
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return unavailable(`${binary} answered with more than ${MAX_OUTPUT_BYTES} bytes`)
  }
  if (error.killed) return unavailable(`${binary} did not answer within ${timeoutMs} ms`)
  return unavailable(`${binary} ended with ${error.signal ?? `exit code ${error.code}`}`)
}

const Answer = Compile(
  Type.Object({
    ok: Type.Boolean(),
    digest: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    errors: Type.Array(
      Type.Object({
        pointer: Type.String(),
        line: Type.Integer(),
        column: Type.Integer(),
        endLine: Type.Optional(Type.Integer()),
        endColumn: Type.Optional(Type.Integer()),
        code: Type.String(),
        message: Type.String(),
        hint: Type.Optional(Type.String()),
      }),
    ),
  }),
)

function parseAnswer(stdout: string): NodeCheckResult {
  const answer = tryJson(stdout)
  if (!Answer.Check(answer) || (answer.ok ? !answer.digest : answer.errors.length === 0)) {
    return unavailable(
      'farmstead-node answered in a form this control plane does not know; use the same release of both',
    )
  }
  if (answer.ok) return { verdict: 'good', digest: answer.digest ?? '' }
  const errors = answer.errors.map((error) => ({
    pointer: error.pointer,
    line: error.line,
    column: error.column,
    endLine: error.endLine ?? error.line,
    endColumn: error.endColumn ?? error.column,
    code: error.code,
    message: error.message,
    hint: error.hint ?? '',
  }))
  return { verdict: 'bad', errors }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const unavailable = (message: string): NodeCheckResult => ({ verdict: 'unavailable', message })

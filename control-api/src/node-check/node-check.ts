// SPDX-License-Identifier: MIT
// Asks the node's own binary whether a config text is right: the code that will run it has the last
// word.
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ConfigError } from '../api-shapes/common.ts'
import {
  type AskBinary,
  type BinaryOptions,
  createAskBinary,
  STRANGE_ANSWER,
  tryJson,
} from './ask-binary.ts'

export type NodeCheckResult =
  | { verdict: 'good'; digest: string }
  | { verdict: 'bad'; errors: ConfigError[] }
  /** Nobody looked: never to be taken for "good". `message` says why and what to do. */
  | { verdict: 'unavailable'; message: string }
/** With a file of an owner's rules, what those do not allow is an error with the code `policy`. */
export type NodeCheck = (text: string, policyFile?: string) => Promise<NodeCheckResult>

/** `ask`: who asks the same binary other things gives one for all, so that all share its bounds. */
export function createNodeCheck(
  options: BinaryOptions,
  ask: AskBinary = createAskBinary(options),
): NodeCheck {
  return async (text, policyFile) => {
    const policy = policyFile === undefined ? [] : ['--policy', policyFile]
    const args = ['check', '--text-only', '--json', ...policy, '-']
    const asked = await ask({ args, input: text })
    return asked.ok ? parseAnswer(asked.stdout) : unavailable(asked.message)
  }
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
    return unavailable(STRANGE_ANSWER)
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

const unavailable = (message: string): NodeCheckResult => ({ verdict: 'unavailable', message })

// SPDX-License-Identifier: MIT
// Asks the node's own binary what a config text would do with URLs, and by which of its rules: the code that answers requests
// says it, and no second one that could be of another mind. It looks at no file.
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  type AskBinary,
  type BinaryOptions,
  createAskBinary,
  STRANGE_ANSWER,
  tryJson,
} from './ask-binary.ts'

const Pointer = Type.String({ description: 'JSON Pointer (RFC 6901)' })

const Found = Type.Object({
  url: Type.String(),
  /** 421: no site is for its host. */
  status: Type.Integer(),
  location: Type.Union([Type.String(), Type.Null()]),
  path: Type.Union([Type.String(), Type.Null()]),
  files: Type.Array(Type.Union([Type.String(), Type.Null()])),
  rules: Type.Array(Pointer),
  unread: Type.Array(Pointer),
  headers: Type.Array(
    Type.Object({
      name: Type.String(),
      value: Type.Union([Type.String(), Type.Null()]),
      from: Pointer,
    }),
  ),
})
const Refused = Type.Object({ url: Type.String(), error: Type.String() })
const Answers = Compile(Type.Array(Type.Union([Found, Refused])))

export type FoundByNode = Static<typeof Found>
export type ExplainedUrl = FoundByNode | Static<typeof Refused>

export type NodeExplainResult =
  | { verdict: 'explained'; urls: ExplainedUrl[] }
  /** A node would refuse the text. */
  | { verdict: 'refused' }
  | { verdict: 'unavailable'; message: string }
/** `urls`: without white space. */
export type NodeExplain = (text: string, urls: readonly string[]) => Promise<NodeExplainResult>

/** `ask`: as createNodeCheck. */
export function createNodeExplain(
  options: BinaryOptions,
  ask: AskBinary = createAskBinary(options),
): NodeExplain {
  return async (text, urls) => {
    const args = ['explain', '--json', '--text-only', '-']
    const asked = await ask({ args, input: `${urls.join('\n')}\n\n${text}` })
    if (!asked.ok) return { verdict: 'unavailable', message: asked.message }
    if (asked.code === 1) return { verdict: 'refused' }
    const answers = tryJson(asked.stdout)
    return Answers.Check(answers) && answers.length === urls.length
      ? { verdict: 'explained', urls: answers }
      : { verdict: 'unavailable', message: STRANGE_ANSWER }
  }
}

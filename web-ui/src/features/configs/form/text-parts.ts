// SPDX-License-Identifier: MIT
// Where a list or an object in a config's text has its parts: each child with the comments that are
// its author's words about it, so that what is moved or removed takes them along.
import type { Node } from 'jsonc-parser'

/** One child of a container. `start`..`end` is all that is its own; its comma is not. */
export type Part = {
  node: Node
  /** Where the comments above it begin, or itself. */
  start: number
  /** Behind the comma, and behind what its last line says. */
  end: number
  /** Of the comma behind it; null for the last. */
  comma: number | null
}

type Token = { text: string; start: number; end: number }

/** Between values stand only commas, comments and white space. */
function tokensBetween(text: string, from: number, to: number): Token[] {
  const found = text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|\S/g)
  return [...found].map(({ 0: token, index }) => {
    const start = from + index
    return { text: token, start, end: start + token.length }
  })
}

const isLineComment = ({ text }: Token) => text.startsWith('//')
const isComment = (token: Token) => isLineComment(token) || token.text.startsWith('/*')

const hasLineEnd = (text: string) => /[\r\n]/.test(text)

/** The end of the comments that finish the line of `from`, or `from` when a value follows on it. */
function endOfLineComments(text: string, from: number, to: number, close: number): number {
  let end = from
  for (const token of tokensBetween(text, from, to)) {
    if (!isComment(token) || hasLineEnd(text.slice(end, token.end))) break
    end = token.end
  }
  const rest = /^[ \t]*/.exec(text.slice(end, to))?.[0].length ?? 0
  const finishes = end + rest >= close || hasLineEnd(text.charAt(end + rest))
  return finishes ? end : from
}

const firstOther = (text: string, from: number) =>
  from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0)

export function partsOf(text: string, container: Node): Part[] {
  const children = container.children ?? []
  const close = container.offset + container.length - 1
  const parts: Part[] = []
  let from = endOfLineComments(text, container.offset + 1, children[0]?.offset ?? close, close)
  for (const [index, node] of children.entries()) {
    const after = node.offset + node.length
    const limit = children[index + 1]?.offset ?? close
    const comma =
      tokensBetween(text, after, limit).find((token) => token.text === ',')?.start ?? null
    const end = endOfLineComments(text, comma === null ? after : comma + 1, limit, close)
    parts.push({ node, start: firstOther(text, from), end, comma })
    from = end
  }
  return parts
}

/** Whether a part's last words run to the end of their line, so that nothing may follow on it. */
export function endsInLineComment(text: string, { node, end }: Part): boolean {
  const last = tokensBetween(text, node.offset + node.length, end).at(-1)
  return last !== undefined && isLineComment(last)
}

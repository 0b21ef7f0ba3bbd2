// SPDX-License-Identifier: MIT
// JSON with comments for the editor: colours, comment keys, folding. Only a tokenizer: what a text
// means is read by jsonc-parser, which also the API reads it with.
import {
  foldService,
  LanguageSupport,
  matchBrackets,
  StreamLanguage,
  type StringStream,
} from '@codemirror/language'

type State = { comment: boolean; depth: number }

function nextToken(stream: StringStream, state: State): string | null {
  if (state.comment) {
    if (stream.skipTo('*/')) {
      stream.match('*/')
      state.comment = false
    } else stream.skipToEnd()
    return 'comment'
  }
  if (stream.eatSpace()) return null
  if (stream.match('//')) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.match('/*')) {
    state.comment = true
    return 'comment'
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
    return stream.match(/^\s*:/, false) ? 'propertyName' : 'string'
  }
  if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return 'number'
  if (stream.match(/^(?:true|false)\b/)) return 'bool'
  if (stream.match(/^null\b/)) return 'null'
  const character = stream.next()
  if (character === '{' || character === '[') state.depth += 1
  if (character === '}' || character === ']') state.depth = Math.max(0, state.depth - 1)
  if (character === '{' || character === '}') return 'brace'
  if (character === '[' || character === ']') return 'squareBracket'
  return character === ':' || character === ',' ? 'separator' : 'invalid'
}

const language = StreamLanguage.define<State>({
  name: 'jsonc',
  startState: () => ({ comment: false, depth: 0 }),
  copyState: (state) => ({ ...state }),
  token: nextToken,
  indent: (state, after, context) => {
    const closing = /^\s*[}\]]/.test(after) ? 1 : 0
    return Math.max(0, state.depth - closing) * context.unit
  },
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['{', '[', '"'] },
    indentOnInput: /^\s*[}\]]$/,
  },
})

/** A line that ends by opening a bracket folds to the bracket that closes it. */
const folding = foldService.of((state, lineStart, lineEnd) => {
  const line = state.doc.sliceString(lineStart, lineEnd)
  const match = /[{[]\s*(?:\/\/.*)?$/.exec(line)
  if (match === null) return null
  const open = lineStart + match.index
  const close = matchBrackets(state, open, 1)?.end
  if (close === undefined || close.from <= lineEnd) return null
  return { from: open + 1, to: close.from }
})

export function jsonc(): LanguageSupport {
  return new LanguageSupport(language, folding)
}

// SPDX-License-Identifier: MIT

import { Text } from '@codemirror/state'
import { offsetAt } from '../../components/code/positions.ts'
import { t } from '../../languages/t.ts'
import type { ConfigError } from '../../lib/api-types.ts'
import { lintConfig } from './lint.ts'
import type { SchemaNode } from './schema-walk.ts'

/** A finding with its place both as offsets, for the editor, and as line and column, for people. */
export type Problem = {
  from: number
  to: number
  line: number
  column: number
  pointer: string
  code: string
  message: string
  hint: string
}

export function problemsOfConsole(text: string, schema: SchemaNode | null): Problem[] {
  const normal = withPlainLineEnds(text)
  const doc = textOf(normal)
  return lintConfig(normal, schema).map((finding) => {
    const line = doc.lineAt(Math.min(finding.from, doc.length))
    return { ...finding, line: line.number, column: finding.from - line.from + 1 }
  })
}

export function problemsOfNode(text: string, errors: readonly ConfigError[]): Problem[] {
  const doc = textOf(text)
  return errors.map(({ endLine, endColumn, ...error }) => ({
    ...error,
    from: offsetAt(doc, error.line, error.column),
    to: offsetAt(doc, endLine, endColumn),
  }))
}

/** Line 0 stands for the whole document. */
export function placeText({ line, column }: Pick<Problem, 'line' | 'column'>): string {
  return line === 0 ? t('whole text') : `${line}:${column}`
}

// As the editor counts: LF, CR LF and CR all end a line, and each is one unit for it.
const withPlainLineEnds = (text: string) => text.replace(/\r\n?/g, '\n')
const textOf = (text: string) => Text.of(withPlainLineEnds(text).split('\n'))

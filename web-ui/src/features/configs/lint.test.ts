// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ConfigError } from '../../lib/api-types.ts'
import { problemsOfConsole } from './problems.ts'
import type { SchemaNode } from './schema-walk.ts'

const server = join(import.meta.dirname, '../../../../server-c')
const read = (path: string) => readFileSync(join(server, path), 'utf8')
const schema: SchemaNode = JSON.parse(read('config.schema.json'))
const texts = (folder: string) =>
  readdirSync(join(server, 'config-corpus', folder)).filter((name) => name.endsWith('.jsonc'))

type Finding = Pick<ConfigError, 'line' | 'column' | 'code' | 'pointer'>
const inShort = ({ line, column, code, pointer }: Finding) => `${line}:${column} ${code} ${pointer}`

/** What the schema says in full: here the console must find exactly what the node finds. */
const saidBySchema = new Set([
  'unknown_key',
  'missing_key',
  'duplicate_key',
  'wrong_type',
  'wrong_length',
  'unknown_value',
  'out_of_range',
  'not_integer',
])
/** Findings about bytes, which a browser's text no longer has, and about bounds of the node's reader. */
const beyondTheText = /utf8|unicode|latin-1|surrogate|nul-escape|key-too-long|too-deep/

describe('the config corpus', () => {
  test.each(texts('good'))('%s has nothing wrong', (name) => {
    expect(problemsOfConsole(read(`config-corpus/good/${name}`), schema)).toEqual([])
  })

  const bad = texts('bad').filter((name) => !beyondTheText.test(name))
  test.each(bad)('%s: nothing is found that the node does not find', (name) => {
    const path = `config-corpus/bad/${name}`
    const expected: Finding[] = JSON.parse(read(path.replace('.jsonc', '.expected.json')))
    const found = problemsOfConsole(read(path), schema)
    if (expected.every((error) => saidBySchema.has(error.code))) {
      expect(found.map(inShort)).toEqual(expected.map(inShort))
    } else {
      const lines = new Set(expected.map((error) => error.line))
      expect(found.filter((problem) => !lines.has(problem.line))).toEqual([])
    }
  })
})

describe('problemsOfConsole', () => {
  const hints = (text: string) => problemsOfConsole(text, schema).map((problem) => problem.hint)

  test('proposes the nearest option and the nearest value', () => {
    const text =
      '{ "lmits": {}, "errorLog": { "level": "inof" }, "sites": [{"hosts":["*"],"root":"/w"}] }'
    expect(hints(text)).toEqual(['did you mean "limits"?', 'did you mean "info"?'])
  })

  test('says what to do about a comma that nothing follows, at the comma', () => {
    const [problem] = problemsOfConsole('{\n  "sites": [],\n}', schema)
    expect(problem).toMatchObject({ line: 2, column: 14, hint: 'remove the comma' })
  })

  test('without a schema only finds what is wrong with any JSON', () => {
    expect(problemsOfConsole('{ "no-such-option": 1 }', null)).toEqual([])
    expect(problemsOfConsole('{ "a": 1, "a": 2 }', null)).toHaveLength(1)
  })

  test('counts a CR LF as the end of one line', () => {
    const [problem] = problemsOfConsole('{\r\n"sites": 3\r\n}', schema)
    expect(problem).toMatchObject({ line: 2, column: 10, from: 11, to: 12 })
  })
})

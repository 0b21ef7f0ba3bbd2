// SPDX-License-Identifier: MIT
// The corpus belongs to server-c; the node's tests read the same files. What both sides read alike here
// is what makes an equal digest a proof.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileSchemaCheck } from '../../../src/features/configs/check/schema-check.ts'
import { loadConfigSchema } from '../../../src/features/configs/check/validation.ts'
import { digestOf } from '../../../src/features/configs/text/digest.ts'
import { type SchemaNode, schemaAt } from '../../../src/features/configs/text/schema-walk.ts'
import { parseConfigText } from '../../../src/features/configs/text/text.ts'

const corpus = new URL('../../../../server-c/config-corpus/', import.meta.url)
const textsIn = (folder: string) =>
  readdirSync(new URL(folder, corpus)).filter((name) => name.endsWith('.jsonc'))
const read = (path: string) => readFileSync(new URL(path, corpus), 'utf8')
const whole: SchemaNode = loadConfigSchema()
const check = compileSchemaCheck(whole)

function findings(text: string) {
  const parsed = parseConfigText(text)
  return parsed.ok ? check(text, parsed) : parsed.errors
}

type Digest = { name: string; text: string; digest: string }
const digests: Digest[] = JSON.parse(read('digests.json'))

describe('the digest', () => {
  it.each(digests)('is the node’s: $name', ({ text, digest }) => {
    const parsed = parseConfigText(text)
    expect(parsed.ok && digestOf(parsed.value)).toBe(digest)
  })
})

/** Options of the schema that none of these values has; each list is looked at as a whole. */
function optionsNotIn(values: unknown[], schema: SchemaNode | null, path = ''): string[] {
  if (schema?.items) return optionsNotIn(values.flat(), schemaAt(whole, `${path}/0`), `${path}/0`)
  return Object.keys(schema?.properties ?? {}).flatMap((name) => {
    const here = `${path}/${name}`
    const given = values.flatMap((value) => Object.entries(Object(value)))
    const found = given.filter(([key]) => key === name).map(([, value]) => value)
    return found.length === 0 ? [here] : optionsNotIn(found, schemaAt(whole, here), here)
  })
}

describe('a good text', () => {
  it('has every option of the schema: all-options.jsonc', () => {
    const parsed = parseConfigText(read('good/all-options.jsonc'))
    expect(parsed.ok && optionsNotIn([parsed.value], whole)).toEqual([])
  })

  it.each(textsIn('good/'))('is good here too: %s', (name) => {
    expect(findings(read(`good/${name}`))).toEqual([])
  })
})

describe('a bad text', () => {
  type Expected = { pointer: string; line: number; column: number; code: string }
  /** Where reading ends: each reader gives up at its own place, and bytes that are no UTF-8 never get here. */
  const ENDS_READING = ['syntax', 'invalid_utf8', 'too_large']
  const SEEN_BY_READING = ['duplicate_key', 'not_integer']
  const SEEN_BY_SCHEMA = [
    'unknown_key',
    'wrong_type',
    'missing_key',
    'unknown_value',
    'out_of_range',
  ]

  it.each(textsIn('bad/'))('is blamed only for what the node finds: %s', (name) => {
    const expected: Expected[] = JSON.parse(read(`bad/${name.replace('.jsonc', '.expected.json')}`))
    const text = read(`bad/${name}`)
    const found = findings(text)
    const codes = expected.map((error) => error.code)
    if (codes.includes('syntax')) expect(found.map((error) => error.code)).toContain('syntax')
    if (codes.some((code) => ENDS_READING.includes(code))) return
    const places = expected.map((error) => `${error.pointer} ${error.line}:${error.column}`)
    for (const { pointer, line, column } of found)
      expect(places).toContain(`${pointer} ${line}:${column}`)
    const seenHere = parseConfigText(text).ok ? SEEN_BY_SCHEMA : SEEN_BY_READING
    const seen = expected.filter((error) => seenHere.includes(error.code))
    expect(found).toEqual(
      expect.arrayContaining(seen.map((error) => expect.objectContaining(error))),
    )
  })
})

// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { compileSchemaCheck } from '../../../../src/features/configs/check/schema-check.ts'
import { loadConfigSchema } from '../../../../src/features/configs/check/validation.ts'
import { parseConfigText } from '../../../../src/features/configs/text/text.ts'
import { processorMs } from '../../../processor-ms.ts'

const check = compileSchemaCheck({
  type: 'object',
  additionalProperties: false,
  properties: {
    workers: { anyOf: [{ const: 'auto' }, { type: 'integer', minimum: 1, maximum: 64 }] },
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: {
        connections: { type: 'integer', minimum: 1 },
        keepAliveIdleSeconds: { type: 'integer' },
      },
    },
    threads: { type: ['integer', 'string'], pattern: '^auto$', minimum: 1, maximum: 8 },
    types: {
      type: 'object',
      propertyNames: { pattern: '^\\.[a-z]+$' },
      additionalProperties: { type: 'string' },
    },
    engine: { type: 'string', enum: ['ttl', 'off'] },
    sites: { type: 'array', items: { $ref: '#/$defs/site' } },
  },
  $defs: {
    site: {
      type: 'object',
      required: ['root'],
      properties: { root: { type: 'string' } },
      additionalProperties: false,
    },
  },
})

function errorsOf(text: string) {
  const parsed = parseConfigText(text)
  if (!parsed.ok) throw new Error('the text must parse')
  return check(text, parsed)
}

describe('the schema check', () => {
  it('is silent about a good text', () => {
    expect(errorsOf('{"workers": 4, "limits": {}, "sites": [{"root": "/srv"}]}')).toEqual([])
  })

  it.each([
    [
      'a mistyped option, at its key',
      '{\n  "limts": {}}',
      '/limts',
      2,
      3,
      'unknown_key',
      'no option "limts"',
      'did you mean "limits"?',
    ],
    [
      'a swap of letters',
      '{"limits": {"conenctions": 1}}',
      '/limits/conenctions',
      1,
      13,
      'unknown_key',
      'conenctions',
      '"connections"',
    ],
    ['an option nothing is like', '{"zebra": 1}', '/zebra', 1, 2, 'unknown_key', 'zebra', ''],
    [
      'a word that is none, once',
      '{"engine": "tll"}',
      '/engine',
      1,
      12,
      'unknown_value',
      'must be "ttl" or "off", got "tll"',
      'did you mean "ttl"?',
    ],
    [
      'another type than a word, once',
      '{"engine": true}',
      '/engine',
      1,
      12,
      'wrong_type',
      'must be "ttl" or "off", got true',
      '',
    ],
    [
      'an alternative, once',
      '{"workers": "many"}',
      '/workers',
      1,
      13,
      'wrong_type',
      'must be "auto" or a whole number from 1 to 64, got "many"',
      '',
    ],
    [
      'a number out of range',
      '{"limits": {"connections": 0}}',
      '/limits/connections',
      1,
      28,
      'out_of_range',
      'at least 1, got 0',
      '',
    ],
    [
      'a wrong type',
      '{"limits": [1]}',
      '/limits',
      1,
      12,
      'wrong_type',
      'must be an object { }, got a list',
      '',
    ],
    [
      'an unknown word',
      '{"engine": "tll"}',
      '/engine',
      1,
      12,
      'unknown_value',
      'must be "ttl" or "off"',
      'did you mean "ttl"?',
    ],
    [
      'a missing option',
      '{"sites": [{}]}',
      '/sites/0/root',
      1,
      12,
      'missing_key',
      '"root" is missing',
      '',
    ],
    [
      'a misspelt word beside numbers',
      '{"threads": "Auto"}',
      '/threads',
      1,
      13,
      'wrong_type',
      'must be a whole number from 1 to 8 or "auto", got "Auto"',
      '',
    ],
    [
      'a name that may not be, at the name',
      '{"types": {"html": "text/html"}}',
      '/types/html',
      1,
      12,
      'invalid_value',
      'pattern',
      '',
    ],
  ])('says of %s what and where', (_, text, pointer, line, column, code, message, hint) => {
    const errors = errorsOf(text)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ pointer, line, column, code })
    expect(errors[0]?.message).toContain(message)
    if (hint === '') expect(errors[0]?.hint).toBe('')
    else expect(errors[0]?.hint).toContain(hint)
  })

  it('reports all problems, not just the first', () => {
    expect(errorsOf('{"workers": 0, "limts": {}, "engine": 5}')).toHaveLength(3)
  })

  it('spends little on a text made of nothing but errors', () => {
    const members = Array.from({ length: 80_000 }, (_, i) => `"listem${i}": 1`)
    const text = `{${members.join(',')}}`
    const parsed = parseConfigText(text)
    if (!parsed.ok) throw new Error('the text must parse')
    const checkNodes = compileSchemaCheck(loadConfigSchema())
    const tookMs = processorMs(() => expect(checkNodes(text, parsed)).toHaveLength(100))
    // Describing them all takes seconds; this takes some hundredths of one.
    expect(tookMs).toBeLessThan(700)
  })
})

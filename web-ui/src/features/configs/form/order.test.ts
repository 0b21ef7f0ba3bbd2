// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { Problem } from '../problems.ts'
import type { SchemaNode } from '../schema-walk.ts'
import { foldsOver, frontOf } from './order.ts'

const word = { type: 'string' }
const schema: SchemaNode = {
  type: 'object',
  properties: {
    limits: { type: 'object', properties: { head: word, body: word, rate: word } },
    sites: {
      type: 'array',
      items: { type: 'object', required: ['root'], properties: { root: word, index: word } },
    },
  },
}
const problem = (pointer: string): Problem => ({
  pointer,
  message: 'wrong',
  hint: '',
  code: 'invalid_value',
  from: 0,
  to: 1,
  line: 1,
  column: 1,
})

describe('what is not folded', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  test.each([
    ['what is set', ['limits'], ['a', 'b'], ['a', 'b']],
    ['all, where one or two would be hidden', ['limits'], ['a', 'b', 'c'], names],
    ['all of a part that has nothing yet', ['limits'], [], names],
    ['nothing of the node that is not set', [], [], []],
  ])('is %s', (_, part, inFront, shown) => {
    expect([...frontOf(part, names, inFront)]).toEqual(shown)
  })
})

describe('on the way to an option, the folds open', () => {
  test.each([
    ['/limits/head', {}, ['/-', '/limits/-']],
    ['/limits/head', { limits: { body: '1' } }, ['/limits/-']],
    ['/limits/head', { limits: { head: '1' } }, []],
    ['/sites/0/index', { sites: [{}] }, ['/sites/0/-']],
    ['/sites/0/root', { sites: [{}] }, []],
    ['/sites/-', {}, ['/-']],
    ['/limits/head', { limits: 3 }, ['/limits/-']],
    ['/unknown/head', {}, []],
    ['/constructor', {}, []],
  ])('%s of %j: %j', (pointer, value, folds) => {
    expect(foldsOver(pointer, schema, value, [])).toEqual(folds)
  })

  test('but none where something wrong is in front anyway', () => {
    const found = [problem('/limits/head')]
    expect(foldsOver('/limits/head', schema, {}, found)).toEqual([])
  })
})

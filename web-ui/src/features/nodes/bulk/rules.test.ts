// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { NodeResult } from '../../../lib/api-types.ts'
import { alikeOf, emptyFields, outcomeSentence, partsOf, readFields, resultRows } from './rules.ts'
import { allMatching, countOf, isSelected, isWhole, noSelection, toggled } from './selection.ts'

const result = (name: string, change: Partial<NodeResult> = {}): NodeResult => ({
  ...{ nodeId: `node_${name}`, nodeName: name, outcome: 'changed', code: null },
  ...{ message: '', labels: null, ...change },
})

describe('a selection', () => {
  test('holds some by their ids, each clicked once more is let go', () => {
    const one = toggled(noSelection, 'a')
    expect([isSelected(one, 'a'), isSelected(one, 'b'), countOf(one, 100)]).toEqual([
      true,
      false,
      1,
    ])
    expect(countOf(toggled(one, 'a'), 100)).toBe(0)
  })

  test('holds all that are listed but those that were let go', () => {
    const all = toggled(allMatching, 'a')
    expect([isSelected(all, 'a'), isSelected(all, 'b'), countOf(all, 100)]).toEqual([
      false,
      true,
      99,
    ])
    expect(countOf(toggled(all, 'a'), 100)).toBe(100)
  })
})

describe('what the fields say', () => {
  test.each([
    [
      'label',
      { set: 'rack=b2 zone=eu', remove: 'old' },
      { set: { rack: 'b2', zone: 'eu' }, remove: ['old'] },
    ],
    ['move', { group: 'images' }, { group: 'images' }],
    ['cordon', { reason: ' new disk ' }, { reason: 'new disk' }],
    ['decommission', {}, {}],
  ] as const)('%s', (kind, fields, expected) => {
    expect(readFields(kind, { ...emptyFields, ...fields })).toEqual({
      ok: true,
      change: { kind, ...expected },
    })
  })

  test.each([
    ['label', {}, 'Name a label to set or to remove.'],
    ['label', { set: 'rack' }, '"rack" is not of the form key=value.'],
    ['label', { remove: 'rack=b2' }, 'To remove "rack=b2", write its name alone.'],
    ['move', {}, 'Choose a group.'],
    ['cordon', { reason: ' ' }, 'Give a reason first.'],
  ] as const)('%s without what it needs', (kind, fields, why) => {
    expect(readFields(kind, { ...emptyFields, ...fields })).toEqual({ ok: false, why })
  })
})

test('all of a list are selected when each of it is, and not when as many others are', () => {
  const two = toggled(toggled(noSelection, 'a'), 'b')
  expect(isWhole(two, ['a', 'b'])).toBe(true)
  expect(isWhole(two, ['c', 'd'])).toBe(false)
  expect(isWhole(two, ['b'])).toBe(true)
  expect(isWhole(noSelection, [])).toBe(false)
  expect(isWhole(allMatching, ['c', 'd'])).toBe(true)
  expect(isWhole(toggled(allMatching, 'x'), ['c', 'd'])).toBe(false)
})

test('no part is more than the control plane takes at once', () => {
  const ids = Array.from({ length: 401 }, (_, i) => String(i))
  expect(partsOf(ids).map(({ length }) => length)).toEqual([200, 200, 1])
  expect(partsOf(ids).flat()).toEqual(ids)
})

test('results are counted in a sentence and named together when the same is to say of them', () => {
  const results = [
    result('edge-1'),
    result('edge-2', { outcome: 'unchanged', message: 'It has these labels already.' }),
    result('edge-3', { outcome: 'refused', message: 'No.' }),
    result('edge-4', { outcome: 'refused', message: 'No.' }),
  ]
  expect(outcomeSentence('label', results)).toBe('1 node labelled, 1 stays as it is, 2 refused')
  expect(alikeOf(results)).toEqual([
    { outcome: 'refused', message: 'No.', names: ['edge-3', 'edge-4'] },
    { outcome: 'unchanged', message: 'It has these labels already.', names: ['edge-2'] },
    { outcome: 'changed', message: '', names: ['edge-1'] },
  ])
  expect(resultRows(results)).toHaveLength(5)
})

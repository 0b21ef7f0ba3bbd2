// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { type BulkNode, type BulkView, decide } from '../../../src/features/nodes/bulk-rules.ts'
import type { BulkChange } from '../../../src/features/nodes/bulk-schema.ts'
import { groupingOf } from '../../../src/labels/grouping.ts'
import { parseSelector, type Selector } from '../../../src/labels/selector.ts'

function selector(text: string): Selector {
  const parsed = parseSelector(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.selector
}

const group = (name: string, text: string) => ({
  ...{ name, selector: selector(text), config: null, mergePatch: {}, forgetAfterHours: null },
  revision: 1,
})
const grouping = groupingOf([
  group('canary', 'canary'),
  group('downloads', 'role=downloads,!old'),
  group('images', 'role in (images, thumbnails),zone!=us'),
  group('narrow', 'rack in (a, b),rack notin (a, c)'),
  group('default', ''),
])
const view = (change: BulkChange, scope: Selector | null = null): BulkView => ({
  ...{ grouping, scope },
  target: change.kind === 'move' ? (grouping.selectors.get(change.group) ?? []) : [],
})
const node = (labels: Record<string, string>, more: Partial<BulkNode> = {}): BulkNode => ({
  ...{ name: 'edge-1', labels, cordon: null, connected: false, ...more },
})
const decided = (change: BulkChange, one: BulkNode, scope: Selector | null = null) =>
  decide(change, one, view(change, scope))

test.each<[string, BulkChange, Record<string, string>, object]>([
  [
    'sets and removes, and leaves the others',
    { kind: 'label', set: { a: '2' }, remove: ['b', 'none'] },
    { a: '1', b: '1', c: '1' },
    { outcome: 'changed', labels: { a: '2', c: '1' } },
  ],
  [
    'what is so already stays',
    { kind: 'label', set: { a: '1' }, remove: ['b'] },
    { a: '1' },
    { outcome: 'unchanged' },
  ],
  [
    'a label named in both is set',
    { kind: 'label', set: { a: '2' }, remove: ['a'] },
    { a: '1' },
    { outcome: 'changed', labels: { a: '2' } },
  ],
  [
    'moving sets what the selector wants and removes what it does not',
    { kind: 'move', group: 'downloads' },
    { role: 'images', old: 'yes', zone: 'eu' },
    { outcome: 'changed', labels: { role: 'downloads', zone: 'eu' } },
  ],
  [
    'one of several values that fits stays, and one that may not be goes',
    { kind: 'move', group: 'images' },
    { role: 'thumbnails', zone: 'us' },
    { outcome: 'changed', labels: { role: 'thumbnails' } },
  ],
  [
    'of several values one is set that the rest of the selector takes',
    { kind: 'move', group: 'narrow' },
    { rack: 'a' },
    { outcome: 'changed', labels: { rack: 'b' } },
  ],
  [
    'who is in the group stays',
    { kind: 'move', group: 'images' },
    { role: 'images' },
    { outcome: 'unchanged' },
  ],
  [
    'a value nobody can guess is asked for',
    { kind: 'move', group: 'canary' },
    {},
    { outcome: 'refused', code: 'label_needed' },
  ],
  [
    'a group that stands before it is named',
    { kind: 'move', group: 'downloads' },
    { canary: 'yes' },
    { outcome: 'refused', code: 'other_group', message: expect.stringContaining('in canary') },
  ],
  [
    'the default group takes only what no other takes',
    { kind: 'move', group: 'default' },
    { role: 'images' },
    { outcome: 'refused', code: 'other_group', message: expect.stringContaining('images') },
  ],
])('%s', (_title, change, labels, expected) => {
  expect(decided(change, node(labels))).toMatchObject(expected)
})

test('no node gets more labels than a node may have', () => {
  const many = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`k${i}`, '']))
  expect(decided({ kind: 'label', set: { one: 'more' } }, node(many))).toMatchObject({
    ...{ outcome: 'refused', code: 'too_many_labels' },
  })
})

test('no node leaves the scope of who changes it, by a label or by moving', () => {
  const scope = selector('zone=us')
  const label: BulkChange = { kind: 'label', set: { zone: 'eu' } }
  const move: BulkChange = { kind: 'move', group: 'images' }
  for (const change of [label, move]) {
    expect(decided(change, node({ zone: 'us' }), scope)).toMatchObject({
      ...{ outcome: 'refused', code: 'outside_scope' },
    })
  }
})

test('a cordon says what it replaces, and what is so already stays', () => {
  const cordon = { by: 'ana', reason: 'new disk', atMs: 1 }
  const cordonedNode = node({}, { cordon })
  expect(decided({ kind: 'cordon', reason: 'new disk' }, cordonedNode).outcome).toBe('unchanged')
  expect(decided({ kind: 'cordon', reason: 'other' }, cordonedNode)).toMatchObject({
    ...{ outcome: 'changed', message: 'It is cordoned already, by ana: new disk' },
  })
  expect(decided({ kind: 'uncordon' }, cordonedNode).outcome).toBe('changed')
  expect(decided({ kind: 'uncordon' }, node({})).outcome).toBe('unchanged')
})

test('one that is connected goes on serving when it is decommissioned', () => {
  const { message } = decided({ kind: 'decommission' }, node({}, { connected: true }))
  expect(message).toContain('goes on serving')
})

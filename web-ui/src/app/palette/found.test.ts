// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { type Found, type Kind, sectionsOf, versionIn } from './found.ts'

const found = (kind: Kind, label: string, more: Partial<Found> = {}): Found => ({
  ...{ key: `${kind} ${label}`, kind, label, detail: '', open: () => {} },
  ...more,
})
const labels = (all: readonly Found[], typed: string) =>
  sectionsOf(all, typed).map(({ kind, items }) => [kind, ...items.map(({ label }) => label)])

describe('what is listed', () => {
  test('every typed word must occur, in the name, beside it or among the words it is known by', () => {
    const all = [
      found('Nodes', 'edge-1', { detail: 'In sync', words: 'rack=b2 host-1.example' }),
      found('Nodes', 'edge-2', { detail: 'Drift', words: 'rack=b2' }),
    ]
    expect(labels(all, 'RACK=b2 drift')).toEqual([['Nodes', 'edge-2']])
    expect(labels(all, 'example')).toEqual([['Nodes', 'edge-1']])
    expect(labels(all, 'edge-3')).toEqual([])
  })

  test('kinds keep their order, whichever answered first', () => {
    const all = [found('People', 'edgar'), found('Pages', 'Edges'), found('Nodes', 'edge-1')]
    expect(labels(all, 'edg').map(([kind]) => kind)).toEqual(['Pages', 'Nodes', 'People'])
  })

  test('the very name goes before a name that begins so, and that before the others', () => {
    const all = [found('Nodes', 'my-edge'), found('Nodes', 'edge-10'), found('Nodes', 'edge')]
    expect(labels(all, 'edge')).toEqual([['Nodes', 'edge', 'edge-10', 'my-edge']])
  })

  test('of many six are shown, and how many more there are is known', () => {
    const all = Array.from({ length: 9 }, (_, i) => found('Configs', `site-${i}`))
    const [section] = sectionsOf(all, 'site')
    expect([section?.items.length, section?.more]).toEqual([6, 3])
  })
})

describe('a version by its number', () => {
  test.each([
    ['default 17', 'default', '17'],
    ['v3 shop', 'shop', '3'],
    ['17', '', '17'],
    ['v', 'v', null],
    ['shop eu', 'shop eu', null],
  ])('%s', (typed, name, number) => {
    expect(versionIn(typed)).toEqual({ name, number })
  })
})

// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { diffValues } from '../../../../src/features/configs/diff/diff.ts'
import { parseConfigText } from '../../../../src/features/configs/text/text.ts'

const schema = {
  properties: {
    listen: { description: 'where it listens', items: { properties: { port: { default: 80 } } } },
    limits: {
      description: 'what a client may use',
      properties: { connections: { description: 'open at a time', default: 1024 } },
    },
    process: { properties: { user: { 'x-live': false } } },
    sites: { items: { $ref: '#/$defs/site' } },
  },
  $defs: { site: { properties: { root: { description: 'the folder it serves' } } } },
}

function diffAll(from: string, to: string) {
  const [a, b] = [parseConfigText(from), parseConfigText(to)]
  if (!a.ok || !b.ok) throw new Error('the texts must parse')
  return diffValues(a.value, b.value, schema)
}
const diff = (from: string, to: string) => diffAll(from, to).changes

/** A list's changes, short: "moved /l/2 → /l/0". */
const listDiff = (from: unknown[], to: unknown[]) =>
  diff(JSON.stringify({ l: from }), JSON.stringify({ l: to })).map(
    ({ kind, pointer, fromPointer }) =>
      kind === 'moved' ? `moved ${fromPointer} → ${pointer}` : `${kind} ${pointer}`,
  )

describe('the difference of two versions', () => {
  it('is nothing when only comments and the order of keys changed', () => {
    expect(diff('{"a":1,"b":[2]}', '{ /* new */ "b":[2], "a":1 }')).toEqual([])
  })

  it('names each change by pointer, with the help of the option', () => {
    expect(
      diff('{"limits":{"connections":1},"old":true}', '{"limits":{"connections":2,"x":{}}}'),
    ).toEqual([
      {
        pointer: '/limits/connections',
        fromPointer: '/limits/connections',
        kind: 'changed',
        from: 1,
        to: 2,
        help: 'open at a time',
        default: 1024,
        effect: 'live',
      },
      {
        pointer: '/limits/x',
        fromPointer: null,
        kind: 'added',
        from: null,
        to: {},
        help: 'what a client may use',
        default: null,
        effect: 'live',
      },
      {
        pointer: '/old',
        fromPointer: '/old',
        kind: 'removed',
        from: true,
        to: null,
        help: '',
        default: null,
        effect: 'live',
      },
    ])
  })

  it('says what it takes until a change holds', () => {
    const effects = diff(
      '{"listen":[{"port":1}],"limits":{},"process":{"user":"a"}}',
      '{"listen":[{"port":2}],"limits":{"connections":1}}',
    ).map(({ pointer, effect }) => `${pointer} ${effect}`)
    expect(effects).toEqual([
      '/listen/0/port listeners',
      '/limits/connections live',
      '/process restart',
    ])
  })

  it('tells a thousand changes and how many more there are', () => {
    const numbers = JSON.stringify(Array.from({ length: 1500 }, (_, i) => i))
    const { changes, moreChanges } = diffAll('{"l":[]}', `{"l":${numbers}}`)
    expect(changes).toHaveLength(1000)
    expect(moreChanges).toBe(500)
  })

  it('finds the option behind a reference in the schema', () => {
    expect(diff('{"sites":[{"root":"/a"}]}', '{"sites":[{"root":"/b"}]}')).toMatchObject([
      { pointer: '/sites/0/root', help: 'the folder it serves' },
    ])
  })

  it('shows one inserted item of a list as one change', () => {
    expect(diff('{"l":[1,2,3]}', '{"l":[1,9,2,3]}')).toMatchObject([
      { pointer: '/l/1', kind: 'added', to: 9 },
    ])
    expect(diff('{"l":[1,9,2,3]}', '{"l":[1,2,3]}')).toMatchObject([
      { pointer: '/l/1', kind: 'removed', from: 9 },
    ])
  })

  it('knows a site by its hosts, wherever it stands', () => {
    const site = (host: string, root = `/srv/${host}`) => ({ hosts: [host], root })
    const [a, b, c] = [site('a'), site('b'), site('c')]
    expect(listDiff([a, b, c], [site('new'), a, site('b', '/other'), c])).toEqual([
      'added /l/0',
      'changed /l/2/root',
    ])
    expect(listDiff([a, b, c], [a, c])).toEqual(['removed /l/1'])
    expect(listDiff([a, b, c], [c, a, b])).toEqual(['moved /l/2 → /l/0'])
    expect(listDiff([a, b], [site('b', '/x'), site('a', '/y')])).toEqual([
      'moved /l/1 → /l/0',
      'changed /l/0/root',
      'changed /l/1/root',
    ])
    expect(listDiff([a, b], [site('new'), site('a', '/x'), b])).toEqual([
      'added /l/0',
      'changed /l/1/root',
    ])
  })

  it('knows rules by what they match, headers by name, users’ areas by realm', () => {
    const to = (match: string, target: string) => ({ match, to: target })
    expect(
      listDiff([to('^/a', '/x'), to('^/b', '/y')], [to('^/c', '/z'), to('^/b', '/w')]),
    ).toEqual(['changed /l/0/match', 'changed /l/0/to', 'changed /l/1/to'])
    const header = (name: string, value: string) => ({ name, value })
    expect(
      listDiff(
        [header('A', '1'), header('B', '2')],
        [header('C', '0'), header('A', '9'), header('B', '2')],
      ),
    ).toEqual(['added /l/0', 'changed /l/1/value'])
  })

  it('takes two items of the same name for what stands in the same place', () => {
    const twins = (value: number) => [
      { name: 'A', value: 1 },
      { name: 'A', value },
    ]
    expect(listDiff(twins(2), twins(3))).toEqual(['changed /l/1/value'])
    expect(listDiff([...twins(2), ...twins(2)], twins(2))).toHaveLength(2)
  })

  it('shows a change of kind as one change', () => {
    expect(diff('{"a":{"b":1}}', '{"a":[1]}')).toMatchObject([{ pointer: '/a', kind: 'changed' }])
  })
})

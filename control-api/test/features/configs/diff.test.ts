// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { diffValues } from '../../../src/features/configs/diff.ts'
import { parseConfigText } from '../../../src/features/configs/text.ts'

const schema = {
  properties: {
    limits: {
      description: 'what a client may use',
      properties: { connections: { description: 'open at a time' } },
    },
    sites: { items: { $ref: '#/$defs/site' } },
  },
  $defs: { site: { properties: { root: { description: 'the folder it serves' } } } },
}

function diff(from: string, to: string) {
  const [a, b] = [parseConfigText(from), parseConfigText(to)]
  if (!a.ok || !b.ok) throw new Error('the texts must parse')
  return diffValues(a.value, b.value, schema)
}

describe('the difference of two versions', () => {
  it('is nothing when only comments and the order of keys changed', () => {
    expect(diff('{"a":1,"b":[2]}', '{ /* new */ "b":[2], "a":1 }')).toEqual([])
  })

  it('names each change by pointer, with the help of the option', () => {
    expect(
      diff('{"limits":{"connections":1},"old":true}', '{"limits":{"connections":2,"x":{}}}'),
    ).toEqual([
      { pointer: '/limits/connections', kind: 'changed', from: 1, to: 2, help: 'open at a time' },
      { pointer: '/limits/x', kind: 'added', from: null, to: {}, help: 'what a client may use' },
      { pointer: '/old', kind: 'removed', from: true, to: null, help: '' },
    ])
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

  it('shows a change of kind as one change', () => {
    expect(diff('{"a":{"b":1}}', '{"a":[1]}')).toMatchObject([{ pointer: '/a', kind: 'changed' }])
  })
})

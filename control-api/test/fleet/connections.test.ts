// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { Connections } from '../../src/fleet/connections.ts'

test('says who came or went since somebody looked', () => {
  const connections = new Connections(['a'])
  const { mark } = connections
  expect(connections.changedSince(mark)).toEqual([])
  connections.add('a')
  connections.add('b')
  const later = connections.mark
  connections.delete('a')
  connections.delete('a')
  expect(connections.changedSince(mark)).toEqual(['b', 'a'])
  expect(connections.changedSince(later)).toEqual(['a'])
  expect(['a', 'b'].map(connections.has)).toEqual([false, true])
})

test('says so when that is too long ago to be known', () => {
  const connections = new Connections()
  const { mark } = connections
  for (let i = 0; i < 15_000; i++) {
    connections.add('a')
    connections.delete('a')
  }
  expect(connections.changedSince(mark)).toBeNull()
  const recent = connections.mark
  connections.add('b')
  expect(connections.changedSince(recent)).toEqual(['b'])
})

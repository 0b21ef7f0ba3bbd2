// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { NodeEvent } from '../../lib/live/live.ts'
import { node, nodesPage } from '../../test/samples.ts'
import { isOldAfter, patched, withHeard } from './node-events.ts'

const one = node()
const { desired, acknowledged, effective } = one.sync
const event = (number: number, change: Partial<NodeEvent> = {}): NodeEvent => ({
  ...{ number, id: one.id, action: 'offered' },
  node: {
    ...{ connected: false, lastSeenAt: null },
    sync: { state: 'applying', desired, acknowledged, effective: null },
  },
  ...change,
})
const other = node({ id: 'node_2', name: 'edge-2' })
const page = { ...nodesPage(one, other), revision: 7 }

test('a row takes over what a newer event says, and keeps what the event does not say', () => {
  const [row, untouched] = patched(page, [event(8)]).items
  expect(row).toEqual({
    ...{ ...one, connected: false, lastSeenAt: null },
    sync: { ...one.sync, state: 'applying', effective: null },
  })
  expect(effective).not.toBeNull()
  expect(untouched).toBe(other)
})

test('an answer that has what the event said stays as it is', () => {
  expect(patched(page, [event(7)])).toEqual(page)
})

test('of each node the newest that says how it stands is kept, and of very many nodes the newest', () => {
  const { node: _, ...bare } = event(4)
  const some = withHeard(new Map(), [event(1), event(2), event(3, { id: 'node_2' }), bare])
  expect([...some.values()].map(({ number }) => number)).toEqual([2, 3])
  const many = Array.from({ length: 1200 }, (_, i) => event(i + 5, { id: `node_${i + 5}` }))
  const kept = withHeard(some, many)
  expect(kept.size).toBe(1000)
  expect([...kept.keys()].at(0)).toBe('node_205')
})

test('a list is read again for its own nodes, and for any where their states decide what is in it', () => {
  const after = (list: object, events: NodeEvent[], data: unknown = page) =>
    isOldAfter(events, { queryKey: ['nodes', 'list', list, 0], data })
  const elsewhere = event(8, { id: 'node_3' })
  expect(after({}, [event(8)])).toBe(true)
  expect(after({ q: 'edge', group: 'default', order: 'desc' }, [elsewhere])).toBe(false)
  expect(after({}, [elsewhere, event(9)])).toBe(true)
  const unread = { queryKey: ['nodes', 'list', {}, 0], data: undefined }
  expect(isOldAfter([elsewhere], unread)).toBe(true)
  expect(after({ state: 'applying' }, [elsewhere])).toBe(true)
  expect(after({ sort: 'p99' }, [elsewhere])).toBe(true)
  for (const action of ['enrolled', 'changed', 'decommissioned', 'hello', 'cordoned']) {
    expect(after({}, [{ ...elsewhere, action }]), action).toBe(true)
  }
  const { node: _, ...bare } = elsewhere
  expect(after({}, [bare])).toBe(true)
})

test('what is of one node is read again for that node', () => {
  const after = (what: string, of: string) =>
    isOldAfter([event(8)], { queryKey: ['nodes', what, of], data: {} })
  expect([after('one', one.id), after('drift', one.id)]).toEqual([true, true])
  expect([after('one', other.id), after('rendered', other.id)]).toEqual([false, false])
  expect(after('token', 'token_1')).toBe(true)
})

// SPDX-License-Identifier: MIT
// Orders that ride on answers to nodes: what they said to them is told to whom it was for, and to nobody else.
import { expect, test } from 'vitest'
import { WatchOrders } from '../../src/fleet/path-watch.ts'
import { type ProbeAnswer, ProbeOrders } from '../../src/fleet/probe-orders.ts'

const order = { count: 1, perSecond: 1, paths: [{ path: '/' }] }
const answers: ProbeAnswer[] = [{ status: 200, bytes: 1, sha256: null, mediaType: null }]

test('answers go to who gave the order, once, and only those of that order', () => {
  const heard: string[] = []
  const orders = new ProbeOrders(() => {})
  orders.give('a', order, () => heard.push('first'))
  const first = orders.take('a')
  expect(first).toMatchObject({ answers: true })
  orders.heard('b', { id: first?.id ?? '', answers })
  orders.heard('a', { id: 'probe_another', answers })
  expect(heard).toEqual([])
  orders.heard('a', { id: first?.id ?? '', answers })
  orders.heard('a', { id: first?.id ?? '', answers })
  expect(heard).toEqual(['first'])
})

test('who wants no answers is told none, and an order that was never taken has none', () => {
  const orders = new ProbeOrders(() => {})
  orders.give('a', order)
  expect(orders.take('a')).not.toHaveProperty('answers')
  expect(orders.take('a')).toBeNull()
})

test('what nobody answers is forgotten', () => {
  let nowMs = 0
  const heard: string[] = []
  const orders = new ProbeOrders(
    () => {},
    () => nowMs,
  )
  orders.give('a', order, () => heard.push('late'))
  const id = orders.take('a')?.id ?? ''
  nowMs = 200_000
  orders.give('b', order)
  orders.heard('a', { id, answers })
  expect(heard).toEqual([])
})

test('an order to count is given once, wakes the node, and is not for ever', () => {
  let nowMs = 0
  const woken: string[] = []
  const watches = new WatchOrders(
    (nodeId) => woken.push(nodeId),
    () => nowMs,
  )
  const watch = { id: 'watch_1', forMs: 1, paths: [{ path: '/' }] }
  watches.give('a', watch)
  expect(watches.take('b')).toBeNull()
  expect(watches.take('a')).toEqual(watch)
  expect(watches.take('a')).toBeNull()
  watches.give('a', watch)
  nowMs = 60_000
  expect(watches.take('a')).toBeNull()
  expect(woken).toEqual(['a', 'a'])
})

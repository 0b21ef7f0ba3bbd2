// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { ProbeOrders } from '../../src/fleet/probe-orders.ts'

const order = { perSecond: 10, count: 20, paths: [{ path: '/' }] }

function begin() {
  const clock = { ms: 0 }
  const woken: string[] = []
  const orders = new ProbeOrders(
    (nodeId) => woken.push(nodeId),
    () => clock.ms,
  )
  return { clock, woken, orders }
}

test('an order wakes its node, which gets it once, with an id of its own', () => {
  const { woken, orders } = begin()
  orders.give('a', order)
  expect(woken).toEqual(['a'])
  expect(orders.take('b')).toBeNull()
  const first = orders.take('a')
  expect(first).toEqual({ ...order, id: expect.stringMatching(/^probe_[0-9a-z]{26}$/) })
  expect(orders.take('a')).toBeNull()
  orders.give('a', order)
  expect(orders.take('a')?.id).not.toBe(first?.id)
})

test('the newest takes the place of one that was not fetched', () => {
  const { orders } = begin()
  orders.give('a', order)
  orders.give('a', { ...order, count: 7 })
  expect(orders.take('a')?.count).toBe(7)
  expect(orders.take('a')).toBeNull()
})

test('what the node did not ask for in half a minute is not given any more', () => {
  const { clock, orders } = begin()
  orders.give('a', order)
  orders.give('b', order)
  clock.ms = 29_999
  expect(orders.take('a')).not.toBeNull()
  clock.ms = 30_000
  expect(orders.take('b')).toBeNull()
})

// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { choicesWith, orderValue } from './farm-order.ts'
import { listOf, parseFarmSearch, sortKeys } from './farm-search.ts'

test.each(sortKeys)('an address that orders by %s is shown as it is', (sort) => {
  for (const desc of [undefined, true] as const) {
    const values = choicesWith({ sort, desc }, 3).map(({ value }) => value)
    expect(values).toContain(orderValue({ sort, desc }))
    expect(new Set(values).size).toBe(values.length)
  }
})

test('of more nodes than are sorted by measurements such an order is no choice, but the one in the address', () => {
  const offered = (order: Parameters<typeof choicesWith>[0], nodes: number) =>
    choicesWith(order, nodes).filter(({ disabled }) => !disabled)
  expect(offered({}, 1000)).toHaveLength(choicesWith({}, 1000).length)
  expect(offered({}, 1001).map(({ value }) => value)).toEqual(['name', 'state', 'seen'])
  expect(offered({ sort: 'p99', desc: true }, 1001).map(({ value }) => value)).toContain('p99 down')
})

test('the control plane is asked for what the address says, and for nothing that is blank', () => {
  const search = parseFarmSearch({
    ...{ q: ' edge ', state: 'drift', group: 'europe', cordoned: true, selector: 'zone=eu' },
    ...{ sort: 'clientErrors', desc: true, scale: 'log' },
  })
  expect(listOf(search)).toEqual({
    ...{ q: 'edge', state: 'drift', group: 'europe', cordoned: true, selector: 'zone=eu' },
    ...{ sort: 'clientErrors', order: 'desc' },
  })
  expect(listOf({ q: '  ' })).toEqual({})
})

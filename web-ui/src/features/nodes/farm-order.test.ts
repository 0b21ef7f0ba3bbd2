// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { node } from '../../test/samples.ts'
import { choicesWith, ordered, orderValue } from './farm-order.ts'
import { parseFarmSearch, sortKeys } from './farm-search.ts'

const one = node()
const quick = node({ name: 'edge-2', latency: { ...one.latency, p99Seconds: 0.001 } })
const silent = node({ name: 'edge-10', latency: { ...one.latency, p99Seconds: null } })
const names = (order: Parameters<typeof ordered>[1]) =>
  ordered([silent, one, quick], order).map(({ name }) => name)

test('nodes without a number come last, in both directions', () => {
  expect(names({ sort: 'p99' })).toEqual(['edge-2', 'edge-1', 'edge-10'])
  expect(names({ sort: 'p99', desc: true })).toEqual(['edge-1', 'edge-2', 'edge-10'])
})

test.each(sortKeys)('an address that orders by %s is shown as it is', (sort) => {
  for (const desc of [undefined, true] as const) {
    const values = choicesWith({ sort, desc }).map(({ value }) => value)
    expect(values).toContain(orderValue({ sort, desc }))
    expect(new Set(values).size).toBe(values.length)
  }
})

test('the farm can be ordered by its share of 4xx, in the address, too', () => {
  const [few, many] = [0.01, 0.5].map((clientErrorRatio, i) =>
    node({ name: `edge-${2 - i}`, latency: { ...one.latency, clientErrorRatio } }),
  )
  if (!few || !many) throw new Error('there are two')
  expect(parseFarmSearch({ sort: 'clientErrors' })).toEqual({ sort: 'clientErrors' })
  expect(ordered([few, many], { sort: 'clientErrors', desc: true })).toEqual([many, few])
})

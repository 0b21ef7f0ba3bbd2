// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { partsDrawn, titleOf } from './map-rules.ts'

test('parts are groups, or values of a label', () => {
  expect(titleOf({ name: 'edge', nodes: 1 }, undefined)).toBe('edge')
  expect(titleOf({ name: 'eu', nodes: 1 }, 'zone')).toBe('zone=eu')
  expect(titleOf({ name: null, nodes: 1 }, 'zone')).toBe('Without zone')
})

test('of a label that each of ten thousand nodes has its own value of, few pictures are drawn', () => {
  const parts = Array.from({ length: 10_000 }, (_, i) => ({ title: `host=${i}`, nodes: 1 }))
  const drawn = partsDrawn(parts)
  expect(drawn).toHaveLength(40)
  expect(drawn.at(-1)).toEqual({ title: '9,961 others', nodes: 9961 })
  expect(partsDrawn(parts.slice(0, 40))).toEqual(parts.slice(0, 40))
})

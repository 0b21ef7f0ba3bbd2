// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { RequestSample } from '../../lib/api-types.ts'
import { slowPathsOf, soonestOf } from './rules.ts'

const certificate = (name: string, state: 'good' | 'expiring' | 'expired' | null, day = 1) => ({
  ...{ name, state, notAfter: state === null ? null : `2027-01-0${day}T00:00:00.000Z` },
})

test('the certificate that asks for somebody is the one that is shown', () => {
  const all = [certificate('a', 'good', 3), certificate('b', 'expired', 5), certificate('c', null)]
  expect(soonestOf(all)?.name).toBe('b')
  expect(soonestOf([certificate('a', 'good', 3), certificate('b', 'good', 2)])?.name).toBe('b')
  expect(soonestOf([certificate('c', null)])).toBeNull()
})

test('slow paths are those most often slow first, with what they were answered', () => {
  const sample = (path: string, total: number, status: number | null = 200) =>
    ({ path, status, stageSeconds: { total } }) as unknown as RequestSample
  expect(
    slowPathsOf([sample('/a', 1), sample('/b', 9), sample('/a', 3, 206), sample('/c', 10, null)]),
  ).toEqual([
    { path: '/a', requests: 2, slowestSeconds: 3, status: '200, 206' },
    { path: '/c', requests: 1, slowestSeconds: 10, status: 'none' },
    { path: '/b', requests: 1, slowestSeconds: 9, status: '200' },
  ])
})

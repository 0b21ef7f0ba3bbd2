// SPDX-License-Identifier: MIT
// Some of the seeds of `npm run simulate`, among them all that ever broke a promise.
import { expect, test } from 'vitest'
import { simulate } from '../../simulator/simulate.ts'
import { keepPromises } from './promises.ts'

/**
 * A seed is another run once the simulation has changed: what one found has a test of its own too (deferred.test.ts,
 * wave-rules.test.ts, messages.test.ts). 125: a node took again what it had gone back from. 1382: an order took a
 * node while another rollout gave it something. 21808: a paused rollout offered. 48992: it was the simulation's mistake.
 */
const FOUND = [125, 1382, 21808, 48992]

keepPromises(1, { count: 300 })

test.each(FOUND)('seed %i, which once did, does no more', (seed) => {
  expect(simulate({ from: seed, count: 1 }).violation).toBeNull()
})

test('the same seed is the same run', () => {
  expect(simulate({ from: 7, count: 3 })).toEqual(simulate({ from: 7, count: 3 }))
})

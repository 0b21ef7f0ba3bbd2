// SPDX-License-Identifier: MIT
// A few kills in every run; `node test/durability/run.ts` does three hundred.
import { expect, test } from 'vitest'
import { killOften } from './run.ts'

const KILLS = 2
/** Each kill is a start of the service, which takes seconds when the machine is busy. */
const WITHIN_MS = 180_000

test('what was acknowledged survives kill -9, whole', { timeout: WITHIN_MS }, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const report = await killOften({ kills: KILLS, seed })
  expect(report.wrong, `seed ${seed}`).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(0)
})

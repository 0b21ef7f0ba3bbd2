// SPDX-License-Identifier: MIT
// docs/rollouts.md has a word for whatever scripts and people meet by its name.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { REASON_CODES } from '../../../src/features/rollouts/shapes/reason.ts'
import { GateMetricSchema } from '../../../src/features/rollouts/shapes/schema.ts'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../../docs/rollouts.md'), 'utf8')
const withoutWord = (names: readonly string[]) =>
  names.filter((name) => !PAGE.includes(`\`${name}\``))

test('the guide has a word for every reason', () => {
  expect(withoutWord(REASON_CODES)).toEqual([])
})

test('the guide has a word for every metric of a gate', () => {
  expect(withoutWord(GateMetricSchema.enum)).toEqual([])
})

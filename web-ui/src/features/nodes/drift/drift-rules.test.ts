// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { ConfigError } from '../../../lib/api-types.ts'
import { node } from '../../../test/samples.ts'
import { driftVerdict, driftWords, whyNotAdopt } from './drift-rules.ts'

const error: ConfigError = {
  pointer: '/listen',
  ...{ line: 2, column: 3, endLine: 2, endColumn: 9 },
  code: 'wrong_type',
  message: 'must be an array',
  hint: '',
}
const served = { isServed: true, errors: [], decision: null }
const loose = { isServed: false, errors: [], decision: null }
const bad = { isServed: false, errors: [error], decision: null }

describe('what visitors get is said in words', () => {
  test.each([
    [served, 'Served', /visitors get that/],
    [loose, 'Not loaded yet', /what they got before, until the node is reloaded/],
    [bad, 'Not served: it has errors', /with errors. It is not served/],
  ])('%j', (drift, label, words) => {
    expect(driftVerdict(drift).label).toBe(label)
    expect(driftWords('edge-1', drift)).toMatch(words)
    expect(driftWords('edge-1', drift)).toMatch(/takes no other version until/)
  })
  test('once decided, new versions are not held up', () => {
    const decision = { action: 'adopt' as const, actor: 'ana', at: new Date().toISOString() }
    expect(driftWords('edge-1', { ...served, decision })).not.toMatch(/takes no other version/)
  })
})

test('a change with errors, or of a node without a version, cannot become a version', () => {
  expect(whyNotAdopt(node(), served)).toBeNull()
  expect(whyNotAdopt(node(), bad)).toMatch(/free of errors/)
  const unassigned = node({ sync: { ...node().sync, desired: null } })
  expect(whyNotAdopt(unassigned, served)).toMatch(/no version yet/)
})

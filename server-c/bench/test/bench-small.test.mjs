// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bench, measures } from './support/small-bench.mjs'

describe('npm run bench, small files', () => {
  const found = measures('small')
  it('prints ratios', () => {
    assert.match(found.output, /^ {2}farmstead: requests\/s [\d.]+× the floor's; CPU /m)
  })
  it('shows an earlier run as Markdown', () => {
    const { status, output } = bench('--show', found.json, '--markdown')
    assert.equal(status, 0, output)
    assert.match(output, /^\| farmstead +\| /m)
  })
})

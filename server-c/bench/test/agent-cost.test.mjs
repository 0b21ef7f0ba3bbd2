// SPDX-License-Identifier: MIT
// What the agent costs, for a moment: the figures are there and of the right kind. Needs a release
// build.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytesOf, measure, nanosecondsOf } from '../agent-cost.mjs'

describe('npm run bench -- agent', () => {
  it('reads what the kernel says', () => {
    assert.equal(bytesOf('Name:\tx\nVmRSS:\t    12 kB\n', 'VmRSS'), 12_288)
    assert.throws(() => bytesOf('VmRSS: much\n', 'VmRSS'), /does not say VmRSS/)
    assert.equal(nanosecondsOf('123456 78 9\n'), 123_456)
  })

  it('measures both nodes under the same requests', async () => {
    const result = await measure({ seconds: 1, reportEvery: 200, requests: 100 })
    assert.ok(result.reports >= 2)
    for (const one of [result.serve, result.run, result.parent]) {
      assert.ok(one.proportional > 100_000 && one.resident >= one.proportional)
    }
    assert.ok(result.processor.agent > 0 && result.processor.agent < 1)
  })
})

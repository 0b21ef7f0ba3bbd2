// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measures, oursOf } from './support/small-bench.mjs'

describe('npm run bench, large files, many connections, compression, loops', () => {
  const found = measures('others')
  it('prints the ratio of two loops', () => {
    assert.match(
      found.output,
      /^ {2}farmstead: CPU per request of two loops ([\d.]+×|–) that of one$/m,
    )
  })
  it('holds the idle connections it says', () => {
    const ours = oursOf(found, 'idle')
    assert.equal(ours.held, 200)
    assert.ok(ours.bytesPerIdleConnection > 0)
  })
})

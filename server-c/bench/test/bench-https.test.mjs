// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measures, oursOf } from './support/small-bench.mjs'

describe('npm run bench, TLS', () => {
  const found = measures('https')
  it('holds idle connections over TLS, and none is lost', () => {
    const ours = oursOf(found, 'tls-idle')
    assert.equal(ours.held, 40)
    assert.ok(ours.bytesPerIdleConnection > 0)
  })
  it('makes handshakes beside the hot file', () => {
    for (const name of ['tls-storm', 'tls-storm-rsa'])
      assert.ok(oursOf(found, name).stormPerSecond > 0, name)
  })
})

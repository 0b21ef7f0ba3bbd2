// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readH2load } from '../clients.mjs'

// As h2load 1.52 prints it.
const SAID = `starting benchmark...
Main benchmark duration is over for thread #0. Stopping all clients.
Stopped all clients for thread #0

finished in 2.50s, 32660.67 req/s, 135.71MB/s
requests: 81652 total, 82164 started, 81652 done, 81650 succeeded, 2 failed, 0 errored, 0 timeout
status codes: 81650 2xx, 0 3xx, 2 4xx, 0 5xx
traffic: 339.28MB (355763584) total, 3.11MB (3266096) headers (space savings 86.30%), 318.95MB (334446592) data
                     min         max         mean         sd        +/- sd
time for request:      251us     32.31ms      7.81ms      2.13ms    81.05%
time for connect:     1.01ms     10.14ms      5.14ms      2.59ms    62.50%
`

describe('what h2load says', () => {
  it('is read, each time in its unit', () => {
    assert.deepEqual(readH2load(SAID), {
      requests: 81_650,
      bytes: 355_763_584,
      microseconds: 2_500_000,
      p50: null,
      p99: null,
      max: 32_310,
      errors: { failed: 2 },
    })
  })
  it('is an error when it ends without figures', () => {
    assert.throws(() => readH2load('Could not resolve host'), /Could not resolve host/)
  })
})

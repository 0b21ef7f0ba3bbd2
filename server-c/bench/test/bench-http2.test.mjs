// SPDX-License-Identifier: MIT
import { describe } from 'node:test'
import { measures } from './support/small-bench.mjs'

describe('npm run bench, HTTP/2', () => {
  measures('http2')
})

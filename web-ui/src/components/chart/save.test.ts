// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { slug } from './save.ts'

test.each([
  ['Answers per second by status', 'answers-per-second-by-status'],
  ['Latency: total', 'latency-total'],
  ['Antworten über HTTP/2', 'antworten-über-http-2'],
  ['延迟', '延迟'],
  ['edge-1 (p99)', 'edge-1-p99'],
])('a chart called %s is saved as %s', (title, name) => {
  expect(slug(title)).toBe(name)
})

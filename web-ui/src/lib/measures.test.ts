// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { counters, gauges, measureLabel, measureWords, unitOf } from './measures.ts'

const measure = join(import.meta.dirname, '../../../server-c/src/measure')
const namesIn = (file: string) =>
  [...readFileSync(join(measure, file), 'utf8').matchAll(/^[XG]\(\w+,\s*"(\w+)"/gm)].map(
    ([, name]) => name,
  )

test('all that a node measures has a name', () => {
  expect(Object.keys(counters).sort()).toEqual(namesIn('metrics.def').sort())
  expect(Object.keys(gauges)).toEqual(expect.arrayContaining(namesIn('gauges.def')))
})

test.each([
  ['quantile:total:0.99', 'ms', 0.1, '100 ms'],
  ['share:responses5xx', '%', 0.05, '5 %'],
  ['gauge:diskUsedRatio', '%', 0.9, '90 %'],
  ['gauge:residentBytes', 'MiB', 2 ** 21, '2 MiB'],
  ['gauge:openConnections', '', 12, '12'],
  ['rate:requests', 'a second', 12, '12'],
  ['rate:bytesSent', 'MB/s', 2.5e6, '2.5 MB/s'],
  ['rate:retransmittedBytes', 'MB/s', 2.5e6, '2.5 MB/s'],
])('%s is read in units of its own', (by, word, value, words) => {
  const unit = unitOf(by)
  expect(unit.word).toBe(word)
  expect(unit.format(value)).toBe(words)
})

test.each([
  ['quantile:total:0.999', 'p99.9: total', 'p99.9 latency'],
  ['quantile:readWait:0.5', 'p50: read wait', 'p50 of read wait'],
  ['share:responses5xx', 'Share of 5xx answers', 'share of 5xx answers'],
  ['rate:tlsHandshakes', 'TLS handshakes per second', 'rate of TLS handshakes'],
  ['gauge:diskUsedRatio', 'Disk used', 'disk used'],
  ['gauge:ofTomorrow', 'ofTomorrow', 'ofTomorrow'],
])('%s is said in words', (by, label, words) => {
  expect(measureLabel(by)).toBe(label)
  expect(measureWords(by)).toBe(words)
})

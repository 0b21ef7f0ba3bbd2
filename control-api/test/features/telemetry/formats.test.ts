// SPDX-License-Identifier: MIT
// The formats of what is shown to Prometheus, pure. That the real one reads them: prometheus.test.ts.
import { describe, expect, it } from 'vitest'
import { wantsProtobuf } from '../../../src/features/telemetry/accept.ts'
import {
  CLASSIC_EXPONENTS,
  cumulative,
  exposeText,
  type Family,
} from '../../../src/features/telemetry/exposition.ts'
import { exposeProtobuf } from '../../../src/features/telemetry/exposition-protobuf.ts'
import { emptyHistogram } from '../../../src/histogram/histogram.ts'
import { histogramOf } from '../../histogram-of.ts'

const PROTOBUF =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited'

describe('the format', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['text/plain', false],
    [PROTOBUF, true],
    [`${PROTOBUF};q=0`, false],
    // As Prometheus 2.42 asks with and without native histograms, and 3 does.
    [`${PROTOBUF},application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5`, true],
    ['application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', false],
    [`text/plain;q=0.5, ${PROTOBUF.replaceAll(';', '; ').toUpperCase()}; q=0.6`, false],
    [`text/plain;version=0.0.4;q=0.5, ${PROTOBUF.replaceAll(';', ' ; ')} ; q=0.6`, true],
    [`text/plain;q=0.7,${PROTOBUF};q=0.6`, false],
    // Another message, or another way to put several into one answer.
    ['application/vnd.google.protobuf', false],
    [PROTOBUF.replace('delimited', 'text'), false],
    [`${PROTOBUF};q=many`, false],
  ])('for Accept: %s, protobuf: %s', (accept, expected) => {
    expect(wantsProtobuf(accept)).toBe(expected)
  })
})

describe('classic buckets', () => {
  it('count exactly what is at most as long as each bound', () => {
    const seconds = [1e-9, 2 ** -20, 2 ** -20 * 1.0001, 0.001, 0.25, 0.2500001, 1, 511, 600, 5000]
    expect(cumulative(histogramOf(seconds))).toEqual(
      CLASSIC_EXPONENTS.map((exponent) => seconds.filter((one) => one <= 2 ** exponent).length),
    )
    expect(cumulative(emptyHistogram())).toEqual(CLASSIC_EXPONENTS.map(() => 0))
  })

  it('are in the text, with bounds as floats', () => {
    const samples = [{ labels: { of: 'x' }, histogram: histogramOf([1, 3]) }]
    const text = exposeText([{ name: 'y', type: 'histogram', help: 'z', samples }])
    expect(text).toContain('y_bucket{of="x",le="0.5"} 0\ny_bucket{of="x",le="1.0"} 1\n')
    expect(text).toContain('y_bucket{of="x",le="+Inf"} 2\ny_sum{of="x"} 4\ny_count{of="x"} 2\n')
  })
})

describe('a native histogram', () => {
  it('is told as runs of buckets and what each has more than the one before', () => {
    // Buckets 0 and 1, then 24: (1, 1.09], (1.09, 1.19], (8, 8.7].
    const histogram = histogramOf([1e-9, 1.01, 1.1, 1.1, 8.1])
    const family: Family = { name: 'a', type: 'histogram', help: 'b', samples: [{ histogram }] }
    const hex = exposeProtobuf([family]).toString('hex')
    // Schema 3 as 2·3, threshold 2^-21, one zero; spans at 1 of 2, then 22 further of 1; differences +1 +1 -1.
    expect(hex).toContain('2806' + '31000000000000a03e' + '3801' + '620408021002' + '6204082c1001')
    expect(hex.endsWith('6a03020201')).toBe(true)
    expect(exposeProtobuf([{ ...family, samples: [] }]).length).toBe(0)
  })
})

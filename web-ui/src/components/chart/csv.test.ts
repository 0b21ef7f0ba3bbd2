// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { csvOf, seriesRows } from './csv.ts'

test('a chart as a file has exact numbers, gaps as empty cells and nothing a spreadsheet would run', () => {
  const chart = {
    ...{ label: 'Latency', format: String, times: [0, 60], counts: [3, null] },
    series: [
      { name: '=p50, "all"', colour: 1 as const, values: [0.00123456, null] },
      { name: 'a\nb', colour: 2 as const, values: [0, -1] },
    ],
  }
  expect(csvOf(seriesRows(chart))).toBe(
    'time,"\'=p50, ""all""","a\nb",requests\r\n' +
      '1970-01-01T00:00:00.000Z,0.00123456,0,3\r\n' +
      '1970-01-01T00:01:00.000Z,,-1,\r\n',
  )
})

// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { RequestSearch } from '../../../lib/api-types.ts'
import { foundRequest, requestSearch } from '../../../test/samples.ts'
import { countWords, csvRows, MOST_ROWS, nodesWords, withFound } from './found.ts'

const numbered = (...numbers: number[]) => numbers.map((number) => foundRequest({ number }))

describe('what was found', () => {
  test('has each request once, the newest first', () => {
    const first = withFound(undefined, requestSearch({ requests: numbered(1, 2), next: 2 }))
    const second = withFound(first, requestSearch({ requests: numbered(2, 5) }))
    expect(second.rows.map(({ number }) => number)).toEqual([5, 2, 1])
  })

  test('does not grow without bound', () => {
    const many = numbered(...Array.from({ length: MOST_ROWS }, (_, i) => i + 1))
    const full = withFound(undefined, requestSearch({ requests: many }))
    const next = withFound(full, requestSearch({ requests: numbered(MOST_ROWS + 1) }))
    expect(next.rows).toHaveLength(MOST_ROWS)
    expect(next.rows[0]?.number).toBe(MOST_ROWS + 1)
  })

  test('as a file has exact numbers, and clients only where they were told', () => {
    const rows = [foundRequest({ client: '192.0.2.7' })]
    expect(csvRows(rows, false)[0]).not.toContain('client')
    const [titles, row] = csvRows(rows, true)
    expect(titles?.slice(0, 4)).toEqual(['time', 'node', 'client', 'status'])
    expect(row).toEqual([
      ...[rows[0]?.startedAt, 'edge-1', '192.0.2.7', 404, 0.0123, 2048, 'GET', 'shop.example'],
      ...['/cart', 'HTTP/1.1', null],
    ])
  })
})

describe('in words', () => {
  const nodes = (change: Partial<RequestSearch['nodes']>) =>
    requestSearch({ nodes: { ...requestSearch().nodes, ...change } })

  test('which nodes are searched, and why not the others', () => {
    expect(nodesWords(nodes({}))).toBe('1 node')
    expect(
      nodesWords(nodes({ selected: 320, connected: 300, searched: 47, tooOld: 2, busy: 3 })),
    ).toBe(
      '47 of 320 nodes (chosen by chance, as the most that can be; 20 not connected; 2 too old for it; 3 busy with other searches)',
    )
  })

  test('how much of it is to be seen', () => {
    expect(countWords(requestSearch({ seen: 1, matched: 0, received: 0 }))).toBe(
      '0 of 1 request match',
    )
    expect(countWords(requestSearch({ seen: 900, matched: 70, received: 50 }))).toBe(
      '70 of 900 requests match; 50 of them were sent, chosen by chance',
    )
  })
})

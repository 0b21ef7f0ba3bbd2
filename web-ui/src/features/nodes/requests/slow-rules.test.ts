// SPDX-License-Identifier: MIT
import { describe, expect, it, test } from 'vitest'
import type { RequestSample } from '../../../lib/api-types.ts'
import { pointOf, reasonWords } from './rules.ts'
import { listed, parseSlowSearch, piecesOf, type SlowSearch, sortedBy } from './slow-rules.ts'

const point = (path: string, total: number, changes: Partial<RequestSample> = {}) =>
  pointOf({
    ...{ startedAt: '2026-11-21T09:00:00.000000Z', generation: 1, status: 200, bytes: 1 },
    ...{ protocol: 'HTTP/1.1', reason: null, path, stageSeconds: { total } },
    ...changes,
  })

describe('the list', () => {
  const write = { stageSeconds: { total: 3, write: 2.9 } }
  const points = [
    point('/b', 1, { startedAt: '2026-11-21T09:00:02.000000Z', status: 404 }),
    point('/a', 3, { startedAt: '2026-11-21T09:00:01.000000Z', ...write }),
    point('/ab', 2, { status: null, reason: 'clientGone' }),
  ]
  it.each<[SlowSearch, string[]]>([
    [{}, ['/b', '/a', '/ab']],
    [{ slowAscending: true }, ['/ab', '/a', '/b']],
    [{ slowSort: 'took' }, ['/a', '/ab', '/b']],
    [{ slowSort: 'path', slowAscending: true }, ['/a', '/ab', '/b']],
    [{ slowSort: 'status', slowAscending: true }, ['/ab', '/a', '/b']],
    [{ slowPath: 'b' }, ['/b', '/ab']],
    [{ slowOutcome: '4xx' }, ['/b']],
    [{ slowOutcome: 'early' }, ['/ab']],
    [{ slowPart: 'write', slowOutcome: '2xx' }, ['/a']],
    [{ slowPart: 'disk' }, []],
  ])('of %j is %j', (search, paths) => {
    expect(listed(points, search).map(({ path }) => path)).toEqual(paths)
  })

  it('turns round at the second click, and begins each column as one looks for it', () => {
    const slowest = sortedBy({}, 'took')
    expect(slowest).toMatchObject({ slowSort: 'took', slowAscending: undefined })
    expect(sortedBy(slowest, 'took')).toMatchObject({ slowAscending: true })
    expect(sortedBy(slowest, 'path')).toMatchObject({ slowSort: 'path', slowAscending: true })
    expect(sortedBy({}, 'began')).toMatchObject({ slowSort: undefined, slowAscending: true })
  })
})

test('an address is read as far as it means something', () => {
  const all = {
    ...{ slowHours: 6, slowPath: '/a', slowOutcome: '5xx', slowPart: 'disk' },
    ...{ slowSort: 'took', slowAscending: true },
  }
  expect(parseSlowSearch(all)).toEqual(all)
  expect(parseSlowSearch({ slowPath: 7 })).toEqual({ slowPath: '7' })
  const nonsense = { slowHours: 7, slowPath: '', slowOutcome: 1, slowPart: 'x', slowSort: null }
  expect(parseSlowSearch({ ...nonsense, slowAscending: 'true' })).toEqual({})
})

describe('what took it', () => {
  it('has a piece for each part that can be seen, and the rest is the node’s', () => {
    const stageSeconds = {
      ...{ total: 2, stat: 0.001, readWait: 0.5, read: 0.25 },
      ...{ write: 1, writeClient: 0.75, writeNetwork: 0.2, firstByte: 0.9 },
    }
    const pieces = piecesOf(point('/a', 2, { stageSeconds }))
    expect(pieces.map(({ part }) => part)).toEqual(['disk', 'write', 'node'])
    expect(pieces.map(({ words }) => words)).toEqual([
      'Disk 750 ms, of it 500 ms in the queue',
      'Write 1 s, of it 750 ms for the client, 200 ms for the network',
      'The node itself 249 ms',
    ])
    expect(pieces.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 2)
  })

  it('is never more than the whole, as when reading and sending were at the same time', () => {
    const pieces = piecesOf(point('/a', 1, { stageSeconds: { total: 1, read: 0.9, write: 0.8 } }))
    expect(pieces.map(({ part, share }) => [part, share])).toEqual([
      ['disk', 0.9],
      ['write', 0.8],
    ])
    expect(piecesOf(point('/a', 0))).toEqual([])
  })
})

test('a reason is said as people say it', () => {
  expect(['disk', 'clientGone'].map(reasonWords)).toEqual(['disk', 'client gone'])
})

// SPDX-License-Identifier: MIT
// Gates of one path: 404 below it, and bytes of its pages, as nodes count them while the rollout asks.
import { describe, expect, it } from 'vitest'
import { whyUnclear } from '../../../../src/features/rollouts/gates/clear.ts'
import { judgeGates, readBy, watchFor } from '../../../../src/features/rollouts/gates/gates.ts'
import type { Gate } from '../../../../src/features/rollouts/shapes/schema.ts'
import { countersOfWatched } from '../../../../src/metrics-store/watched-paths.ts'

const docs: Gate = {
  metric: 'errors404',
  host: 'www.example.org',
  path: '/docs/',
  max: 0.02,
  onFail: 'revert',
}
const shop: Gate = { metric: 'errors404', path: '/shop/', max: 0.02, onFail: 'pause' }
const whole: Gate = { metric: 'errors404', max: 0.02, onFail: 'revert' }
const pages: Gate = { metric: 'bytesPerPage', path: '/docs/', max: 2, onFail: 'revert' }
const gates = [docs, shop, whole, pages]

type Row = [requests: number, notFound: number, pages: number, pageBytes: number]
const order = watchFor(gates)

/** Windows in which these were counted below the paths, in the order of the order. */
const group = (rows: readonly Row[]) => ({
  nodes: 2,
  samples: Array.from({ length: 20 }, () => ({
    counters: {
      ...{ requests: 100, responses404: 1 },
      ...countersOfWatched({ id: order?.id ?? '', counts: rows.map((row, i) => [i, ...row]) }),
    },
    stages: {},
  })),
})
const USUAL: Row[] = [
  [50, 0, 20, 200_000],
  [50, 0, 20, 200_000],
  [50, 0, 20, 200_000],
]
const judge = (rows: Row[], some: Gate[] = gates) =>
  judgeGates({ gates: some, minSamples: 200, canary: group(rows), control: group(USUAL), seed: 3 })
const verdicts = (rows: Row[]) => judge(rows).gates.map(({ verdict }) => verdict)

describe('gates of a path', () => {
  it('ask for each path once, under a name that follows from them', () => {
    expect(order?.paths).toEqual([
      { path: '/docs/' },
      { path: '/shop/' },
      { host: 'www.example.org', path: '/docs/' },
    ])
    expect(order?.id).toMatch(/^watch_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(watchFor(gates.toReversed())?.id).toBe(order?.id)
    expect(watchFor([docs])?.id).not.toBe(order?.id)
    expect(watchFor([whole])).toBeNull()
    expect(watchFor([{ metric: 'bytesPerPage', max: 2, onFail: 'pause' }])?.paths).toEqual([
      { path: '/' },
    ])
  })

  it('read what nodes counted for them, and nothing else', () => {
    expect(verdicts(USUAL)).toEqual(['pass', 'pass', 'pass', 'pass'])
    const lost: Row[] = USUAL.map((row, i) => (i === 1 ? [50, 20, 20, 200_000] : row))
    expect(verdicts(lost)).toEqual(['pass', 'fail', 'pass', 'pass'])
    const { message, onFail } = judge(lost)
    expect(message).toContain('the share of 404 below /shop/ is 0.4 higher')
    expect(onFail).toBe('pause')
    expect(readBy(gates).counters).toContain(`${order?.id}/1/notFound`)
  })

  it.each([
    ['fewer', 50_000, 'bytes per page below /docs/ are 4 times fewer than the others’'],
    ['fewer (none)', 0, 'bytes per page below /docs/ are 10000 times fewer than the others’'],
    ['more', 800_000, 'bytes per page below /docs/ are 4 times more than the others’'],
  ])('fail for much %s bytes per page', (_, bytes, message) => {
    const judged = judge([[50, 0, 20, bytes], ...USUAL.slice(1)])
    expect(judged.gates.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass', 'fail'])
    expect(judged.message).toContain(message)
  })

  it('conclude nothing while nobody counts', () => {
    const [gate] = judge([], [docs]).gates
    expect(gate).toMatchObject({ verdict: 'no_data', host: 'www.example.org', path: '/docs/' })
    expect(judge([], [pages]).message).toContain('0 of 200 pages that are needed')
  })

  it('say when it is not clear what they compare', () => {
    expect(whyUnclear(gates)).toBeNull()
    expect(whyUnclear([{ ...whole, host: 'a.example' }])).toContain('no path')
    expect(whyUnclear([{ metric: 'errors5xx', path: '/', max: 1, onFail: 'pause' }])).toContain(
      'only errors404 and bytesPerPage',
    )
    expect(whyUnclear([docs, { ...docs, max: 1 }])).toContain('twice')
  })
})

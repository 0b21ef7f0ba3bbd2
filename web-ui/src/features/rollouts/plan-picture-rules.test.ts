// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { policy } from '../../test/plan-answers.ts'
import { planCells, plannedNode, planOf } from '../../test/samples.ts'
import { blastWords, firstWaveProves, paintedBy, waveNote } from './plan-picture-rules.ts'

const node = (
  wave: number,
  requestsPerSecond: number | null,
  failureDomain: string | null = null,
) =>
  plannedNode({
    nodeId: `node_${wave}${requestsPerSecond}`,
    wave,
    requestsPerSecond,
    failureDomain,
  })
const two = planOf([node(0, 10, 'r1'), node(1, 60, 'r1'), node(1, 30, 'r2')], {
  waves: 2,
  policy: { ...policy, minSamples: 500, soakSeconds: 120, maxSoakSeconds: 900 },
})

describe('a wave', () => {
  test('says what it serves and which failure domains it is in', () => {
    expect(waveNote(two, 0)).toBe('10 % of requests, 10 a second; in r1')
    expect(waveNote(two, 1)).toBe('90 % of requests, 90 a second; in r1, r2')
    expect(waveNote(planOf([node(0, null)]), 0)).toBe('requests not measured')
  })

  test('has nothing to change where it has no node', () => {
    expect(waveNote(planOf([node(1, 1)], { waves: 2 }), 0)).toBe('nothing to change')
  })
})

test('the blast radius is in nodes and in what they serve', () => {
  const most = { ...two, mostAtOnce: { nodes: 1, requestsPerSecond: 60 } }
  expect(blastWords(most)).toBe(
    'Between two configs at the same time: at most 1 of 3 nodes. If those were the busiest, 60 % of all their requests.',
  )
  expect(blastWords(planOf([node(0, null)]))).toMatch(/What they serve was not measured\.$/)
})

describe('what the first wave proves', () => {
  test('is about kinds, and how long its gates need for enough requests', () => {
    expect(firstWaveProves(two)).toEqual([
      'The first wave has the one kind of node there is: what a kind would refuse shows there.',
      'Its gates need 500 requests: its nodes serve as many in 50 s.',
    ])
  })

  test('says when its nodes are too quiet', () => {
    const quiet = {
      ...two,
      wavePlans: two.wavePlans.map((one) => ({ ...one, requestsPerSecond: 0.1 })),
    }
    expect(firstWaveProves(quiet).at(-1)).toMatch(/longer than the 15 min it is watched for\.$/)
    const silent = {
      ...two,
      wavePlans: two.wavePlans.map((one) => ({ ...one, requestsPerSecond: 0 })),
    }
    expect(firstWaveProves(silent).at(-1)).toMatch(/none was measured/)
  })

  test('is nothing where all get it at once and nothing is watched', () => {
    expect(firstWaveProves(planOf([node(0, 1)]))).toEqual([])
  })
})

describe('cells', () => {
  const cells = planCells({
    ...{ cells: 'ab', standings: ['takes', 'away'], waves: [2], requestsPerSecond: [1, null] },
    ...{ domains: ['r1', null], domainOf: [0, 1] },
  })

  test('are told apart by what happens, by requests and by domain', () => {
    expect(paintedBy('standing', cells, ['takes', 'away']).kinds).toEqual(['takes', 'away'])
    expect(paintedBy('requests', cells, []).kinds).toEqual(['0', 'none'])
    const { kinds, entries } = paintedBy('domain', cells, [])
    expect(kinds).toEqual(['0', 'without'])
    expect(entries).toContainEqual({ kind: '0', label: 'r1' })
  })

  test('of many domains the smaller ones are one, and each has a shape of its own', () => {
    const domains = Array.from({ length: 9 }, (_, i) => `r${i}`)
    const painted = paintedBy(
      'domain',
      planCells({ domains, domainOf: domains.map((_, i) => i) }),
      [],
    )
    expect(painted.kinds).toEqual(['0', '1', '2', '3', '4', '5', '5', '5', '5'])
    expect(painted.entries.at(5)).toEqual({ kind: '5', label: '4 other domains' })
    const shapes = new Set(painted.kinds.map((kind) => JSON.stringify(painted.lookOf(kind).paths)))
    expect(shapes.size).toBe(6)
  })
})

// SPDX-License-Identifier: MIT
// From nodes' reports over the agent listener to charts of the farm, groups, versions and any nodes together.
import { describe, expect, it } from 'vitest'
import { quantile } from '../../../src/histogram/histogram.ts'
import type { Client } from '../../helper.ts'
import { histogramOf } from '../../histogram-of.ts'
import { personWith } from '../../person.ts'
import { at, farm, NOW } from './farm.ts'

const series = (seconds: number[], failed = 0, generation = 1) => [
  {
    generation,
    counters: { requests: seconds.length, responses5xx: failed },
    stages: {
      total: { ...histogramOf(seconds), scale: 3 as const },
      writeNetwork: { ...histogramOf(seconds.map((one) => one / 2)), scale: 3 as const },
      // Of a newer node than this control plane.
      ofTomorrow: { ...histogramOf(seconds), scale: 3 as const },
    },
  },
]
const ask = async (client: Client, path: string, parameters: Record<string, string>) => {
  const url = `/api/v1/metrics/${path}?${new URLSearchParams(parameters)}`
  return client.inject({ url })
}
const FAST = [0.001, 0.002, 0.003]
const SLOW = [0.1, 0.2, 0.4, 0.8]

/** What two nodes measured in two steps, added up by farm, group and version. */
async function measured() {
  const service = await farm({ 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } })
  const { nodes, clock, admin } = service
  const group = { name: 'europe', selector: 'zone=eu' }
  await admin.inject({ method: 'POST', url: '/api/v1/groups', payload: group })
  await service.tellMemberships()
  for (let step = 0; step < 4; step++) {
    await nodes[0]?.report(series(FAST), 10_000)
    await nodes[1]?.report(series(SLOW, 1), 10_000)
    clock.nowMs += 10_000
  }
  clock.nowMs += 50_000
  const range = { from: at(NOW - 3_000), to: at(NOW + 37_000) }
  const farmCount = async () => {
    const answer = await ask(admin, 'sets', { of: 'farm', ...range, stages: 'total' })
    return answer.json().sets[0].stages.total.count
  }
  await expect.poll(farmCount, { timeout: 10_000 }).toEqual([7, 7, 7, 7])
  return { ...service, range }
}

describe('GET /metrics/sets', () => {
  it('shows the farm, a group and nodes by label, each merged and never averaged', async () => {
    const { admin, range, nodes } = await measured()
    const answer = await ask(admin, 'sets', {
      ...range,
      of: `farm;group:europe;nodes:zone in (us);node:${nodes[0]?.id};node:${nodes[1]?.id}@9`,
      ...{ stages: 'total,readWait', quantiles: '0.5,1', counters: 'requests,responses5xx' },
      gauges: 'openConnections',
    })
    expect(answer.statusCode, answer.body).toBe(200)
    const { sets, times, stepSeconds, quantiles } = answer.json()
    expect([stepSeconds, times.length, quantiles]).toEqual([10, 4, [0.5, 1]])
    const [whole, europe, us, one, other] = sets
    const all = histogramOf([...FAST, ...SLOW])
    expect(whole).toMatchObject({
      ...{ of: 'farm', title: 'The whole farm', nodes: 2, measuredNodes: [2, 2, 2, 2] },
      stages: {
        total: {
          count: [7, 7, 7, 7],
          maxSeconds: [0.8, 0.8, 0.8, 0.8],
          quantiles: [0.5, 1].map((q) => Array(4).fill(quantile(all, q))),
        },
        readWait: { count: [0, 0, 0, 0], maxSeconds: [null, null, null, null] },
      },
      counters: { requests: [7, 7, 7, 7], responses5xx: [1, 1, 1, 1] },
      gauges: { openConnections: { mean: [1, 1, 1, 1], max: [1, 1, 1, 1] } },
    })
    expect(europe).toMatchObject({
      title: 'Group europe',
      nodes: 1,
      counters: { requests: [3, 3, 3, 3] },
    })
    expect(us).toMatchObject({
      title: 'Nodes with zone in (us)',
      counters: { requests: [4, 4, 4, 4] },
    })
    expect(one).toMatchObject({ title: 'edge-1', counters: { requests: [3, 3, 3, 3] } })
    expect(other).toMatchObject({
      ...{ title: 'edge-2, generation 9', counters: { requests: [0, 0, 0, 0] } },
    })
  })

  it('knows what the network took of writes, in each question, and passes over a stage it does not know', async () => {
    const { admin, range, nodes } = await measured()
    const [a, b] = nodes.map(({ id }) => `node:${id}`)
    const stages = 'writeNetwork,writeClient'
    const answer = await ask(admin, 'sets', { ...range, of: 'farm', stages, quantiles: '1' })
    expect(answer.json().sets[0].stages).toMatchObject({
      writeNetwork: { count: [7, 7, 7, 7], maxSeconds: [0.4, 0.4, 0.4, 0.4] },
      writeClient: { count: [0, 0, 0, 0] },
    })
    const heat = await ask(admin, 'heatmap', { ...range, of: 'farm', stage: 'writeNetwork' })
    const { counts } = histogramOf([...FAST, ...SLOW].map((one) => one / 2))
    expect(heat.json().steps[0]).toMatchObject({ counts })
    const compared = await ask(admin, 'compare', { ...range, a: a ?? '', b: b ?? '', stages })
    expect(compared.json().stages[0]).toMatchObject({ a: { count: 12 }, b: { count: 16 } })
    const top = await ask(admin, 'top', { ...range, by: 'quantile:writeNetwork:0.99' })
    expect(top.json().nodes).toMatchObject([{ nodeName: 'edge-2' }, { nodeName: 'edge-1' }])
  })

  it('shows who sees a part of the farm that part, whatever the words', async () => {
    const service = await measured()
    const scoped = await personWith(service, ['viewer'], 'zone=eu')
    const { range } = service
    const answer = await ask(scoped, 'sets', {
      ...{ ...range, of: 'farm;group:default;nodes:zone', stages: 'total', counters: 'requests' },
    })
    expect(answer.json().sets).toMatchObject([
      { title: 'All nodes you see', nodes: 1, counters: { requests: [3, 3, 3, 3] } },
      { nodes: 0, counters: { requests: [null, null, null, null] } },
      { nodes: 1, counters: { requests: [3, 3, 3, 3] } },
    ])
    const foreign = await ask(scoped, 'sets', { of: `node:${service.nodes[1]?.id}` })
    expect([foreign.statusCode, foreign.json().code]).toEqual([404, 'node_not_found'])
    const top = await ask(scoped, 'top', { ...range, by: 'quantile:total:0.99' })
    expect(top.json().nodes).toMatchObject([{ nodeName: 'edge-1' }])
  })

  it('refuses what nobody can answer, and says what to write', async () => {
    const { admin } = await farm({})
    const reach = { from: at(NOW - 3_600_000), to: at(NOW - 7_200_000) }
    for (const [parameters, status, code, words] of [
      [{ of: 'everything' }, 400, 'unknown_set', /of="everything": it is none of these/],
      [{ of: ';;' }, 400, 'unknown_set', /it is empty/],
      [{ of: 'version:site' }, 400, 'unknown_set', /CONFIG\/NUMBER/],
      [{ of: 'node:me' }, 400, 'unknown_set', /no id of a node/],
      [{ of: `node:node_${'0'.repeat(26)}` }, 404, 'node_not_found', /./],
      [{ of: 'nodes:zone=' }, 422, 'selector_invalid', /./],
      [{ of: Array(11).fill('farm').join(';') }, 400, 'too_many_sets', /11 are asked for/],
      [{ of: 'farm', stages: 'total,no' }, 400, 'unknown_stage', /"no" in "stages"; there are/],
      [{ of: 'farm', quantiles: '2' }, 400, 'invalid_request', /./],
      [
        { of: 'farm', quantiles: Array(11).fill('1').join() },
        400,
        'too_many_names',
        /10 quantiles/,
      ],
      [{ of: 'farm', ...reach }, 400, 'empty_range', /./],
    ] as const) {
      const response = await ask(admin, 'sets', parameters)
      const { code: got, detail } = response.json()
      expect([response.statusCode, got], JSON.stringify(parameters)).toEqual([status, code])
      expect(detail).toMatch(words)
    }
    const two = await ask(admin, 'heatmap', { of: 'farm;group:default' })
    expect([two.statusCode, two.json().code]).toEqual([400, 'one_set'])
  })
})

describe('GET /metrics/heatmap', () => {
  it('has the buckets of each step', async () => {
    const { admin, range } = await measured()
    const answer = await ask(admin, 'heatmap', { ...range, of: 'farm' })
    const { zeroCount, offset: firstBucket, counts } = histogramOf([...FAST, ...SLOW])
    expect(answer.json()).toMatchObject({
      ...{ of: 'farm', stage: 'total', bucketsPerOctave: 8 },
      steps: Array(4).fill({ zeroCount, firstBucket, counts }),
    })
  })
})

describe('GET /metrics/compare', () => {
  it('says how many times slower one is, and who fails more', async () => {
    const { admin, range, nodes } = await measured()
    const answer = await ask(admin, 'compare', {
      ...{
        ...range,
        a: `node:${nodes[1]?.id}`,
        b: 'group:europe',
        stages: 'total',
        quantiles: '0.5',
      },
    })
    const compared = answer.json()
    expect(compared).toMatchObject({
      ...{ a: { title: 'edge-2', ...range }, b: { title: 'Group europe' } },
      stages: [{ stage: 'total', a: { count: 16 }, b: { count: 12 } }],
      errors: {
        a: { requests: 16, errors: 4 },
        b: { requests: 12, errors: 0 },
        difference: { value: 0.25 },
      },
    })
    const [ratio] = compared.stages[0].ratios
    expect(ratio.value).toBeGreaterThan(50)
    expect(ratio.low).toBeLessThanOrEqual(ratio.value)
  })

  it('compares one with itself at another time', async () => {
    const { admin, range, nodes } = await measured()
    const of = `node:${nodes[0]?.id}`
    const answer = await ask(admin, 'compare', {
      ...{ a: of, b: of, ...range, bFrom: at(NOW - 603_000), bTo: at(NOW - 3_000) },
    })
    expect(answer.json()).toMatchObject({
      b: { from: at(NOW - 603_000), to: at(NOW - 3_000) },
      errors: { a: { requests: 12 }, b: { requests: 0 }, difference: null },
    })
  })
})

describe('GET /metrics/top', () => {
  it('names the nodes that are slowest, and those that fail most', async () => {
    const { admin, range } = await measured()
    const slowest = await ask(admin, 'top', { ...range, by: 'quantile:total:0.99' })
    expect(slowest.json()).toMatchObject({
      title: 'The whole farm',
      nodes: [
        { nodeName: 'edge-2', requests: 16, coverage: 1 },
        { nodeName: 'edge-1', requests: 12, coverage: 1 },
      ],
    })
    const failing = await ask(admin, 'top', { ...range, by: 'share:responses5xx', limit: '1' })
    expect(failing.json().nodes).toMatchObject([{ nodeName: 'edge-2', value: 0.25 }])
  })
})

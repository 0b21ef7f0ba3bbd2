// SPDX-License-Identifier: MIT
// From a node's report over the agent listener to the columns of a chart.
import { describe, expect, it } from 'vitest'
import { quantile } from '../../../src/histogram/histogram.ts'
import type { Built } from '../../helper.ts'
import { histogramOf } from '../../histogram-of.ts'
import { at, farm, NOW } from './farm.ts'

const series = (seconds: number[], failed = 0, generation = 1) => [
  {
    generation,
    counters: { requests: seconds.length, responses5xx: failed, bytesSent: seconds.length * 500 },
    stages: seconds.length > 0 ? { total: { ...histogramOf(seconds), scale: 3 as const } } : {},
  },
]
const query = ({ admin }: Built, parameters = '') =>
  admin.inject({ url: `/api/v1/metrics/query${parameters}` })

describe('GET /metrics/query', () => {
  it('needs a session; a viewer’s is enough', async () => {
    const { anonymous, as } = await farm({})
    const url = '/api/v1/metrics/query'
    expect((await anonymous.inject({ url })).statusCode).toBe(401)
    expect((await (await as('viewer')).inject({ url })).statusCode).toBe(200)
  })

  it('refuses what makes no chart', async () => {
    const service = await farm({})
    const tooMany = Array.from({ length: 101 }, (_, i) => `node_${String(i).padStart(26, '0')}`)
    for (const [parameters, status, code] of [
      ['?stage=nothing', 400, 'invalid_request'],
      ['?stepSeconds=1', 400, 'invalid_request'],
      ['?from=yesterday', 400, 'invalid_request'],
      [`?from=${at(NOW)}&to=${at(NOW - 1000)}`, 400, 'empty_range'],
      [`?node=${tooMany.join()}`, 400, 'too_many_nodes'],
      [`?node=node_${'0'.repeat(26)}`, 404, 'node_not_found'],
    ] as const) {
      const response = await query(service, parameters)
      expect(response.statusCode, parameters).toBe(status)
      expect(response.json().code).toBe(code)
    }
  })

  it('shows the last 15 minutes of all nodes: numbers where they reported, gaps where not', async () => {
    const service = await farm({ 'edge-1': {}, 'edge-2': {} })
    const [first] = service.nodes
    await first?.report(series([0.001, 0.002, 0.4], 1))
    service.clock.nowMs += 5_000
    await first?.report(series([]))
    const response = await query(service)
    expect(response.statusCode).toBe(200)
    const chart = response.json()
    expect(chart).toMatchObject({ stage: 'total', stepSeconds: 10, annotations: [] })
    expect(chart.times).toHaveLength(91)
    expect(chart.times.at(-1)).toBe(1_800_000_000)
    expect(chart.series.map((one: { nodeName: string }) => one.nodeName)).toEqual([
      'edge-1',
      'edge-2',
    ])
    const [one, two] = chart.series
    expect(one.count.slice(-2)).toEqual([null, 3])
    expect(one.p99Seconds.at(-1)).toBe(quantile(histogramOf([0.001, 0.002, 0.4]), 0.99))
    expect(one.maxSeconds.at(-1)).toBe(0.4)
    expect(one.requestsPerSecond.at(-1)).toBe(0.3)
    expect(one.bytesPerSecond.at(-1)).toBe(150)
    expect(one.errorRatio.at(-1)).toBeCloseTo(1 / 3)
    expect(one.coverage.slice(-2)).toEqual([0, 1])
    expect(new Set(two.count)).toEqual(new Set([null]))
    for (const column of Object.values(one)) {
      if (Array.isArray(column)) expect(column).toHaveLength(91)
    }
  })

  it('counts a report that was sent again once', async () => {
    const service = await farm({ 'edge-1': {} })
    const [node] = service.nodes
    const window = { seq: 1, startedMs: 0, durationMs: 5_000, series: series([0.1]) }
    expect(await node?.send([window])).toBe(1)
    expect(await node?.send([window, { ...window, seq: 2 }])).toBe(2)
    expect(await node?.send([window])).toBe(2)
    const chart = (await query(service, `?node=${node?.id}`)).json()
    expect(chart.series).toHaveLength(1)
    expect(chart.series[0].count.at(-1)).toBe(2)
  })

  it('takes another stage, and a step as coarse as it must be', async () => {
    const service = await farm({ 'edge-1': {} })
    await service.nodes[0]?.report(series([0.1]))
    const from = at(NOW - 30 * 86_400_000)
    const chart = (await query(service, `?stage=readWait&from=${from}&stepSeconds=10`)).json()
    expect(chart).toMatchObject({ stage: 'readWait' })
    expect(chart.stepSeconds % 900).toBe(0)
    expect(chart.times.length).toBeLessThanOrEqual(1_500)
    expect(chart.series[0].count.at(-1)).toBe(0)
    expect(chart.series[0].p99Seconds.at(-1)).toBeNull()
  })

  it('marks the rollouts that touched the nodes', async () => {
    const service = await farm({ 'edge-1': {} })
    const { admin } = service
    const text = '{ "sites": [{ "hosts": ["*"], "root": "/srv/www" }] }'
    const payload = { text, parent: null, message: 'first' }
    await admin.inject({ method: 'POST', url: '/api/v1/configs/default/versions', payload })
    const order = { config: 'default', version: 1, strategy: { atOnce: true } }
    const { id } = (
      await admin.inject({ method: 'POST', url: '/api/v1/rollouts', payload: order })
    ).json()
    const annotations = async () => (await query(service)).json().annotations
    await expect.poll(annotations).toEqual([
      {
        at: at(NOW),
        kind: 'rollout-started',
        text: 'Rollout of default version 1 started',
        rolloutId: id,
      },
      {
        at: at(NOW),
        kind: 'rollout-ended',
        text: 'Rollout of default version 1 succeeded',
        rolloutId: id,
      },
    ])
    expect((await query(service, `?to=${at(NOW - 60_000)}`)).json().annotations).toEqual([])
  })
})

describe('a node’s last minute', () => {
  it('is beside the node, and gone when the node falls silent', async () => {
    const service = await farm({ 'edge-1': {} })
    await service.nodes[0]?.report(series([0.1, 0.1]))
    const url = `/api/v1/nodes/${service.nodes[0]?.id}`
    const latency = async () => (await service.admin.inject({ url })).json().latency
    expect(await latency()).toMatchObject({
      requests: 2,
      requestsPerSecond: 0.4,
      readWaitP99Seconds: null,
    })
    service.clock.nowMs += 61_000
    expect(await latency()).toMatchObject({ requests: 0, p99Seconds: null })
  })
})

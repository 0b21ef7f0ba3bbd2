// SPDX-License-Identifier: MIT
// GET /metrics/farm: what simulated nodes report, added up by farm and group.
import { describe, expect, it } from 'vitest'
import { histogramOf } from '../../histogram-of.ts'
import { personWith } from '../../person.ts'
import { farm } from '../metrics/farm.ts'

const url = '/metrics/farm'
const series = (seconds: number[], counters: Record<string, number> = {}) => [
  {
    generation: 1,
    counters: { requests: seconds.length, ...counters },
    stages: { total: { ...histogramOf(seconds), scale: 3 as const } },
  },
]

describe('GET /metrics/farm', () => {
  it('counts every window once, in the farm and in its group, whatever its age', async () => {
    const service = await farm({ 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } })
    const { admin, nodes } = service
    const group = { name: 'europe', selector: 'zone=eu' }
    await admin.inject({ method: 'POST', url: '/api/v1/groups', payload: group })
    await service.tellMemberships()
    const window = (seq: number, startedMs: number) => ({
      ...{ seq, startedMs, durationMs: 5_000 },
      series: series([0.001, 0.3], { responses5xx: 1, bytesSent: 700, inventedByANode: 1 }),
    })
    await nodes[0]?.send([window(1, 0), window(2, 5_000)])
    await nodes[0]?.send([window(1, 0), window(2, 5_000), window(3, 10_000)])
    await nodes[1]?.send([window(1, 0)])

    const { body, headers } = await admin.inject({ url })
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = body.split('\n')
    for (const line of [
      'farmstead_farm_requests_total 8',
      'farmstead_farm_responses5xx_total 4',
      'farmstead_farm_bytes_sent_total 2800',
      'farmstead_group_requests_total{group="europe"} 6',
      'farmstead_group_requests_total{group="default"} 2',
      'farmstead_farm_stage_seconds_bucket{stage="total",le="0.25"} 4',
      'farmstead_farm_stage_seconds_bucket{stage="total",le="0.5"} 8',
      'farmstead_group_stage_seconds_count{group="europe",stage="total"} 6',
    ]) {
      expect(lines).toContain(line)
    }
    expect(body).not.toContain('invented')

    const own = (await admin.inject({ url: '/metrics' })).body.split('\n')
    expect(own).toContain('farmstead_reports_total{outcome="kept"} 3')
    expect(own).toContain('farmstead_report_windows_total{outcome="kept"} 4')
    expect(own).toContain('farmstead_report_windows_total{outcome="repeated"} 2')
    expect(own).toContain('farmstead_report_wait_seconds_count 3')
    expect(own).toContain('farmstead_report_slowdown 1')

    expect(body).toContain('farmstead_farm_lost_windows_total 0\n')
    await nodes[0]?.send([window(6, 25_000)])
    expect((await admin.inject({ url })).body).toContain('farmstead_farm_lost_windows_total 2\n')
    const after = (await admin.inject({ url: '/metrics' })).body
    expect(after).toContain('farmstead_report_windows_total{outcome="lost"} 2\n')
  })

  it('lets go of a group that nobody is in', async () => {
    const service = await farm({ 'edge-1': { zone: 'eu' } })
    const { admin, nodes } = service
    const change = (method: 'POST' | 'DELETE', path: string, payload?: object) =>
      admin.inject({
        ...{ method, url: `/api/v1/groups${path}`, headers: { 'if-match': '"1"' } },
        ...(payload && { payload }),
      })
    await change('POST', '', { name: 'europe', selector: 'zone=eu' })
    await service.tellMemberships()
    await nodes[0]?.report(series([0.001]))
    const groups = async () =>
      [...(await admin.inject({ url })).body.matchAll(/^farmstead_group_requests_total.+/gm)].join()
    expect(await groups()).toBe('farmstead_group_requests_total{group="europe"} 1')
    expect((await change('DELETE', '/europe')).statusCode).toBe(204)
    await service.tellMemberships()
    await nodes[0]?.report(series([0.001]))
    expect(await groups()).toBe('farmstead_group_requests_total{group="default"} 1')
    expect((await admin.inject({ url })).body).toContain('farmstead_farm_requests_total 2\n')
  })

  it('is for who sees the whole farm', async () => {
    const service = await farm({})
    const scoped = await personWith(service, ['viewer'], 'zone=eu')
    expect((await scoped.inject({ url })).statusCode).toBe(403)
    expect((await service.anonymous.inject({ url })).statusCode).toBe(401)
    expect((await service.admin.inject({ url: '/metrics/farmer' })).statusCode).toBe(404)
  })
})

// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { exposeText } from '../../../src/features/telemetry/exposition.ts'
import { assign, enrolNode } from '../../agents/node-client.ts'
import { build, withToken } from '../../helper.ts'

const url = '/metrics'
const valueIn = (body: string, series: string): number => {
  const line = body.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? Number.NaN : Number(line.slice(series.length + 1))
}

describe('GET /metrics', () => {
  test('is for who may read it: a token needs that permission and no other', async () => {
    const service = await build()
    expect((await service.anonymous.inject({ url })).statusCode).toBe(401)
    const asToken = async (permission: 'system:metrics' | 'nodes:read') => {
      const program = await withToken(service, service.admin, { permissions: [permission] })
      return (await program.inject({ url })).statusCode
    }
    expect(await asToken('system:metrics')).toBe(200)
    expect(await asToken('nodes:read')).toBe(403)
  })

  test('is told whatever there is to do, as the health is', async () => {
    const always: string[] = []
    await build({
      onRoute: ({ url, config }) => {
        if (config?.underPressure) always.push(url)
      },
    })
    // Each twice: HEAD is a route of its own.
    expect([...new Set(always)].toSorted()).toEqual(['/api/metrics', '/api/v1/health'])
  })

  test('tells nodes, agents, rollouts, webhooks, databases, requests and the event loop', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const { body, headers } = await service.admin.inject({ url })
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(valueIn(body, 'farmstead_agents_connected')).toBe(1)
    const states = [...body.matchAll(/^farmstead_nodes\{state="[a-z-]+"\} (\d+)$/gm)]
    expect(states.map(([, count]) => count)).toEqual(['1'])
    expect(valueIn(body, 'farmstead_webhooks{state="failing"}')).toBe(0)
    expect(valueIn(body, 'farmstead_database_bytes{file="control.db"}')).toBeGreaterThan(4096)
    expect(valueIn(body, 'farmstead_disk_free_bytes')).toBeGreaterThan(0)
    const agents = '{listener="agents",method="POST",status="2xx"}'
    expect(valueIn(body, `farmstead_http_requests_total${agents}`)).toBe(2)
    const all = 'farmstead_http_request_seconds_bucket{listener="agents",le="+Inf"}'
    expect(valueIn(body, all)).toBe(2)
    expect(valueIn(body, 'farmstead_event_loop_lag_seconds{quantile="0.99"}')).not.toBeNaN()
    expect(valueIn(body, 'farmstead_heap_bytes{kind="used"}')).toBeGreaterThan(1e6)
    expect(valueIn(body, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
    // Nothing was backed up, and nobody says nought.
    expect(body).not.toContain('farmstead_backup_last_success')
  })

  test('tells how long collecting garbage took', async () => {
    const { admin } = await build()
    const collected = async () =>
      valueIn((await admin.inject({ url })).body, 'farmstead_gc_pause_seconds_count{kind="minor"}')
    await expect.poll(collected).toBeGreaterThan(0)
  })

  test('is in the format’s words, each family once', async () => {
    const { admin } = await build()
    const { body } = await admin.inject({ url })
    const names = [...body.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)].map(
      ([, name]) => name,
    )
    expect(new Set(names).size).toBe(names.length)
    const sample = /^[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? [0-9.e+-]+$/
    for (const line of body
      .trimEnd()
      .split('\n')
      .filter((one) => !one.startsWith('#'))) {
      expect(line).toMatch(sample)
    }
  })

  test('escapes what a label holds', () => {
    const samples = [{ labels: { file: 'a"b\\c\nd' }, value: 1 }]
    expect(exposeText([{ name: 'x', type: 'gauge', help: 'One\nline', samples }])).toBe(
      '# HELP x One\\nline\n# TYPE x gauge\nx{file="a\\"b\\\\c\\nd"} 1\n',
    )
  })
})

describe('GET /ready', () => {
  const ready = '/api/v1/ready'

  test('is 503 until the agents’ listener is open, and says so', async () => {
    const { anonymous, agents } = await build()
    const before = await anonymous.inject({ url: ready })
    expect([before.statusCode, before.json()]).toEqual([
      503,
      { ready: false, missing: ['the agents’ listener is not open'] },
    ])
    await agents.listen({ host: '127.0.0.1', port: 0 })
    const after = await anonymous.inject({ url: ready })
    expect([after.statusCode, after.json()]).toEqual([200, { ready: true, missing: [] }])
  })

  test('is not shaken by what health calls degraded', async () => {
    const { anonymous, agents } = await build({ config: { nodeBinary: '/nowhere/node' } })
    await agents.listen({ host: '127.0.0.1', port: 0 })
    expect((await anonymous.inject({ url: '/api/v1/health' })).json().status).toBe('degraded')
    expect((await anonymous.inject({ url: ready })).statusCode).toBe(200)
  })
})

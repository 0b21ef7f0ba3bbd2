// SPDX-License-Identifier: MIT
// An hour of healthy traffic wakes nobody; what is really wrong does.
import { describe, expect, test } from 'vitest'
import type { Host } from '../../../src/agent-protocol/messages.gen.ts'
import { digestOf } from '../../../src/features/configs/text/digest.ts'
import { assign, example, OTHER_DIGEST } from '../../agents/node-client.ts'
import { farm } from '../metrics/farm.ts'
import { pass, series } from './doing.ts'

const rules = [
  {
    name: 'Slow',
    condition: {
      ...{ kind: 'measurement', each: 'node', by: 'quantile:total:0.99', comparison: 'above' },
      ...{ threshold: 0.1, windowSeconds: 300 },
    },
  },
  {
    name: 'No visitors',
    condition: {
      ...{ kind: 'measurement', each: 'set', by: 'rate:requests', comparison: 'below' },
      ...{ threshold: 0.5, windowSeconds: 300 },
    },
  },
  { name: 'Budget of errors', condition: { kind: 'burn-rate', objective: 0.99 } },
  {
    name: 'Budget of slow ones',
    condition: { kind: 'burn-rate', objective: 0.95, slowerThanSeconds: 0.05 },
  },
]

async function watched(labels: Parameters<typeof farm>[0]) {
  const service = await farm(labels)
  for (const payload of rules) {
    const made = await service.admin.inject({ method: 'POST', url: '/api/v1/alert-rules', payload })
    expect(made.statusCode, made.body).toBe(201)
  }
  await service.tellMemberships()
  const alerts = async (): Promise<string[]> => {
    const { items } = (await service.admin.inject({ url: '/api/v1/alerts' })).json()
    return items.map(
      ({
        ruleName,
        state,
        subject,
      }: {
        ruleName: string
        state: string
        subject: { name: string }
      }) => `${ruleName}: ${subject.name} ${state}`,
    )
  }
  return { ...service, alerts }
}

/** As a site at work: most is quick, one in two hundred waits for a disk, one in a thousand fails. */
function healthy(minute: number) {
  const seconds = Array.from({ length: 100 }, (_, i) => 0.001 + ((i * 7 + minute) % 23) / 1000)
  if (minute % 2 === 0) seconds[0] = 0.4
  return series(seconds, minute % 10 === 0 ? 1 : 0)
}

describe('an hour of healthy traffic', () => {
  test('has no alert from the first minute to the last', async () => {
    const service = await watched({ 'edge-1': {}, 'edge-2': {} })
    for (let minute = 0; minute < 60; minute++) {
      await pass(service, 1, [healthy(minute), healthy(minute + 1)])
    }
    expect(await service.alerts()).toEqual([])
    const rulesNow = (await service.admin.inject({ url: '/api/v1/alert-rules' })).json().items
    expect(rulesNow).toHaveLength(10)
    expect(rulesNow.filter(({ failing }: { failing: string | null }) => failing)).toEqual([])
  })
})

/** Free of a hundred, on the disk that it serves from. */
function withFree(free: number): Host {
  const { host } = example<{ host: Host }>('report.request.host')
  const [root] = host.roots
  if (!root) throw new Error('the example has no disk')
  return { ...host, roots: [{ ...root, totalBytes: 100, freeBytes: free }] }
}

test('a disk that fills fires once, not again between the thresholds, and is over when there is room', async () => {
  const service = await watched({ 'edge-1': {} })
  const [node] = service.nodes
  if (!node) throw new Error('there is no node')
  node.host = withFree(20)
  await pass(service, 8, [healthy(1)])
  expect(await service.alerts()).toEqual([])
  node.host = withFree(5)
  await pass(service, 19, [healthy(1)])
  expect(await service.alerts()).toEqual(['Disk filling: edge-1 firing'])
  node.host = withFree(12)
  await pass(service, 14, [healthy(1)])
  expect(await service.alerts()).toEqual(['Disk filling: edge-1 firing'])
  node.host = withFree(40)
  await pass(service, 14, [healthy(1)])
  expect(await service.alerts()).toEqual(['Disk filling: edge-1 resolved'])
})

test('a config that was changed on a machine fires, and is over when it is as it was', async () => {
  const service = await watched({ 'edge-1': {} })
  const [node] = service.nodes
  if (!node) throw new Error('there is no node')
  await assign(service, { nodeId: node.id, digest: digestOf({}) })
  const isConfirmed = async () => {
    const { sync } = (await service.admin.inject({ url: `/api/v1/nodes/${node.id}` })).json()
    return sync.state
  }
  await expect.poll(isConfirmed).toBe('in-sync')
  await pass(service, 8, [healthy(1)])
  expect(await service.alerts()).toEqual([])
  const before = node.effective
  node.effective = before && { ...before, digest: OTHER_DIGEST }
  await pass(service, 2, [healthy(1)])
  expect(await service.alerts()).toEqual(['Config changed on a node: edge-1 pending'])
  await pass(service, 6, [healthy(1)])
  expect(await service.alerts()).toEqual(['Config changed on a node: edge-1 firing'])
  node.effective = before
  await pass(service, 2, [healthy(1)])
  expect(await service.alerts()).toEqual(['Config changed on a node: edge-1 resolved'])
})

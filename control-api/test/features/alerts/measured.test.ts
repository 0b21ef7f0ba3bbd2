// SPDX-License-Identifier: MIT
// Rules over measurements: from nodes' reports over the agent listener to alerts, with a clock that the test moves.
import { describe, expect, test } from 'vitest'
import { farm } from '../metrics/farm.ts'
import { FAST, pass, SLOW, series } from './doing.ts'

async function withRule(condition: object, more: object = {}) {
  const service = await farm({ 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } })
  const payload = { name: 'Tried', condition, forSeconds: 60, ...more }
  const made = await service.admin.inject({ method: 'POST', url: '/api/v1/alert-rules', payload })
  expect(made.statusCode, made.body).toBe(201)
  const alerts = async () => {
    const answer = await service.admin.inject({ url: '/api/v1/alerts' })
    return answer
      .json()
      .items.filter(({ ruleName }: { ruleName: string }) => ruleName === 'Tried')
      .map(
        ({
          state,
          subject,
          isWithoutData,
        }: {
          state: string
          subject: { name: string }
          isWithoutData: boolean
        }) => [subject.name, state, ...(isWithoutData ? ['without data'] : [])].join(' '),
      )
  }
  const messages = async () => {
    const answer = await service.admin.inject({ url: '/api/v1/alerts' })
    return answer.json().items.map(({ message }: { message: string }) => message)
  }
  const failing = async () => {
    const { id } = made.json()
    return (await service.admin.inject({ url: `/api/v1/alert-rules/${id}` })).json().failing
  }
  return { ...service, alerts, messages, failing }
}

const p99 = {
  ...{ kind: 'measurement', each: 'node', by: 'quantile:total:0.99', comparison: 'above' },
  ...{ threshold: 0.1, clearThreshold: 0.05, windowSeconds: 120 },
}

describe('a threshold', () => {
  test('fires for the node that is beyond it, and is over when it is clear', async () => {
    const service = await withRule(p99)
    await pass(service, 4, [series(FAST), series(FAST)])
    expect(await service.alerts()).toEqual([])
    await pass(service, 2, [series(SLOW), series(FAST)])
    expect(await service.alerts()).toEqual(['edge-1 pending'])
    await pass(service, 3, [series(SLOW), series(FAST)])
    expect(await service.alerts()).toEqual(['edge-1 firing'])
    expect(await service.messages()).toEqual(['p99 of total over 2 min is 300 ms, above 100 ms.'])
    // What is said while it fires is what is measured, not what was when it began.
    await pass(service, 5, [series(Array(20).fill(3)), series(FAST)])
    expect(await service.messages()).toEqual(['p99 of total over 2 min is 2.954 s, above 100 ms.'])
    await pass(service, 5, [series(FAST), series(FAST)])
    expect(await service.alerts()).toEqual(['edge-1 resolved'])
    expect(await service.failing()).toBeNull()
  })

  test('of nothing that was measured neither fires nor is over', async () => {
    const service = await withRule(p99)
    await pass(service, 6, [series(SLOW), null])
    expect(await service.alerts()).toEqual(['edge-1 firing'])
    const [{ id }] = (await service.admin.inject({ url: '/api/v1/alerts?state=firing' })).json()
      .items
    const url = `/api/v1/alerts/${id}/actions/acknowledge`
    await service.admin.inject({ method: 'POST', url, payload: { comment: 'on it' } })
    // Its windows are late: nothing says that it is well.
    await pass(service, 6, [null, series(FAST)])
    expect(await service.alerts()).toEqual(['edge-1 firing without data'])
    const taken = (await service.admin.inject({ url: `/api/v1/alerts/${id}` })).json()
    expect(taken).toMatchObject({ comment: 'on it', acknowledgedBy: expect.any(String) })
    await pass(service, 5, [series(FAST), series(FAST)])
    expect(await service.alerts()).toEqual(['edge-1 resolved'])
  })

  test('of a handful of requests is none', async () => {
    const service = await withRule({ ...p99, minRequests: 200 })
    await pass(service, 6, [series(SLOW), series(FAST)])
    expect(await service.alerts()).toEqual([])
  })

  test('of a set is one alert, of all its nodes together', async () => {
    const below = { ...p99, each: 'set', by: 'rate:requests', comparison: 'below', threshold: 0.5 }
    const service = await withRule({ ...below, clearThreshold: 0.6 }, { appliesTo: 'nodes:zone' })
    await pass(service, 5, [series(FAST), series(FAST)])
    expect(await service.alerts()).toEqual([])
    await pass(service, 6, [series([0.002]), series([0.002])])
    expect(await service.alerts()).toEqual(['Nodes with zone firing'])
  })
})

describe('a burn rate', () => {
  const slow = { kind: 'burn-rate', objective: 0.99, slowerThanSeconds: 0.05 }

  test.each([
    ['of slow requests', slow, series([...FAST, ...SLOW])],
    ['of failed ones', { kind: 'burn-rate', objective: 0.99 }, series(FAST, 10)],
  ])('%s fires once the budget goes too fast', async (_name, condition, bad) => {
    const service = await withRule(condition)
    await service.tellMemberships()
    await pass(service, 8, [series(FAST), series(FAST)])
    expect(await service.alerts()).toEqual([])
    await pass(service, 12, [bad, bad])
    // Sums are made every two seconds, by a clock that no test moves.
    const alerts = async () => {
      await pass(service, 1, [bad, bad])
      return await service.alerts()
    }
    await expect.poll(alerts, { timeout: 20_000 }).toEqual(['The whole farm firing'])
    expect(await service.failing()).toBeNull()
  })
})

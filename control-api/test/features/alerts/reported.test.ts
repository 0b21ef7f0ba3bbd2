// SPDX-License-Identifier: MIT
// What users of other programs that alert have reported, tried on ours: lost and doubled tellings, missing data taken for zero,
// clocks and zones of silences, rules that are changed while they fire.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { build, tempDir } from '../../helper.ts'
import { farm } from '../metrics/farm.ts'
import { startReceiver } from '../webhooks/test-receiver.ts'
import { FAST, pass, SLOW, series } from './doing.ts'

const allowed = { webhookAllow: ['127.0.0.0/8'] }
const slowRule = {
  name: 'Slow',
  severity: 'critical',
  forSeconds: 60,
  condition: {
    ...{ kind: 'measurement', each: 'node', by: 'quantile:total:0.99', comparison: 'above' },
    ...{ threshold: 0.1, windowSeconds: 120 },
  },
}

async function watched(rule: object = slowRule) {
  const receiver = await startReceiver()
  const dataDir = tempDir()
  const labels = { 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } }
  const service = await farm(labels, { config: { dataDir, ...allowed } })
  const post = async (path: string, payload: object) => {
    const answer = await service.admin.inject({ method: 'POST', url: `/api/v1/${path}`, payload })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json()
  }
  await post('webhooks', { url: receiver.url, events: ['alert'] })
  const { id: ruleId } = await post('alert-rules', rule)
  type Told = { type: string; data: { detail: { rule: { id: string; name: string } } } }
  const told = () =>
    receiver.received
      .map(({ event }) => event as unknown as Told)
      .filter(({ data }) => data.detail.rule.id === ruleId)
  const types = () => told().map(({ type }) => type.replace('alert.', ''))
  const alerts = async () => {
    const { items } = (await service.admin.inject({ url: '/api/v1/alerts' })).json()
    return items.filter((one: { ruleId: string }) => one.ruleId === ruleId)
  }
  const change = async (method: 'PATCH' | 'DELETE', url: string, payload?: object) => {
    const { headers } = await service.admin.inject({ url })
    const ifMatch = { 'if-match': String(headers.etag) }
    const asked = { method, url, headers: ifMatch, ...(payload && { payload }) }
    const answer = await service.admin.inject(asked)
    expect(answer.statusCode, answer.body).toBeLessThan(300)
  }
  return { ...service, receiver, dataDir, ruleId, post, told, types, alerts, change }
}

const BAD = [series(SLOW), series(FAST)]
const WELL = [series(FAST), series(FAST)]
const DARK = [null, series(FAST)]

async function firing(service: Awaited<ReturnType<typeof watched>>) {
  await pass(service, 3, WELL)
  await pass(service, 6, BAD)
  await expect.poll(service.types).toEqual(['firing'])
}

describe('no data', () => {
  test('while it fires is neither the end nor, when data comes again, another beginning', async () => {
    const service = await watched()
    await firing(service)
    await pass(service, 15, DARK)
    expect(await service.alerts()).toMatchObject([{ state: 'firing', isWithoutData: true }])
    await pass(service, 6, BAD)
    expect(await service.alerts()).toMatchObject([{ state: 'firing', isWithoutData: false }])
    await pass(service, 6, WELL)
    await expect.poll(service.types).toEqual(['firing', 'resolved'])
  })

  test('is not zero: what must not be too low does not fire of a node that reports nothing', async () => {
    const low = {
      ...{ kind: 'measurement', each: 'node', by: 'rate:requests', comparison: 'below' },
      ...{ threshold: 0.5, windowSeconds: 120 },
    }
    const service = await watched({ ...slowRule, condition: low })
    await pass(service, 3, WELL)
    await pass(service, 15, DARK)
    expect(await service.alerts()).toEqual([])
    // That it reports and has no requests is another thing.
    await pass(service, 8, [series([]), series(FAST)])
    await expect.poll(service.types).toEqual(['firing'])
  })

  test('a share of no requests is no share', async () => {
    const failing = {
      ...{ kind: 'measurement', each: 'node', by: 'share:responses5xx', comparison: 'above' },
      ...{ threshold: 0, windowSeconds: 120, minRequests: 0 },
    }
    const service = await watched({ ...slowRule, condition: failing })
    await pass(service, 8, [series([]), series(FAST)])
    expect(await service.alerts()).toEqual([])
  })
})

describe('a telling', () => {
  test('of an end that was written and not told before a kill comes after the start, once', async () => {
    const service = await watched()
    await firing(service)
    // What was measured is too old by then to say anything.
    service.clock.nowMs += 600_000
    await sql`update alerts set state = 'resolved', resolved_at_ms = ${service.clock.nowMs},
      resolved_because = '', is_untold = 1 where rule_id = ${service.ruleId}`.execute(
      service.services.db,
    )
    await service.close()
    const { dataDir, clock } = service
    const again = await build({ config: { dataDir, ...allowed }, now: () => clock.nowMs })
    for (let i = 0; i < 5; i++) {
      clock.nowMs += 15_000
      await again.lookAtAlerts()
    }
    await expect.poll(service.types).toEqual(['firing', 'resolved'])
    await again.lookAtAlerts()
    expect(service.types()).toEqual(['firing', 'resolved'])
  })

  test('of a node that is removed while it fires says that it is over, and why', async () => {
    const service = await watched()
    await firing(service)
    await service.change('DELETE', `/api/v1/nodes/${service.nodes[0]?.id}`)
    await pass(service, 2, DARK)
    await expect.poll(service.types).toEqual(['firing', 'resolved'])
    const [alert] = await service.alerts()
    expect(alert).toMatchObject({ state: 'resolved', subject: { name: 'edge-1' } })
    expect(alert.resolvedBecause).toMatch(/no concern/)
  })
})

describe('a rule that is changed while it fires', () => {
  test('in its name or severity goes on firing, tells nothing again, and has its new name at the end', async () => {
    const service = await watched()
    await firing(service)
    const [before] = await service.alerts()
    const url = `/api/v1/alert-rules/${service.ruleId}`
    await service.change('PATCH', url, { name: 'Slow first bytes', severity: 'warning' })
    await pass(service, 3, BAD)
    expect(await service.alerts()).toMatchObject([{ id: before.id, state: 'firing' }])
    expect(service.types()).toEqual(['firing'])
    await pass(service, 6, WELL)
    await expect.poll(service.types).toEqual(['firing', 'resolved'])
    expect(service.told().at(-1)?.data.detail.rule.name).toBe('Slow first bytes')
  })

  test('in its threshold is another rule: what it found is over, and it waits anew', async () => {
    const service = await watched()
    await firing(service)
    const url = `/api/v1/alert-rules/${service.ruleId}`
    await service.change('PATCH', url, { condition: { ...slowRule.condition, threshold: 0.2 } })
    await expect
      .poll(async () => {
        await pass(service, 1, BAD)
        return service.types()
      })
      .toEqual(['firing', 'resolved', 'firing'])
  })
})

describe('a silence', () => {
  const until = (service: { clock: { nowMs: number } }, minutes: number) =>
    new Date(service.clock.nowMs + minutes * 60_000)

  test('ends at the moment that is meant, in whatever zone it is written, and is shown in UTC', async () => {
    const service = await watched()
    const end = until(service, 10)
    const inKolkata = new Date(end.getTime() + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30')
    const made = await service.post('alert-silences', {
      ...{ ruleId: service.ruleId, reason: 'new disks', until: inKolkata },
    })
    expect(made.until).toBe(end.toISOString())
    await pass(service, 3, WELL)
    await pass(service, 5, BAD)
    expect(await service.alerts()).toMatchObject([{ state: 'firing', silencedUntil: made.until }])
    expect(service.types()).toEqual([])
    await pass(service, 3, BAD)
    await expect.poll(service.types).toEqual(['firing'])
  })

  test.each([
    '2027-11-26T12:00:00',
    '2027-11-26 12:00',
    'tomorrow',
    '2027-02-30T12:00:00Z',
    '2027-02-28T24:00:00Z',
  ])('does not end at %s, which could be another moment elsewhere, or none', async (end) => {
    const service = await watched()
    const payload = { ruleId: service.ruleId, reason: 'x', until: end }
    const url = '/api/v1/alert-silences'
    const refused = await service.admin.inject({ method: 'POST', url, payload })
    expect(refused.statusCode).toBe(400)
  })

  test('that is ended early tells what still fires at once, and once', async () => {
    const service = await watched()
    const { id } = await service.post('alert-silences', {
      ...{ ruleId: service.ruleId, reason: 'new disks', until: until(service, 600).toISOString() },
    })
    await pass(service, 3, WELL)
    await pass(service, 6, BAD)
    expect(service.types()).toEqual([])
    await service.admin.inject({ method: 'DELETE', url: `/api/v1/alert-silences/${id}` })
    await pass(service, 3, BAD)
    await expect.poll(service.types).toEqual(['firing'])
  })
})

test('who took an alert on took this one: the next of the same node is nobody’s', async () => {
  const service = await watched()
  await firing(service)
  const [alert] = await service.alerts()
  await service.post(`alerts/${alert.id}/actions/acknowledge`, { comment: 'on it' })
  await pass(service, 2, BAD)
  expect(await service.alerts()).toMatchObject([{ acknowledgedBy: expect.any(String) }])
  await pass(service, 6, WELL)
  await pass(service, 6, BAD)
  const [next] = await service.alerts()
  expect(next).toMatchObject({ state: 'firing', acknowledgedBy: null })
  expect(next.id).not.toBe(alert.id)
})

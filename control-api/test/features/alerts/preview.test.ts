// SPDX-License-Identifier: MIT
// What a rule would have said: over what nodes reported before, as the rule itself says it while time passes.
import { describe, expect, test } from 'vitest'
import { farmReader } from '../../../src/features/alerts/look.ts'
import { movingPlan, previewOf } from '../../../src/features/alerts/preview.ts'
import { type Look, replay } from '../../../src/features/alerts/replay.ts'
import type { Measurement } from '../../../src/features/alerts/schema.ts'
import { measureIn } from '../../../src/features/metrics/set-routes.ts'
import type { MetricsStore } from '../../../src/metrics-store/metrics-store.ts'
import { farmOf } from '../../bench/previews.ts'
import { type Farm, farm } from '../metrics/farm.ts'
import { FAST, pass, SLOW, series } from './doing.ts'

const p99: Measurement = {
  kind: 'measurement',
  each: 'node',
  by: 'quantile:total:0.99',
  comparison: 'above',
  threshold: 0.1,
  windowSeconds: 120,
}

async function preview(service: Farm, payload: object) {
  const url = '/api/v1/alert-rules/preview'
  return await service.admin.inject({ method: 'POST', url, payload })
}

describe('a draft of a rule', () => {
  test('would have said what the rule did say', async () => {
    const service = await farm({ 'edge-1': { zone: 'eu' }, 'edge-2': { zone: 'us' } })
    const times = { forSeconds: 180, keepFiringSeconds: 60 }
    const draft = { condition: p99, appliesTo: 'nodes:zone', ...times }
    const url = '/api/v1/alert-rules'
    await service.admin.inject({ method: 'POST', url, payload: { name: 'Tried', ...draft } })
    await pass(service, 4, [series(FAST), series(FAST)])
    await pass(service, 6, [series(SLOW), series(FAST)])
    await pass(service, 8, [series(FAST), series(FAST)])
    await pass(service, 1, [series(SLOW), series(FAST)])
    await pass(service, 5, [series(FAST), series(FAST)])

    const answer = await preview(service, { ...draft, days: 1 })
    expect(answer.statusCode, answer.body).toBe(200)
    const said = answer.json()
    expect(said).toMatchObject({ fired: 1, lookedAt: 2, subjects: 2, lookEverySeconds: 60 })
    const [first] = said.alerts
    expect(first.subject.name).toBe('edge-1')
    expect(first.worst).toBeGreaterThan(0.25)
    const reals = (await service.admin.inject({ url: '/api/v1/alerts?state=resolved' }))
      .json()
      .items.filter(({ ruleName }: { ruleName: string }) => ruleName === 'Tried')
    expect(reals).toHaveLength(1)
    const [real] = reals
    // The rule looks at a time that ended up to two minutes before.
    for (const [would, did] of [
      [first.firingSince, real.firingSince],
      [first.overAt, real.resolvedAt],
    ]) {
      const lateMs = Date.parse(did) - Date.parse(would)
      expect(lateMs).toBeGreaterThanOrEqual(0)
      expect(lateMs).toBeLessThanOrEqual(180_000)
    }
    expect(said.pendingOnly).toBe(1)
    expect(said.values.length).toBe(said.times.length)
    expect(Math.max(...said.firing)).toBe(1)
  })

  test('of a burn rate is looked back at, and of nothing measured nothing is said', async () => {
    const service = await farm({ 'edge-1': {} })
    await service.tellMemberships()
    const condition = { kind: 'burn-rate', objective: 0.99 }
    const before = await preview(service, { condition, forSeconds: 0 })
    expect(before.statusCode, before.body).toBe(200)
    expect(before.json()).toMatchObject({ fired: 0, pendingOnly: 0, alerts: [] })
    expect(new Set(before.json().values)).toEqual(new Set([null]))
    await pass(service, 20, [series(FAST, 10)])
    const fired = async () => {
      await pass(service, 1, [series(FAST, 10)])
      return (await preview(service, { condition, forSeconds: 0 })).json().fired
    }
    // Sums are made every two seconds, by a clock that no test moves.
    await expect.poll(fired, { timeout: 20_000 }).toBe(1)
  })

  test('is refused as the rule would be, and makes nothing', async () => {
    const service = await farm({})
    const viewer = await service.as('viewer')
    const url = '/api/v1/alert-rules/preview'
    const denied = await viewer.inject({ method: 'POST', url, payload: { condition: p99 } })
    expect(denied.statusCode).toBe(403)
    const codes = []
    for (const payload of [
      { condition: { kind: 'drift' } },
      { condition: { ...p99, by: 'quantile:no:0.9' } },
      { condition: p99, appliesTo: 'everything' },
      { condition: p99, days: 8 },
    ]) {
      codes.push((await preview(service, payload)).json().code)
    }
    expect(codes).toEqual([
      ...['invalid_request', 'alert_rule_refused', 'alert_rule_refused', 'invalid_request'],
    ])
  })
})

describe('what is read', () => {
  const NOW_MS = 1_800_000_003_000
  const bounds = { nodes: 0, days: 7, nowMs: NOW_MS }
  const WEEK_MINUTES = 10_080

  test.each([
    ['a short window of few nodes', 300, null, 10, 60, WEEK_MINUTES, 19],
    ['a short window of many: some of them', 300, null, 10_000, 60, WEEK_MINUTES, 19],
    ['an hour of many: coarser rows, and more of them', 3600, null, 10_000, 900, 672, 297],
    ['the farm’s sum', 300, 1, 10_000, 60, WEEK_MINUTES, 19],
    ['a set of many: a shorter time', 300, 1000, 1000, 60, 200, 1000],
    ['a day of a sum', 86_400, 1, 10, 900, 672, 297],
  ])('%s', (_what, windowSeconds, setOf, nodes, resolutionSeconds, rows, most) => {
    const asked = { ...p99, windowSeconds }
    const plan = movingPlan(asked, setOf, { ...bounds, nodes })
    expect(plan.resolutionSeconds).toBe(resolutionSeconds)
    expect((plan.toSeconds - plan.fromSeconds) / resolutionSeconds).toBe(rows)
    expect(plan.most).toBe(most)
    expect(plan.windowSteps * plan.stepSeconds).toBe(windowSeconds)
    expect(rows * (setOf ?? Math.min(nodes, plan.most))).toBeLessThanOrEqual(200_000)
  })

  test('for who has gone, no more of it', async () => {
    const gone = new AbortController()
    let reads = 0
    const movingValues = async () => {
      if (++reads === 3) gone.abort()
      return { values: [], coveredSeconds: [], requests: [] }
    }
    const metrics = { movingValues } as unknown as MetricsStore
    const ids = Array.from({ length: 10 }, (_, i) => `node_${i}`)
    const seen = await farmReader(farmOf(ids))(NOW_MS)
    const draft = { condition: p99, appliesTo: 'farm', forSeconds: 0, keepFiringSeconds: 0 }
    const asked = { draft, farm: seen, days: 1 }
    await previewOf({ metrics, readMeasure: measureIn }, { ...asked, gone: gone.signal })
    expect(reads).toBe(3)
    await previewOf({ metrics, readMeasure: measureIn }, asked)
    expect(reads).toBe(13)
  })

  test('of a set of more than can be read it is said what to do', () => {
    expect(() => movingPlan(p99, 80_000, { ...bounds, nodes: 80_000 })).toThrow(/Name fewer/)
  })

  test('of a window that fills the time it is said how long a time it needs', () => {
    const day = { ...p99, windowSeconds: 86_400 }
    const plan = (days: number) => movingPlan(day, 1, { ...bounds, nodes: 1, days })
    expect(() => plan(1)).toThrow(/86400 s .* ask for 2 days or more/)
    expect(plan(2).windowSteps).toBeGreaterThan(0)
  })
})

test('no data goes on, between the thresholds too; what is short is pending only', () => {
  const of = (words: string): Look[] =>
    [...words].map((letter, i) => ({
      atSeconds: 60 * i,
      standing:
        ({ b: 'bad', '-': 'no-data', c: 'clear', '~': 'between' } as const)[letter] ?? 'bad',
      value: letter === 'b' ? i : null,
    }))
  const { spells, isFiring } = replay(
    of('cbcbbb--~cbbb'),
    { forSeconds: 60, keepFiringSeconds: 0 },
    (a, b) => Math.max(a ?? 0, b ?? 0),
  )
  expect(spells).toEqual([
    { pendingSeconds: 60, firingSeconds: null, overSeconds: 120, worst: 1 },
    { pendingSeconds: 180, firingSeconds: 240, overSeconds: 540, worst: 5 },
    { pendingSeconds: 600, firingSeconds: 660, overSeconds: null, worst: 12 },
  ])
  expect(isFiring.map((firing) => (firing ? 'f' : '.')).join('')).toBe('....fffff..ff')
})

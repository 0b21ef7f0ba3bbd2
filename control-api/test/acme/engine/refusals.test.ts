// SPDX-License-Identifier: MIT
// What a CA says instead of a certificate, and what is made of it.
import { expect, test } from 'vitest'
import { askForOrder, noteManaged } from '../../../src/acme/managed-store.ts'
import { problem } from '../stub-ca.ts'
import { DAY_MS, HOUR_MS, houseWithCa } from './house.ts'

test('a limit is kept as long as the CA says, even when somebody wants an order now', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  ca.instead.set('newOrder', problem('rateLimited', 429, { 'retry-after': String(30 * 3600) }))
  await house.manage('shop')
  const engine = house.start()
  await engine.look()
  const asked = () => ca.asked.filter((one) => one.endsWith('/newOrder')).length
  expect(asked()).toBe(1)
  expect(await house.events('shop')).toEqual(['ordered', 'order-failed'])
  const row = await house.managed('shop')
  const nowMs = clock.now()
  await house.write((unit) => askForOrder(unit, row, { actor: 'ben', nowMs }))
  for (let hour = 0; hour < 29; hour++) {
    await engine.look()
    clock.advance(HOUR_MS)
  }
  expect(asked()).toBe(1)
  ca.instead.clear()
  await house.goOnUntil(engine, has('shop', 1), HOUR_MS)
  expect((await house.orders('shop'))[0]?.started_by).toBe('ben')
})

test('a limit on an order that is made is kept, whoever changes the certificate, and then the order goes on', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  ca.instead.set('challenge', { body: {} })
  await house.manage('shop')
  const engine = house.start()
  const state = async () => (await house.orders('shop'))[0]?.state
  await house.goOnUntil(engine, async () => (await state()) === 'validating')
  ca.instead.clear()
  ca.instead.set('order', problem('rateLimited', 429, { 'retry-after': '7200' }))
  clock.advance(10_000)
  await engine.look()
  const asked = ca.asked.length
  ca.instead.clear()
  ca.orders[0]?.told.add('shop.example')
  for (let minute = 0; minute < 119; minute += 7) {
    const next_action_at_ms = clock.now()
    await house.write((unit) => noteManaged(unit, 'shop', { next_action_at_ms }))
    await engine.look()
    clock.advance(7 * 60_000)
  }
  expect(ca.asked.length).toBe(asked)
  await house.goOnUntil(engine, has('shop', 1))
  expect(await house.orders('shop')).toHaveLength(1)
})

test('a CA that does not take what an order replaces gets it without', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  ca.window = { startMs: clock.now() - 2 * DAY_MS, endMs: clock.now() - DAY_MS }
  ca.takesNoReplacements = true
  await house.manage('shop')
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1))
  // However often it failed before: names of two days ago, an account of a year ago.
  const hold = { ca: { untilMs: 0, failures: 9, saidUntilMs: 0 } }
  await house.write((unit) => noteManaged(unit, 'shop', { holds: JSON.stringify(hold) }))
  await house.goOnUntil(engine, has('shop', 2), HOUR_MS)
  const [second, first] = await house.versions('shop')
  const betweenMs = (second?.created_at_ms ?? 0) - (first?.created_at_ms ?? 0)
  expect(betweenMs).toBeLessThan(2 * DAY_MS)
})

test('a CA that takes hours to sign is asked until it has, and gets the request once', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  ca.signsAtMs = clock.now() + 5 * HOUR_MS
  await house.manage('shop')
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1), 5 * 60_000)
  expect(clock.now()).toBeGreaterThan(ca.signsAtMs)
  expect(await house.orders('shop')).toHaveLength(1)
  expect(ca.asked.filter((one) => one.startsWith('POST /finalize'))).toHaveLength(1)
})

test('an order that the CA has lost is made anew, after a while', async () => {
  const { house, ca, has } = await houseWithCa()
  ca.instead.set('challenge', { body: {} })
  await house.manage('shop')
  const engine = house.start()
  const state = async () => (await house.orders('shop'))[0]?.state
  await house.goOnUntil(engine, async () => (await state()) === 'validating')
  ca.instead.set('order', problem('malformed', 404))
  await house.goOnUntil(engine, async () => (await state()) === 'failed')
  ca.instead.clear()
  await house.goOnUntil(engine, has('shop', 1), 60_000)
  expect(await house.orders('shop')).toHaveLength(2)
})

test('an order that the CA does not know yet is asked for again, and not given up', async () => {
  const { house, ca, has } = await houseWithCa()
  ca.instead.set('order', problem('malformed', 404))
  await house.manage('shop')
  const engine = house.start()
  await engine.look()
  ca.instead.clear()
  await house.goOnUntil(engine, has('shop', 1))
  expect(await house.orders('shop')).toHaveLength(1)
})

test('an account that the CA does not know any more is made anew, at once', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  await house.manage('shop')
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1))
  ca.hasLostAccount = true
  await house.manage('other')
  const beganMs = clock.now()
  await house.goOnUntil(engine, has('other', 1))
  expect(ca.asked.filter((one) => one === 'POST /account')).toHaveLength(2)
  expect(clock.now() - beganMs).toBeLessThan(60_000)
})

test('a profile that the CA does not have is refused with those it has, and not asked each minute', async () => {
  const { house, ca, clock } = await houseWithCa()
  ca.lifeMs.set('shortlived', 6 * DAY_MS)
  await house.manage('shop', { authorities: '[{"name":"ca","profile":"long"}]' })
  const engine = house.start()
  for (let minute = 0; minute < 14; minute++) {
    await engine.look()
    clock.advance(50_000)
  }
  expect(await house.orders('shop')).toMatchObject([
    { state: 'failed', last_error: 'This CA has no profile "long"; it has shortlived' },
  ])
  expect(ca.orders).toEqual([])
})

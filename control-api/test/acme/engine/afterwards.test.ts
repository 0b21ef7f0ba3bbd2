// SPDX-License-Identifier: MIT
// What comes after an order, or instead of its end: rollouts, giving up, and what is left behind.
import { expect, test } from 'vitest'
import { cancelOrder, deleteManaged } from '../../../src/acme/managed-store.ts'
import { ORDERS_KEPT, ordersToClean } from '../../../src/acme/order-store.ts'
import { DAY_MS, HOUR_MS, houseWithCa } from './house.ts'

test('what could not be rolled out is told once, and tried again each hour, with these configs alone', async () => {
  const { house, clock, has } = await houseWithCa()
  const asked: (readonly string[] | null)[] = []
  let refused: string | null = 'two rollouts of it wait'
  house.state.rollOut = async (_certificate, configs) => {
    asked.push(configs)
    return [
      { config: 'web', refused },
      ...(configs === null ? [{ config: 'shop', refused: null }] : []),
    ]
  }
  await house.manage('shop', { roll_out: 1 })
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1))
  await engine.look()
  expect((await house.managed('shop')).last_error).toBe(
    'Version 1 could not be rolled out with the config "web": two rollouts of it wait',
  )
  for (let hour = 0; hour < 3; hour++) {
    clock.advance(HOUR_MS)
    await engine.look()
  }
  expect(asked).toEqual([null, ['web'], ['web'], ['web']])
  refused = null
  clock.advance(HOUR_MS)
  await engine.look()
  clock.advance(HOUR_MS)
  await engine.look()
  expect(asked).toHaveLength(5)
  expect(await house.managed('shop')).toMatchObject({ roll_out_left: null, last_error: null })
  const told = (await house.events('shop')).filter((action) => action === 'roll-out-refused')
  expect(told).toHaveLength(1)
})

test('an order that is given up is not begun again by itself for a day, and nodes forget it', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  house.state.nodes = []
  await house.manage('shop')
  const engine = house.start()
  const state = async () => (await house.orders('shop'))[0]?.state
  await house.goOnUntil(engine, async () => (await state()) === 'publishing')
  house.state.nodes = ['edge-1']
  expect(await house.write((unit) => cancelOrder(unit, 'shop', clock.now()))).toBe(true)
  expect(await house.write((unit) => cancelOrder(unit, 'shop', clock.now()))).toBe(false)
  await engine.look()
  expect(house.state.shown).toEqual([])
  expect(await ordersToClean(house.db, 10)).toEqual([])
  clock.advance(DAY_MS - HOUR_MS)
  await engine.look()
  expect(ca.orders).toHaveLength(1)
  await house.goOnUntil(engine, has('shop', 1), 10 * 60_000)
})

test('what is managed no more leaves its certificate, and neither orders nor tokens', async () => {
  const { house, clock, has } = await houseWithCa()
  await house.manage('shop')
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1))
  await house.write((unit) => deleteManaged(unit, 'shop', clock.now()))
  await engine.look()
  expect(await house.orders('shop')).toEqual([])
  expect(await house.latest('shop')).toMatchObject({ latest: 1 })
})

test('of the orders that have ended the newest are kept', async () => {
  const { house, ca, clock } = await houseWithCa()
  ca.instead.set('newOrder', { status: 400, type: 'application/problem+json', body: REFUSED })
  await house.manage('shop')
  const engine = house.start()
  for (let at = 0; at < ORDERS_KEPT + 5; at++) {
    await engine.look()
    clock.advance(15 * HOUR_MS)
  }
  const kept = await house.orders('shop')
  expect(kept).toHaveLength(ORDERS_KEPT)
  expect(kept.every(({ state }) => state === 'failed')).toBe(true)
})
const REFUSED = { type: 'urn:ietf:params:acme:error:rejectedIdentifier', detail: 'no' }

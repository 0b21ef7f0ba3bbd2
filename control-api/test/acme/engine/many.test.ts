// SPDX-License-Identifier: MIT
// Many at once: a farm that is moved here, or a CA that takes all its certificates back.
import { expect, test } from 'vitest'
import { openOrders } from '../../../src/acme/order-store.ts'
import { startStubCa } from '../stub-ca.ts'
import { createClock, openHouse } from './house.ts'

const [OF_CA, OF_OTHER] = [50, 5]

test('of many that are due at once 32 are open at a CA, and those of another are not behind them', async () => {
  const clock = createClock()
  const house = await openHouse(clock)
  const [ca, other] = [await startStubCa(clock.now), await startStubCa(clock.now)]
  await house.addAuthority('ca', ca)
  await house.addAuthority('other', other)
  const authorities = '[{"name":"other","profile":null}]'
  for (let at = 0; at < OF_CA; at++) await house.manage(`a-${at}`)
  for (let at = 0; at < OF_OTHER; at++) await house.manage(`b-${at}`, { authorities })
  // They stay open: nobody answers.
  house.state.nodes = []
  const engine = house.start()
  await engine.look()
  const open = Map.groupBy(await openOrders(house.db), ({ authority }) => authority)
  expect(open.get('ca')).toHaveLength(32)
  expect(open.get('other')).toHaveLength(OF_OTHER)
  expect(ca.busiest).toBeGreaterThan(1)
  expect(ca.busiest).toBeLessThanOrEqual(4)
  const waiting = (await house.managed('a-49')).next_action_at_ms - clock.now()
  expect(waiting).toBeGreaterThan(0)
  expect(waiting).toBeLessThan(60_000)
  expect(house.faults).toEqual([])
}, 60_000)

test('those that wait their turn hold up nothing else', async () => {
  const house = await openHouse()
  // An authority that is held: each is looked at, and waits.
  const nowhere = { directoryUrl: 'https://127.0.0.1:1/', trustedRoots: '' }
  await house.addAuthority('ca', nowhere, { held_until_ms: Date.now() + 3_600_000 })
  for (let at = 0; at < 100; at++) await house.manage(`shop-${at}`)
  const engine = house.start()
  let turns = 0
  const count = () => {
    turns += 1
    if (turns < 1000) setImmediate(count)
  }
  count()
  await engine.look()
  expect(turns).toBeGreaterThan(90)
})

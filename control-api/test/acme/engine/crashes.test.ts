// SPDX-License-Identifier: MIT
// The control plane ends at every moment of an order, before a change is kept and after it, and starts again.
import { expect, test } from 'vitest'
import type { Write } from '../../../src/audit/write.ts'
import { startStubCa } from '../stub-ca.ts'
import { createClock, DAY_MS, type House, openHouse } from './house.ts'

class Killed extends Error {}

/** Ends with the change of this number: before it is kept, or after. Then nothing is written any more. */
function endingAt(number: number, when: 'before' | 'after') {
  const life = { writes: 0, isOver: false }
  const through = (write: Write): Write => {
    return async (work) => {
      if (life.isOver) throw new Killed()
      life.writes += 1
      const isLast = life.writes === number
      if (isLast) life.isOver = true
      if (isLast && when === 'before') throw new Killed()
      const result = await write(work)
      if (isLast) throw new Killed()
      return result
    }
  }
  return { life, through }
}

async function orderWithCrash(
  house: House,
  name: string,
  number: number,
  when: 'before' | 'after',
) {
  await house.manage(name)
  const { life, through } = endingAt(number, when)
  const first = house.start(through)
  const isHere = async () => life.isOver || (await house.orders(name))[0]?.state === 'issued'
  await house.goOnUntil(first, isHere)
  await first.stop()
  const second = house.start()
  await house.goOnUntil(second, async () => (await house.orders(name))[0]?.state === 'issued')
  await second.stop()
  return life.isOver
}

test.each(['before', 'after'] as const)(
  'an order that is cut off %s any of its changes is carried on, and brings one version',
  async (when) => {
    const clock = createClock()
    const [house, ca] = [await openHouse(clock), await startStubCa(clock.now)]
    await house.addAuthority('ca', ca)
    let crashes = 0
    for (let number = 1; ; number++) {
      const name = `shop-${number}`
      const ordersBefore = ca.orders.length
      const wasCut = await orderWithCrash(house, name, number, when)
      const versions = await house.versions(name)
      expect(versions, `${when} ${number}`).toHaveLength(1)
      // At most one that the CA had made when nobody could write it down.
      expect(ca.orders.length - ordersBefore, `${when} ${number}`).toBeLessThanOrEqual(2)
      expect(await house.orders(name), `${when} ${number}`).toHaveLength(1)
      const issued = (await house.events(name)).filter((action) => action === 'issued')
      expect(issued, `${when} ${number}`).toHaveLength(1)
      const managed = await house.managed(name)
      expect(managed.renew_at_ms).toBeGreaterThan(clock.now() + 50 * DAY_MS)
      if (!wasCut) break
      crashes += 1
    }
    expect(crashes).toBeGreaterThan(10)
    const others = house.faults.filter((fault) => !(fault instanceof Killed))
    expect(others).toEqual([])
  },
)

test('what was published before a start is answered again at once, whether the CA is there or not', async () => {
  const clock = createClock()
  const [house, ca] = [await openHouse(clock), await startStubCa(clock.now)]
  await house.addAuthority('ca', ca)
  await house.manage('shop')
  // It is told to look, and does not.
  ca.instead.set('challenge', { body: {} })
  const first = house.start()
  const state = async () => (await house.orders('shop'))[0]?.state
  await house.goOnUntil(first, async () => (await state()) === 'validating')
  await first.stop()
  const [token] = house.state.shown
  expect(token).toContain('shop_example')
  house.state.shown = []
  ca.isAway = true
  await house.start().look()
  expect(house.state.shown).toEqual([token])
})

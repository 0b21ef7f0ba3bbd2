// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { runAs } from '../../../src/audit/origin.ts'
import { createKeeper } from '../../../src/certificates/keep.ts'
import { makeChain } from '../../certificates/make.ts'
import { startStubCa } from '../stub-ca.ts'
import { createClock, DAY_MS, HOUR_MS, type House, houseWithCa } from './house.ts'

test('what somebody wants is ordered, kept, told of, and renewed before two thirds of its life', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  await house.manage('shop')
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1))
  expect(await house.managed('shop')).toMatchObject({ version: 1, issued_by: 'ca', asked_by: null })
  expect(await house.orders('shop')).toMatchObject([{ state: 'issued', version: 1 }])
  expect(await house.events('shop')).toEqual(['ordered', 'created', 'issued'])
  const [first] = await house.versions('shop')
  const lifeMs = (first?.not_after_ms ?? 0) - (first?.not_before_ms ?? 0)
  await house.goOnUntil(engine, has('shop', 2), 6 * HOUR_MS)
  const passedMs = clock.now() - (first?.not_before_ms ?? 0)
  expect(passedMs).toBeGreaterThan(0.6 * lifeMs)
  expect(passedMs).toBeLessThan((2 / 3) * lifeMs)
  expect(ca.orders).toHaveLength(2)
  expect((await house.orders('shop'))[0]?.started_by).toBe('renewal')
  expect(house.faults).toEqual([])
})

// Nobody looks but the engine itself. The time that the order waits for comes between its last look and its timer.
test.each([350, 400, 450])(
  'an order waits no longer than it said where each step takes %i ms',
  async (eachMs) => {
    const { house, has } = await houseWithCa(createClock({ eachMs }))
    await house.manage('shop')
    house.start()
    await expect.poll(has('shop', 1), { timeout: 20_000 }).toBe(true)
  },
)

test('a CA that is away for two days loses nothing: it is asked each hour, and has one order', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  await house.manage('shop')
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1))
  ca.isAway = true
  const beganMs = (await house.managed('shop')).renew_at_ms ?? 0
  clock.advance(beganMs - clock.now())
  const before = ca.asked.length
  for (let minute = 0; minute < 2 * 24 * 60; minute += 5) {
    await engine.look()
    clock.advance(5 * 60_000)
  }
  // Six times in the first hour, then once an hour or so; each may open two connections.
  expect(ca.asked.length - before).toBeGreaterThan(40)
  expect(ca.asked.length - before).toBeLessThan(130)
  expect(await house.orders('shop')).toMatchObject([{ state: 'new' }, { state: 'issued' }])
  expect((await house.latest('shop'))?.latest).toBe(1)
  ca.isAway = false
  await house.goOnUntil(engine, has('shop', 2), 60_000)
  expect((await house.orders('shop')).map(({ state }) => state)).toEqual(['issued', 'issued'])
  expect(house.faults).toEqual([])
})

test('a window in the past renews at once, and not again before a day is over', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  ca.window = { startMs: clock.now() - 2 * DAY_MS, endMs: clock.now() - DAY_MS }
  await house.manage('shop')
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1))
  await house.goOnUntil(engine, has('shop', 2), HOUR_MS)
  const [second, first] = await house.versions('shop')
  const betweenMs = (second?.created_at_ms ?? 0) - (first?.created_at_ms ?? 0)
  expect(betweenMs).toBeGreaterThan(DAY_MS - 2 * HOUR_MS)
  expect(betweenMs).toBeLessThan(DAY_MS + 2 * HOUR_MS)
  expect(ca.orders[0]?.replaces).toBeNull()
  expect(ca.orders[1]?.replaces).toMatch(/^qrvM3Q\./)
})

test('a profile of six days is ordered, and renewed after four', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  ca.lifeMs.set('shortlived', 6 * DAY_MS)
  await house.manage('shop', { authorities: '[{"name":"ca","profile":"shortlived"}]' })
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1))
  const beganMs = clock.now()
  expect(ca.orders[0]?.profile).toBe('shortlived')
  await house.goOnUntil(engine, has('shop', 2), HOUR_MS)
  expect(clock.now() - beganMs).toBeGreaterThan(3.5 * DAY_MS)
  expect(clock.now() - beganMs).toBeLessThan(4.1 * DAY_MS)
})

test('the second CA is asked when the first is silent, and the first again when it is back', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  const other = await startStubCa(clock.now)
  await house.addAuthority('other', other)
  ca.isAway = true
  const both = '[{"name":"ca","profile":null},{"name":"other","profile":null}]'
  await house.manage('shop', { authorities: both })
  const engine = house.start()
  await house.goOnUntil(engine, has('shop', 1), 30_000)
  expect((await house.managed('shop')).issued_by).toBe('other')
  ca.isAway = false
  await house.goOnUntil(engine, has('shop', 2), 6 * HOUR_MS)
  expect((await house.managed('shop')).issued_by).toBe('ca')
  // The first one's certificate is not of this CA.
  expect(ca.orders[0]?.replaces).toBeNull()
})

test('two certificates with a name in common take turns', async () => {
  const { house, ca, clock, has } = await houseWithCa()
  const names = JSON.stringify(['same.example'])
  await house.manage('one', { names })
  await house.manage('two', { names })
  // Nobody answers for the first one's token.
  house.state.nodes = []
  const engine = house.start()
  for (let minute = 0; minute < 10; minute++) {
    await engine.look()
    clock.advance(60_000)
  }
  expect(ca.orders).toHaveLength(1)
  house.state.nodes = ['edge-1']
  await engine.stop()
  const next = house.start()
  await house.goOnUntil(next, has('one', 1))
  await house.goOnUntil(next, has('two', 1))
  expect(ca.orders).toHaveLength(2)
})

test('an uploaded version counts: its life says when it is renewed', async () => {
  const { house, clock } = await houseWithCa()
  const { db, write, box } = house
  const keeper = createKeeper({ db, write, now: clock.now, box })
  const { chain, key } = await makeChain(['shop.example'])
  await keeper.create({ name: 'shop', chain, key, source: { kind: 'upload' }, actor: 'ana' })
  await house.manage('shop', { asked_by: null })
  await house.start().look()
  const managed = await house.managed('shop')
  const latest = await house.latest('shop')
  const { not_before_ms: fromMs = 0, not_after_ms: toMs = 0 } = latest?.version ?? {}
  expect(managed.version).toBe(1)
  expect(managed.renew_at_ms).toBeGreaterThan(fromMs + 0.6 * (toMs - fromMs))
  expect(managed.renew_at_ms).toBeLessThan(fromMs + (2 / 3) * (toMs - fromMs))
  expect(await house.orders('shop')).toEqual([])
})

test('nothing is begun while it is held, after a restore or on a full disk', async () => {
  const { house, ca, has } = await houseWithCa()
  house.state.isHeld = true
  await house.manage('shop')
  const engine = house.start()
  await engine.look()
  expect(ca.asked).toEqual([])
  house.state.isHeld = false
  await house.goOnUntil(engine, has('shop', 1))
})

test('who wakes it does not do what it does: the audit has it as done by the service', async () => {
  const { house, has } = await houseWithCa()
  await house.manage('shop')
  const engine = house.start()
  const request = {
    via: 'session',
    tokenId: null,
    requestId: 'req_1',
    address: '192.0.2.1',
  } as const
  await runAs(() => request, engine.look)
  await house.goOnUntil(engine, has('shop', 1))
  const events = await auditOf(house)
  expect(events).toEqual([
    { action: 'ordered', actor: 'ana', via: 'service', request_id: null, address: null },
    { action: 'created', actor: 'acme', via: 'service', request_id: null, address: null },
    { action: 'issued', actor: null, via: 'service', request_id: null, address: null },
  ])
})

const auditOf = ({ db }: House) =>
  db
    .selectFrom('events')
    .select(['action', 'actor', 'via', 'request_id', 'address'])
    .where('kind', '=', 'certificate')
    .orderBy('id')
    .execute()

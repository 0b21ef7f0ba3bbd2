// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { noteManaged } from '../../src/acme/managed-store.ts'
import { build } from '../helper.ts'
import { createClock, DAY_MS } from './engine/house.ts'
import { knows, LOOK, latest, manage, state } from './pebble-farm.ts'
import { problem, startStubCa } from './stub-ca.ts'

test('what is not renewed when two thirds of its life are over is told where the service says how it is', async () => {
  const clock = createClock()
  const ca = await startStubCa(clock.now)
  const service = await build({ now: clock.now, config: { webhookAllow: ['127.0.0.0/8'] } })
  const { admin, services } = service
  const check = async () => {
    const { checks } = (await admin.inject({ url: '/api/v1/health' })).json()
    return checks.find(({ name }: { name: string }) => name === 'certificates')
  }
  const metrics = async () => (await admin.inject({ url: '/metrics' })).body
  ca.instead.set('newOrder', problem('rejectedIdentifier', 400))
  await knows(service, ca)
  await manage(service, 'shop', { asked_by: null })
  await expect.poll(() => state(service, 'shop'), LOOK).toBe('failed')
  expect(await latest(service, 'shop')).toBeUndefined()
  clock.advance(10_000)
  expect(await check()).toMatchObject({
    ok: true,
    attention: true,
    message: expect.stringMatching(/; 1 could not be renewed in time$/),
  })
  expect(await metrics()).toContain('farmstead_certificate_orders_total{outcome="failed"} 1')
  expect(await metrics()).toContain('farmstead_managed_certificates{state="waiting"} 1')
  await services.write((unit) =>
    noteManaged(unit, 'shop', { renew_at_ms: clock.now() + DAY_MS, last_error: null }),
  )
  clock.advance(11_000)
  expect(await check()).toMatchObject({ ok: true, attention: false })
})

// SPDX-License-Identifier: MIT
// The cookie of a browser that signed in before: what it is good for, and that nobody can make more of it.
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { beginRecovery } from '../../../src/control-plane/recovery.ts'
import { letAdminIn } from '../../../src/features/session/break-glass.ts'
import { hashPassword } from '../../../src/people/passwords.ts'
import { insertUser } from '../../../src/people/user-store.ts'
import { type Built, build, client, cookieOf, PASSWORD, signInAs } from '../../helper.ts'

const AT = 1_800_000_000_000
const SESSION = '/api/v1/session'
const FACTOR = `${SESSION}/second-factor`
type Given = { username?: string; password?: string; code?: string; address?: string }

/** A service behind a proxy, and sign-ins from anywhere with any device cookie. */
async function attacked() {
  const clock = { now: AT }
  const service = await build({
    now: () => clock.now,
    config: { trustProxy: ['127.0.0.1'] },
  })
  const attempt = (device: string | undefined, { address = '203.0.113.9', ...given }: Given = {}) =>
    service.app.inject({
      method: 'POST',
      url: SESSION,
      payload: { username: 'test-admin', password: 'wrong', ...given },
      headers: {
        'x-forwarded-for': address,
        ...(device !== undefined && { cookie: `farmstead_device=${device}` }),
      },
    })
  const deviceOf = async (given: Given = {}) => {
    const answer = await attempt(undefined, {
      password: PASSWORD,
      address: '198.51.100.7',
      ...given,
    })
    const device = answer.cookies.find(({ name }) => name === 'farmstead_device')
    if (!device) throw new Error(answer.body)
    return { device: device.value, person: client(service, cookieOf(answer)) }
  }
  return { clock, service, attempt, deviceOf }
}

const count = (statuses: number[], status: number) =>
  statuses.filter((one) => one === status).length

/** Strangers’ guesses have used up what the account and this network may. */
async function usedUp(attempt: (device: undefined) => Promise<{ statusCode: number }>) {
  for (let i = 0; i < 7; i++) await attempt(undefined)
  expect((await attempt(undefined)).statusCode).toBe(429)
}

describe('a device cookie', () => {
  test('has one budget, whatever is written behind it', async () => {
    const { attempt, deviceOf } = await attacked()
    const { device } = await deviceOf()
    const statuses: number[] = []
    for (let i = 0; i < 60; i++) statuses.push((await attempt(`${device}.${i}`)).statusCode)
    expect(count(statuses, 401)).toBeLessThan(15)
    expect(count(statuses, 429)).toBeGreaterThan(45)
  })

  test('is none when it is not, to the letter, what was given', async () => {
    const { attempt, deviceOf } = await attacked()
    const { device } = await deviceOf()
    await usedUp(attempt)
    for (const forged of [`${device}.`, `${device}.1`, `.${device}`, `${device}x`, 'a.b', '.']) {
      expect((await attempt(forged)).statusCode, forged).toBe(429)
    }
    expect((await attempt(device)).statusCode).toBe(401)
  })

  test('is found behind others of its name, but not behind any number', async () => {
    const { attempt, deviceOf } = await attacked()
    const { device } = await deviceOf()
    await usedUp(attempt)
    const another = `${'a'.repeat(22)}.${'b'.repeat(43)}`
    const behind = (junk: string[]) => attempt([...junk, device].join('; farmstead_device='))
    expect((await behind(['junk', another, ''])).statusCode).toBe(401)
    expect((await behind(Array.from({ length: 16 }, () => another))).statusCode).toBe(429)
  })

  test('is of one account', async () => {
    const { service, attempt, deviceOf } = await attacked()
    await service.as('viewer')
    const { device } = await deviceOf({ username: 'test-viewer' })
    await usedUp(attempt)
    expect((await attempt(device)).statusCode).toBe(429)
  })

  test('is not of who has the name after its account was deleted', async () => {
    const { service, attempt, deviceOf } = await attacked()
    const made = await service.as('viewer')
    const { device } = await deviceOf({ username: 'test-viewer' })
    const { id } = (await made.inject({ url: SESSION })).json().user
    await service.services.db.deleteFrom('users').where('id', '=', id).execute()
    await service.as('viewer')
    const asViewer = { username: 'test-viewer' }
    await usedUp(() => attempt(undefined, asViewer))
    expect((await attempt(device, asViewer)).statusCode).toBe(429)
  })

  test.each<[string, (service: Built, id: string) => Promise<unknown>]>([
    ['a password reset', (service, id) => act(service, id, 'reset-password')],
    ['a second factor reset', (service, id) => act(service, id, 'reset-second-factor')],
    ['sessions ended', (service, id) => act(service, id, 'end-sessions')],
    ['being disabled', disableAndEnable],
    ['a restore', restoreOver],
    ['break-glass', (service) => letAdminIn(service.services, 'test-admin')],
  ])('ends with %s', async (_name, recover) => {
    const { service, attempt, deviceOf } = await attacked()
    const { device, person } = await deviceOf()
    const { id } = (await person.inject({ url: SESSION })).json().user
    await recover(service, id)
    await usedUp(attempt)
    expect((await attempt(device)).statusCode).toBe(429)
  })

  test('ends with a password of one’s own choice, but for the browser that chose it', async () => {
    const { attempt, deviceOf } = await attacked()
    const { device, person } = await deviceOf()
    const changed = await person.inject({
      method: 'PUT',
      url: `${SESSION}/password`,
      payload: { currentPassword: PASSWORD, newPassword: 'another good password' },
    })
    const next = changed.cookies.find(({ name }) => name === 'farmstead_device')?.value
    await usedUp(attempt)
    expect((await attempt(device)).statusCode).toBe(429)
    expect((await attempt(next)).statusCode).toBe(401)
  })
})

describe('codes', () => {
  /** Known browsers of one account, signed in before its second factor was there. */
  async function browsers(many: number) {
    const it = await attacked()
    const first = await it.deviceOf()
    const devices = [first.device]
    for (let i = 1; i < many; i++) devices.push((await it.deviceOf()).device)
    const payload = { password: PASSWORD }
    const begun = await first.person.inject({ method: 'POST', url: FACTOR, payload })
    const { secret } = begun.json()
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = () => totp.generate({ timestamp: it.clock.now })
    await first.person.inject({ method: 'PUT', url: FACTOR, payload: { code: code() } })
    it.clock.now += 30_000
    return { ...it, devices, code }
  }

  test('are limited for the account, from however many known browsers', async () => {
    const { attempt, devices } = await browsers(20)
    const statuses: number[] = []
    for (let round = 0; round < 4; round++) {
      for (const device of devices) {
        const guess = { password: PASSWORD, code: '000000' }
        statuses.push((await attempt(device, guess)).statusCode)
      }
    }
    expect(count(statuses, 401)).toBeLessThan(30)
  })

  test('of strangers do not keep a known browser out', async () => {
    const { attempt, devices, code } = await browsers(1)
    for (let i = 0; i < 40; i++) {
      const address = `203.0.${i}.9`
      await attempt(undefined, { password: PASSWORD, code: '000000', address })
    }
    const good = await attempt(devices[0], { password: PASSWORD, code: code() })
    expect(good.statusCode).toBe(201)
  })
})

describe('signing in to an account of one’s own', () => {
  test('does not give a network its guesses at others back', async () => {
    const { service, attempt } = await attacked()
    await service.as('viewer')
    const own = { username: 'test-viewer', password: PASSWORD }
    const statuses: number[] = []
    for (let i = 0; i < 40; i++) {
      statuses.push((await attempt(undefined, { username: `victim-${i}` })).statusCode)
      await attempt(undefined, own)
    }
    expect(count(statuses, 401)).toBeLessThan(30)
  })
})

async function addSecondAdmin({ services: { write } }: Built) {
  const passwordHash = await hashPassword(PASSWORD, { memoryKib: 8, passes: 1 })
  const made = { username: 'second-admin', passwordHash, roles: ['admin' as const] }
  await write((unit) => insertUser(unit, { ...made, isOneTime: false, nowMs: AT }))
}

const act = async (service: Built, id: string, action: string) => {
  await addSecondAdmin(service)
  const other = await signInAs(service, 'second-admin', PASSWORD)
  const url = `/api/v1/users/${id}/actions/${action}`
  const done = await other.inject({ method: 'POST', url })
  if (done.statusCode >= 300) throw new Error(done.body)
}

/** Of a test's account: by a second administrator. */
async function disableAndEnable(service: Built, id: string) {
  await addSecondAdmin(service)
  const other = await signInAs(service, 'second-admin', PASSWORD)
  const url = `/api/v1/users/${id}`
  for (const disabled of [true, false]) {
    const { headers } = await other.inject({ url })
    const ifMatch = { 'if-match': String(headers.etag) }
    const done = await other.inject({
      method: 'PATCH',
      url,
      headers: ifMatch,
      payload: { disabled },
    })
    if (done.statusCode >= 300) throw new Error(done.body)
  }
}

async function restoreOver({ services }: Built) {
  await services.write((unit) => beginRecovery(unit, { restoredAtMs: AT, backupCreatedAtMs: AT }))
}

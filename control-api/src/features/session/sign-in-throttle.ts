// SPDX-License-Identifier: MIT
// How often somebody may try to sign in. A guesser must not be able to keep the owner of an account out,
// so what others do counts against unknown places only:
//
//   who tries                                  | what must have room
//   a browser that this account signed in from | that browser's own attempts
//   anybody else                               | account and network, the network, the account as a whole
//
// The last one only slows: its waits are short, and a browser that is known does not feel it. Codes have a
// limit per account as well, one for all known browsers together and one for all others.
//
// A browser is known by a cookie that names a random number, signed for one account and until its next
// recovery. Only what was verified is a key: whatever else is sent must not make a budget of its own.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { type Asker, knownUser } from '../../people/passwords.ts'
import { Throttle } from './throttle.ts'

const HOUR_MS = 3600_000
const limits = { forgetAfterMs: HOUR_MS, maxKeys: 10_000 }
const NONCE_BYTES = 16
/** A random number and its signature, and nothing else. */
const DEVICE = /^([\w-]{22})\.([\w-]{43})$/
/** Of those that look like one. Another host or path can leave some of our name in front of ours. */
const MOST_TRIED = 16

type Budget = { throttle: Throttle; key: string; isShared?: true }

/** Whose sign-in it would be. */
export type Account = {
  /** The user's id; for names nobody has, the name. */
  key: string
  /** Whose cookies are good; null: nobody's. */
  devices: { userId: string; recoveries: number } | null
}
export type Attempt = {
  account: Account
  address: string
  /** The device cookies, as they were sent. */
  devices: readonly string[]
}

export function createSignInThrottle(now: () => number, deviceKey: Buffer) {
  const perDevice = new Throttle({ ...limits, free: 10, maxWaitMs: 60_000 })
  const perPlace = new Throttle({ ...limits, free: 5, maxWaitMs: 30_000 })
  const perNetwork = new Throttle({ ...limits, free: 20, maxWaitMs: 300_000 })
  const perAccount = new Throttle({ ...limits, free: 50, maxWaitMs: 10_000 })

  /** Six digits are few: guessing them with a stolen password must take years. */
  const perDeviceCode = new Throttle({ ...limits, free: 5, maxWaitMs: 15 * 60_000 })
  const perKnownCode = new Throttle({ ...limits, free: 20, maxWaitMs: 15 * 60_000 })
  const perStrangersCode = new Throttle({ ...limits, free: 5, maxWaitMs: 15 * 60_000 })

  const sign = ({ userId, recoveries }: NonNullable<Account['devices']>, nonce: string) =>
    createHmac('sha256', deviceKey)
      .update(`device:${userId}:${recoveries}:${nonce}`)
      .digest('base64url')

  /** The part of the cookie that was verified; null: this browser is a stranger. */
  const knownDevice = ({ account, devices }: Attempt): string | null => {
    const whose = account.devices
    if (!whose) return null
    const formed = devices.map((one) => DEVICE.exec(one)).filter((one) => one !== null)
    for (const [, nonce = '', signature = ''] of formed.slice(0, MOST_TRIED)) {
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(whose, nonce))]
      if (given.length === right.length && timingSafeEqual(given, right)) return nonce
    }
    return null
  }

  const budgetsOf = (attempt: Attempt): Budget[] => {
    const device = knownDevice(attempt)
    if (device !== null) return [{ throttle: perDevice, key: device }]
    const { account, address } = attempt
    const network = networkOf(address)
    return [
      { throttle: perPlace, key: `${account.key} ${network}` },
      // Of many accounts: a success with one must not give the guesses at the others back.
      { throttle: perNetwork, key: network, isShared: true },
      { throttle: perAccount, key: account.key },
    ]
  }

  const codeBudgetsOf = (attempt: Attempt): Budget[] => {
    const device = knownDevice(attempt)
    const { key } = attempt.account
    if (device === null) return [{ throttle: perStrangersCode, key }]
    return [
      { throttle: perDeviceCode, key: device },
      { throttle: perKnownCode, key },
    ]
  }

  const take = (budgets: Budget[]): number =>
    Math.max(...budgets.map(({ throttle, key }) => throttle.attempt(key, now())))
  const giveBack = (budgets: Budget[]): void => {
    for (const { throttle, key, isShared } of budgets) {
      if (isShared) throttle.undo(key, now())
      else throttle.succeeded(key)
    }
  }

  return {
    /** Milliseconds to wait; 0: let in, and counted as failed until `succeeded`. */
    attempt: (attempt: Attempt): number => take(budgetsOf(attempt)),
    succeeded: (attempt: Attempt): void => giveBack(budgetsOf(attempt)),
    attemptCode: (attempt: Attempt): number => take(codeBudgetsOf(attempt)),
    codeSucceeded: (attempt: Attempt): void => giveBack(codeBudgetsOf(attempt)),
    knownDevice,
    /** In which line the password is looked at. */
    askerOf(attempt: Attempt): Asker {
      const { devices } = attempt.account
      // By the user, not by the browser: one person can have any number of browsers.
      if (devices && knownDevice(attempt) !== null) return knownUser(devices.userId)
      return { isKnown: false, place: networkOf(attempt.address) }
    },
    /** For the cookie of a browser that this account signed in from just now. */
    newDevice(account: NonNullable<Account['devices']>): string {
      const nonce = randomBytes(NONCE_BYTES).toString('base64url')
      return `${nonce}.${sign(account, nonce)}`
    },
  }
}
export type SignInThrottle = ReturnType<typeof createSignInThrottle>

/** Whoever has an address has its neighbours: /24 of IPv4, /56 of IPv6. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  if (!isIPv6(mapped)) return mapped.split('.').slice(0, 3).join('.')
  const [head = '', tail = ''] = mapped.split('%')[0]?.split('::') ?? []
  const before = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const parts = [...before, ...(mapped.includes('::') ? zeros : []), ...after]
  const numbers = parts.slice(0, 4).map((part) => Number.parseInt(part, 16) || 0)
  numbers[3] = (numbers[3] ?? 0) & 0xff00
  return numbers.map((part) => part.toString(16)).join(':')
}

// SPDX-License-Identifier: MIT
// How often somebody may try to sign in. A guesser must not be able to keep the owner of an account out,
// so what others do counts against unknown places only:
//
//   who tries                                  | what must have room
//   a browser that this account signed in from | that browser's own attempts
//   anybody else                               | account and network, the network, the account as a whole
//
// The last one only slows: its waits are short, and a browser that is known does not feel it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Asker } from '../../people/passwords.ts'
import { Throttle } from './throttle.ts'

const HOUR_MS = 3600_000
const limits = { forgetAfterMs: HOUR_MS, maxKeys: 10_000 }

export type Attempt = {
  account: string
  address: string
  /** The device cookie, as it was sent. */
  device: string | undefined
}

export function createSignInThrottle(now: () => number, deviceKey: Buffer) {
  const perDevice = new Throttle({ ...limits, free: 10, maxWaitMs: 60_000 })
  const perPlace = new Throttle({ ...limits, free: 5, maxWaitMs: 30_000 })
  const perNetwork = new Throttle({ ...limits, free: 20, maxWaitMs: 300_000 })
  const perAccount = new Throttle({ ...limits, free: 50, maxWaitMs: 10_000 })

  /** Six digits are few: guessing them with a stolen password must take years. */
  const perCode = new Throttle({ ...limits, free: 5, maxWaitMs: 15 * 60_000 })

  const sign = (account: string, nonce: string) =>
    createHmac('sha256', deviceKey).update(`device:${account}:${nonce}`).digest('base64url')

  const isKnown = ({ account, device = '' }: Attempt): boolean => {
    const [nonce = '', signature = ''] = device.split('.', 2)
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(account, nonce))]
    return given.length === right.length && timingSafeEqual(given, right)
  }

  /** Which browser this account signed in from it is; null: a stranger. */
  const knownDevice = (attempt: Attempt): string | null =>
    isKnown(attempt) ? (attempt.device ?? '').split('.', 2).join('.') : null

  const budgetsOf = (attempt: Attempt): [Throttle, string][] => {
    if (isKnown(attempt)) return [[perDevice, attempt.device ?? '']]
    const network = networkOf(attempt.address)
    return [
      [perPlace, `${attempt.account} ${network}`],
      [perNetwork, network],
      [perAccount, attempt.account],
    ]
  }

  const codeKey = (attempt: Attempt): string =>
    isKnown(attempt) ? (attempt.device ?? '') : attempt.account

  return {
    /** Milliseconds to wait; 0: let in, and counted as failed until `succeeded`. */
    attempt: (attempt: Attempt): number =>
      Math.max(...budgetsOf(attempt).map(([throttle, key]) => throttle.attempt(key, now()))),
    succeeded(attempt: Attempt): void {
      for (const [throttle, key] of budgetsOf(attempt)) throttle.succeeded(key)
    },
    attemptCode: (attempt: Attempt): number => perCode.attempt(codeKey(attempt), now()),
    codeSucceeded: (attempt: Attempt): void => perCode.succeeded(codeKey(attempt)),
    knownDevice,
    /** In which line the password is looked at. */
    askerOf(attempt: Attempt): Asker {
      const device = knownDevice(attempt)
      return { isKnown: device !== null, place: device ?? networkOf(attempt.address) }
    },
    /** For the cookie of a browser that this account signed in from just now. */
    newDevice(account: string): string {
      const nonce = randomBytes(16).toString('base64url')
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

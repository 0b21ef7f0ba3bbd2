// SPDX-License-Identifier: MIT
// What one replica says before a connection that it hands on: whose it is and which listener it came to. Only who has the key,
// which lies in the database, can say it.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'

export const LISTENERS = ['console', 'agents'] as const
export type Listener = (typeof LISTENERS)[number]
export type HandedOn = { listener: Listener; address: string }

/** What begins such a connection; no request of HTTP and no handshake of TLS does. */
export const MARK = 'FARMSTEAD-REPLICA '
export const LONGEST_BYTES = 256
/** Replicas' clocks may differ by so much. */
const WITHIN_MS = 300_000

export function prefaceOf({ listener, address }: HandedOn, key: string, nowMs: number): string {
  const said = `${listener} ${address} ${nowMs}`
  return `${MARK}${said} ${signed(said, key)}\n`
}

/** `line`: without its end. null: nobody with the key said so, or not now. */
export function readPreface(line: string, key: string, nowMs: number): HandedOn | null {
  const [listener, address = '', atMs = '', signature = '', ...more] = line
    .slice(MARK.length)
    .split(' ')
  const known = LISTENERS.find((one) => one === listener)
  if (!known || more.length > 0 || isIP(address) === 0) return null
  const expected = Buffer.from(signed(`${listener} ${address} ${atMs}`, key))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return Math.abs(Number(atMs) - nowMs) <= WITHIN_MS ? { listener: known, address } : null
}

const signed = (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex')

// SPDX-License-Identifier: MIT
// Ids and secrets. Ids sort by time; secrets carry a prefix that scanners for leaked secrets can find.
import { createHash, getRandomValues, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { monotonicFactory } from 'ulid'

type IdPrefix =
  | 'node'
  | 'offer'
  | 'rollout'
  | 'plan'
  | 'token'
  | 'user'
  | 'group'
  | 'webhook'
  | 'delivery'
  | 'backup'
  | 'cp'
  | 'req'
  | 'request'
  | 'probe'
  | 'search'
  | 'order'
  | 'preview'
  | 'alert'
  | 'rule'
  | 'silence'

/** Each request has an id: drawn one by one, its 16 numbers cost more than all else about it. */
const drawn = new Uint32Array(256)
let left = 0
function random(): number {
  if (left === 0) left = getRandomValues(drawn).length
  return (drawn[--left] ?? 0) / 2 ** 32
}

/** Of a process no id sorts before an earlier one, though its clock be put back. */
const nextUlid = monotonicFactory(random)
export const newId = (prefix: IdPrefix) => `${prefix}_${nextUlid().toLowerCase()}`

/** fst_: enrolment token. fsn_: node credential. fss_: set-up token. 256 bits, so a plain digest at rest is enough. */
export const newSecret = (prefix: 'fst' | 'fsn' | 'fss') =>
  `${prefix}_${randomBytes(32).toString('base64url')}`

/** Letters that are hard to mistake for each other. */
const READABLE = 'abcdefghjkmnpqrstuvwxyz'

/** Five letters, 23 bits, per group: for people to read aloud and to type. */
export function newReadableCode(groups: number): string {
  const group = () => Array.from({ length: 5 }, () => READABLE[randomInt(READABLE.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

export const sha256 = (bytes: string | Uint8Array) =>
  createHash('sha256').update(bytes).digest('hex')

export function sameDigest(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')]
  return left.length === right.length && timingSafeEqual(left, right)
}

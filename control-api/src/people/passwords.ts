// SPDX-License-Identifier: MIT
// Argon2id as PHC strings. Each hash takes 64 MiB, so only a few run at a time: a burst of sign-ins
// must not take the machine's memory.
import { argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { defineError } from '../errors.ts'

const hash = promisify(argon2)
export type Cost = { memoryKib: number; passes: number }
const COST: Cost = { memoryKib: 65_536, passes: 3 }
/** No hash: nothing that is typed fits it. */
export const NO_PASSWORD = ''
const LANES = 1
const TAG_BYTES = 32
const CONCURRENT = 2
/** Some seconds of work. Beyond it a newcomer would wait longer than people do. */
const MAX_WAITING = 50

export const TooManySignIns = defineError(
  503,
  'too_many_sign_ins',
  'Too many sign-ins at once',
  () => `${MAX_WAITING} sign-ins are waiting already. Try again in a few seconds.`,
)

type Parameters = {
  memory: number
  passes: number
  parallelism: number
  nonce: Buffer
  tag: Buffer
}

export async function hashPassword(
  password: string,
  { memoryKib, passes }: Cost = COST,
): Promise<string> {
  const nonce = randomBytes(16)
  const parameters = { memory: memoryKib, passes, parallelism: LANES, nonce }
  const tag = await derive(password, { ...parameters, tag: Buffer.alloc(TAG_BYTES) })
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$${phc(nonce)}$${phc(tag)}`
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const parameters = parse(stored)
  // Nobody's password: a user without one must not be told from the others by the time this takes.
  if (!parameters) return verifyNobody(password)
  return timingSafeEqual(await derive(password, parameters), parameters.tag)
}

/** The same work as verifying, for names nobody has: the answer's time must not tell which exist. */
export async function verifyNobody(password: string): Promise<false> {
  await hashPassword(password)
  return false
}

/** 5 × 5 letters that are hard to mistake for each other: 115 bits, readable aloud. */
export function oneTimePassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz'
  const group = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: 5 }, group).join('-')
}

const phc = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parse(stored: string): Parameters | null {
  const [, memory, passes, parallelism, nonce, tag] = PHC.exec(stored) ?? []
  if (!memory || !passes || !parallelism || !nonce || !tag) return null
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

let running = 0
const waiting: (() => void)[] = []

async function derive(password: string, { tag, ...parameters }: Parameters): Promise<Buffer> {
  if (waiting.length >= MAX_WAITING) throw new TooManySignIns().withHeaders({ 'retry-after': '5' })
  if (running >= CONCURRENT) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    // One spelling per password, however the keyboard composes accents.
    const message = password.normalize('NFKC')
    return await hash('argon2id', { message, tagLength: tag.length, ...parameters })
  } finally {
    // The place goes to the next in line, or is freed.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

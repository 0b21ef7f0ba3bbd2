// SPDX-License-Identifier: MIT
// Argon2id as PHC strings. Each hash takes 64 MiB, so only a few run at a time: a burst of sign-ins
// must not take the machine's memory. There are two lines: strangers, however many and from wherever, do not
// keep out who signs in from a browser that is known, nor who is signed in.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { defineError } from '../api-shapes/errors.ts'
import { newReadableCode } from '../base/ids.ts'
import { Turns } from '../base/turns.ts'

const hash = promisify(argon2)
export type Cost = { memoryKib: number; passes: number }
/** What people's passwords cost, to check as well as to guess. Only tests of other things lower it. */
export const passwordCost: Cost = { memoryKib: 65_536, passes: 3 }
/** No hash: nothing that is typed fits it. */
export const NO_PASSWORD = ''
const LANES = 1
const TAG_BYTES = 32
/** Some seconds of work. Beyond it a newcomer would wait longer than people do. */
const WAITING = 30
const line = { capacity: 1, perCaller: 1, waitMs: 20_000 }
const strangers = new Turns({ ...line, waiting: WAITING, waitingPerCaller: 8 })
/** Few of each, whose turns alternate: what others ask for costs a newcomer one hash for each of them. */
const known = new Turns({ ...line, waiting: 3 * WAITING, waitingPerCaller: 4 })

/** Who asks for it. `place`: strangers are one by their network, people we know by their user id. */
export type Asker = { isKnown: boolean; place: string }
/** Whoever has a session, or a browser that their account is known from. */
export const knownUser = (userId: string): Asker => ({ isKnown: true, place: userId })
/** The operator's commands, and the set-up: there is one at a time. */
const OPERATOR = knownUser('')

export const TooManySignIns = defineError(
  503,
  'too_many_sign_ins',
  'Too many sign-ins at once',
  () => 'Too many sign-ins are waiting already. Try again in a few seconds.',
)

type Parameters = {
  memory: number
  passes: number
  parallelism: number
  nonce: Buffer
  tag: Buffer
}

/** The cost that is for people's passwords. */
export const hashFor = (userId: string, password: string): Promise<string> =>
  hashPassword(password, passwordCost, knownUser(userId))

export async function hashPassword(
  password: string,
  { memoryKib, passes }: Cost = passwordCost,
  asker = OPERATOR,
): Promise<string> {
  const nonce = randomBytes(16)
  const parameters = { memory: memoryKib, passes, parallelism: LANES, nonce }
  const tag = await derive(password, { ...parameters, tag: Buffer.alloc(TAG_BYTES) }, asker)
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$${phc(nonce)}$${phc(tag)}`
}

export async function verifyPassword(
  password: string,
  stored: string,
  asker = OPERATOR,
): Promise<boolean> {
  const parameters = parse(stored)
  // Nobody's password: a user without one must not be told from the others by the time this takes.
  if (!parameters) return verifyNobody(password, asker)
  return timingSafeEqual(await derive(password, parameters, asker), parameters.tag)
}

/** The same work as verifying, for names nobody has: the answer's time must not tell which exist. */
export async function verifyNobody(password: string, asker = OPERATOR): Promise<false> {
  await hashPassword(password, passwordCost, asker)
  return false
}

/** 115 bits, readable aloud. */
export const oneTimePassword = (): string => newReadableCode(5)

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

async function derive(
  password: string,
  { tag, ...parameters }: Parameters,
  { isKnown, place }: Asker,
): Promise<Buffer> {
  const turns = isKnown ? known : strangers
  const end = await turns.take(place, 1).catch(() => {
    throw new TooManySignIns().withHeaders({ 'retry-after': '5' })
  })
  try {
    // One spelling per password, however the keyboard composes accents.
    const message = password.normalize('NFKC')
    return await hash('argon2id', { message, tagLength: tag.length, ...parameters })
  } finally {
    end()
  }
}

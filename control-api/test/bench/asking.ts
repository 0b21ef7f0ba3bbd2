// SPDX-License-Identifier: MIT
// A service that is asked by somebody in its own process, so that the loop that is watched is the service's; and what
// each answer costs it.
import { setImmediate } from 'node:timers/promises'
import type { LightMyRequestResponse } from 'fastify'
import type { Service } from '../../src/app.ts'
import { hashPassword } from '../../src/people/passwords.ts'
import { insertUser } from '../../src/people/user-store.ts'
import { watchTurns } from './turns.ts'

export const ORIGIN = 'http://localhost:80'
const PASSWORD = 'a long password of the bench'
const AGAIN = 3
/** What nobody should have to wait for. */
const LIMIT_MS = 50
export const NEVER_OVERLOADED = { maxEventLoopDelay: 0, maxHeapUsedBytes: 0, sampleInterval: 5000 }

export type Row = {
  what: string
  status: number
  /** The longest time between two turns of the loop: of the first time, and the shortest of those after it. */
  firstMs: number
  longestMs: number
  longestCpuMs: number
  totalMs: number
  bytes: number
}

/** As an administrator, or as one of the nodes that `scope` selects; returns the cookie. */
export async function signIn(
  { app, services }: Service,
  scope: string | null = null,
): Promise<string> {
  const username = scope === null ? 'ana' : 'ben'
  const passwordHash = await hashPassword(PASSWORD, { memoryKib: 8, passes: 1 })
  const made = { username, passwordHash, roles: ['admin' as const], scope, isOneTime: false }
  await services.write((unit) => insertUser(unit, { ...made, nowMs: Date.now() }))
  const signedIn = await app.inject({
    method: 'POST',
    url: '/api/v1/session',
    payload: { username, password: PASSWORD },
  })
  return signedIn.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

/** Asks three times. `prepare` is not counted. */
export async function costOf(
  what: string,
  prepare: () => Promise<() => Promise<LightMyRequestResponse>>,
): Promise<Row> {
  const runs = []
  for (let i = 0; i < AGAIN; i++) runs.push(await once(await prepare()))
  const [first, ...later] = runs
  const best = later.toSorted((a, b) => a.longestMs - b.longestMs)[0]
  if (!first || !best) throw new Error('each is asked several times')
  return { ...best, what, firstMs: first.longestMs }
}

async function once(ask: () => Promise<LightMyRequestResponse>) {
  await setImmediate()
  const fromMs = performance.now()
  const stop = watchTurns('')
  const answer = await ask()
  await setImmediate()
  const totalMs = performance.now() - fromMs
  const { longestMs, longestCpuMs } = stop()
  const bytes = answer.rawPayload.length
  // What it left to do is not the next one's.
  await new Promise((done) => setTimeout(done, 100))
  return { status: answer.statusCode, longestMs, longestCpuMs, totalMs, bytes }
}

export const HEAD =
  '| what | answered | longest block ms | of it CPU | the first time | in all ms | KB |\n|---|---|---|---|---|---|---|'
export const line = ({ what, status, longestMs, longestCpuMs, firstMs, totalMs, bytes }: Row) => {
  const times = [longestMs, longestCpuMs, firstMs, totalMs].map((ms) => ms.toFixed(0))
  const mark = longestMs > LIMIT_MS ? ' **' : ''
  return `| ${[what + mark, status, ...times, (bytes / 1024).toFixed(0)].join(' | ')} |`
}

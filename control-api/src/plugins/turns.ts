// SPDX-License-Identifier: MIT
// Overload is answered, not suffered. How many bytes of bodies are in memory is bounded before a body is read;
// who waits for that has sent nothing yet but what fits the socket. How much of what takes a core's time
// (`heavy`) is under way is bounded after it: who sends nothing holds no place of those who do. What still
// holds the event loop up is told to callers.
import type { IncomingMessage } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BodyTooSlow, Overloaded, TooMuchAtOnce } from '../api-shapes/errors.ts'
import { type EndTurn, NoTurn, type TurnLimits, Turns } from '../base/turns.ts'

const MIB = 1024 * 1024
/** Below, a body is no more than its connection costs anyway. */
const SMALL_BODY_BYTES = 16 * 1024
/** What is in memory at once of one that goes on as it comes, however long it is. */
const STREAMED_BYTES = 256 * 1024

export const BODIES: TurnLimits = {
  capacity: 64 * MIB,
  // One of the largest and some more: what one announces leaves seven shares to others.
  perCaller: 8 * MIB,
  waiting: 256,
  waitingPerCaller: 32,
  waitMs: 10_000,
}
/** How fast a large body must come: who announces one and does not send it takes memory from others. */
export type Pace = { graceMs: number; bytesPerSecond: number }
/** Shorter than others wait for their turn. A megabyte may take twenty seconds. */
const PACE: Pace = { graceMs: 5000, bytesPerSecond: 64 * 1024 }

/** Two are worked on; the others wait with what they read before. */
export const HEAVY: TurnLimits = {
  capacity: 4,
  perCaller: 2,
  waiting: 64,
  waitingPerCaller: 16,
  waitMs: 10_000,
}
const AGAIN_SECONDS = 5

export type PressureLimits = {
  /** In ms, on the average of an interval. */
  maxEventLoopDelay: number
  maxHeapUsedBytes: number
  sampleInterval: number
}
/** So long that one thing that took seconds is not taken for overload. */
const PRESSURE: PressureLimits = {
  maxEventLoopDelay: 500,
  maxHeapUsedBytes: 0.85 * getHeapStatistics().heap_size_limit,
  sampleInterval: 5000,
}

export const overloaded = () =>
  new Overloaded(AGAIN_SECONDS).withHeaders({ 'retry-after': `${AGAIN_SECONDS}` })

/** Before everything else that holds for requests. The service's health is told whatever there is. */
export async function answerUnderPressure(
  app: FastifyInstance,
  limits: PressureLimits = PRESSURE,
): Promise<void> {
  // The interval in which it became ready, and what was found of it until the next, is of its own start.
  let countsFromMs = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    countsFromMs = performance.now() + 2 * limits.sampleInterval
  })
  await app.register(underPressure, {
    ...limits,
    pressureHandler: async ({ routeOptions }) => {
      if (performance.now() < countsFromMs) return
      if (!routeOptions.config.underPressure) throw overloaded()
    },
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** To be ended when it is answered. */
    turns: EndTurn[] | null
  }
}

/** Must be called after what finds out who calls, and before the routes. */
export function takeTurns(app: FastifyInstance, pace: Pace = PACE): void {
  const bodies = new Turns(BODIES)
  const heavy = new Turns(HEAVY)
  app.decorateRequest('turns', null)
  app.addHook('preParsing', async (request, reply, payload) => {
    const bytes = bytesOf(request)
    if (bytes <= SMALL_BODY_BYTES) return
    await turn(bodies, bytes, request, reply)
    const stop = keepPace(request.raw, pace, (error) => payload.emit('error', error))
    request.turns?.push(stop)
  })
  // What does not fit its schema has been refused by now.
  app.addHook('preHandler', async (request, reply) => {
    if (isHeavy(request)) await turn(heavy, 1, request, reply)
  })
  // Not when its caller has gone: the work for who hung up is work all the same, until it has an answer.
  app.addHook('onSend', async ({ turns }) => {
    for (const end of turns ?? []) end()
  })
}

/** Of a route that only looks with `dryRun=1`, it is the looking that takes long. */
export function isHeavy({ routeOptions, query }: Pick<FastifyRequest, 'routeOptions' | 'query'>) {
  const { heavy } = routeOptions.config
  return heavy === 'dryRun' ? (query as { dryRun?: string }).dryRun === '1' : heavy === true
}

/** `refuse` ends the reading; destroying the stream would leave no connection to answer on. */
function keepPace(
  raw: IncomingMessage,
  { graceMs, bytesPerSecond }: Pace,
  refuse: (error: Error) => void,
): () => void {
  const tickMs = graceMs / 5
  const before = raw.socket.bytesRead
  let ticks = 0
  const timer = setInterval(() => {
    if (raw.readableEnded || raw.destroyed) return clearInterval(timer)
    // Not by the clock: while this thread stood still, nobody could be heard.
    const lateMs = ++ticks * tickMs - graceMs
    const due = (lateMs / 1000) * bytesPerSecond
    if (lateMs < 0 || raw.socket.bytesRead - before > due) return
    clearInterval(timer)
    refuse(new BodyTooSlow().withHeaders({ connection: 'close' }))
  }, tickMs)
  return () => clearInterval(timer)
}

/** As its sender says; who does not say so may send as much as the route takes. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  if (routeOptions.config.streamedBytes !== undefined) return STREAMED_BYTES
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (length !== undefined) return Math.min(Number(length) || 0, routeOptions.bodyLimit)
  return encoding === undefined ? 0 : routeOptions.bodyLimit
}

async function turn(turns: Turns, weight: number, request: FastifyRequest, reply: FastifyReply) {
  const gone = new AbortController()
  const onClose = () => gone.abort()
  reply.raw.once('close', onClose)
  try {
    const end = await turns.take(callerOf(request), weight, gone.signal)
    request.turns = [...(request.turns ?? []), end]
  } catch (error) {
    throw error instanceof NoTurn ? refusalOf(error) : error
  } finally {
    reply.raw.off('close', onClose)
  }
}

/** All tokens and sessions of one person are one. */
const callerOf = ({ user, ip }: FastifyRequest) => user?.id ?? ip

function refusalOf({ reason }: NoTurn) {
  if (reason !== 'caller') return overloaded()
  return new TooMuchAtOnce(AGAIN_SECONDS).withHeaders({ 'retry-after': `${AGAIN_SECONDS}` })
}

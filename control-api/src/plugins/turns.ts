// SPDX-License-Identifier: MIT
// Overload is answered, not suffered. Two things are bounded before a body is read: how many bytes of bodies
// are in memory, and how much of what takes a core's time (`heavy`) is under way. Who waits for a turn
// has sent nothing yet but what fits the socket. What still holds the event loop up is told to callers.
import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Overloaded, TooMuchAtOnce } from '../errors.ts'
import { type EndTurn, NoTurn, type TurnLimits, Turns } from '../turns.ts'

const MIB = 1024 * 1024
/** Below, a body is no more than its connection costs anyway. */
const SMALL_BODY_BYTES = 16 * 1024

export const BODIES: TurnLimits = {
  capacity: 64 * MIB,
  perCaller: 16 * MIB,
  waiting: 256,
  waitingPerCaller: 32,
  waitMs: 10_000,
}
/** Two are worked on; the others' bodies are read meanwhile. */
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
/** So long that one thing that took seconds, such as the start, is not taken for overload. */
const PRESSURE: PressureLimits = {
  maxEventLoopDelay: 500,
  maxHeapUsedBytes: 0.85 * getHeapStatistics().heap_size_limit,
  sampleInterval: 5000,
}

const overloaded = () =>
  new Overloaded(AGAIN_SECONDS).withHeaders({ 'retry-after': `${AGAIN_SECONDS}` })

/** Before everything else that holds for requests. The service's health is told whatever there is. */
export async function answerUnderPressure(
  app: FastifyInstance,
  limits: PressureLimits = PRESSURE,
): Promise<void> {
  await app.register(underPressure, {
    ...limits,
    pressureHandler: async ({ routeOptions }) => {
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
export function takeTurns(app: FastifyInstance): void {
  const bodies = new Turns(BODIES)
  const heavy = new Turns(HEAVY)
  app.decorateRequest('turns', null)
  app.addHook('preParsing', async (request, reply) => {
    if (request.routeOptions.config.heavy) await turn(heavy, 1, request, reply)
    const bytes = bytesOf(request)
    if (bytes > SMALL_BODY_BYTES) await turn(bodies, bytes, request, reply)
  })
  // Not when its caller has gone: the work for who hung up is work all the same, until it has an answer.
  app.addHook('onSend', async ({ turns }) => {
    for (const end of turns ?? []) end()
  })
}

/** As its sender says; who does not say so may send as much as the route takes. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
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

// SPDX-License-Identifier: MIT
// Texts on their way to nodes. Each is in memory once more until its connection has taken it, so what is on its way
// at once is bounded, and the others wait; of large ones no two are written in one turn of the loop.
import type { FastifyReply } from 'fastify'
import { nextTurn } from '../base/slices.ts'
import { type EndTurn, NoTurn, type TurnLimits, Turns } from '../base/turns.ts'

/** later: what was so before may be otherwise now. none: it may ask again. */
export type Room = 'at-once' | 'later' | 'none'
export type Outgoing = {
  /** Waits for room, as long as the one who asked is there and has time. The room is free again when the answer is out. */
  room(nodeId: string, wanted: Wanted): Promise<Room>
}
type Wanted = { bytes: number; reply: FastifyReply; withinMs: number }
type Limits = { mostBytes: number; heldMs: number }

const LIMITS: Limits = {
  mostBytes: 32 * 1024 * 1024,
  // Who takes its answer so slowly, or not at all, must not keep the others waiting.
  heldMs: 5_000,
}
/** Beyond, writing one takes a turn of its own. */
const LARGE_BYTES = 64 * 1024
/** As long as a poll may wait: it says itself how long. */
const LONGEST_MS = 60_000

export function createOutgoing({ mostBytes, heldMs }: Limits = LIMITS): Outgoing {
  const turns = new Turns(limitsOf(mostBytes))
  let lastLarge: Promise<unknown> = Promise.resolve()

  const hold = (end: EndTurn, { raw }: FastifyReply) => {
    const timer = setTimeout(end, heldMs)
    const over = () => {
      clearTimeout(timer)
      end()
    }
    raw.once('finish', over).once('close', over)
  }

  /** False: there was none in time. */
  const waitForRoom = async (nodeId: string, { bytes, reply, withinMs }: Wanted) => {
    const gone = new AbortController()
    const leave = () => gone.abort()
    const timer = setTimeout(leave, withinMs)
    reply.raw.once('close', leave)
    try {
      hold(await turns.take(nodeId, bytes, gone.signal), reply)
      return true
    } catch (error) {
      if (error instanceof NoTurn) return false
      throw error
    } finally {
      clearTimeout(timer)
      reply.raw.off('close', leave)
    }
  }

  return {
    async room(nodeId, wanted) {
      const { bytes, reply } = wanted
      const end = turns.takeNow(nodeId, bytes)
      if (end) hold(end, reply)
      else if (!(await waitForRoom(nodeId, wanted))) return 'none'
      if (bytes <= LARGE_BYTES) return end ? 'at-once' : 'later'
      lastLarge = lastLarge.then(nextTurn)
      await lastLarge
      return 'later'
    },
  }
}

/** Each node has one poll; what it says twice waits nowhere. */
const limitsOf = (mostBytes: number): TurnLimits => ({
  capacity: mostBytes,
  perCaller: mostBytes,
  waiting: Number.POSITIVE_INFINITY,
  waitingPerCaller: 1,
  waitMs: LONGEST_MS,
})

// SPDX-License-Identifier: MIT
import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { createOutgoing } from '../../src/agents/outgoing.ts'

const LIMITS = { mostBytes: 1000, heldMs: 60_000 }

/** What is asked of a reply: when its answer is out, or its connection gone. */
function answer() {
  const raw = new EventEmitter()
  return { reply: { raw } as unknown as FastifyReply, raw }
}

test('what does not fit waits until an answer before it is out', async () => {
  const outgoing = createOutgoing(LIMITS)
  const [a, b] = [answer(), answer()]
  expect(await outgoing.room('a', { bytes: 600, reply: a.reply, withinMs: 10_000 })).toBe('at-once')
  let isThere = false
  const second = outgoing.room('b', { bytes: 600, reply: b.reply, withinMs: 10_000 })
  void second.then(() => {
    isThere = true
  })
  await setImmediate()
  expect(isThere).toBe(false)
  a.raw.emit('finish')
  expect(await second).toBe('later')
})

test('who is gone, or has waited long enough, gets no room and leaves it to the others', async () => {
  const outgoing = createOutgoing(LIMITS)
  const [a, b, c, d] = [answer(), answer(), answer(), answer()]
  await outgoing.room('a', { bytes: 1000, reply: a.reply, withinMs: 10_000 })
  const gone = outgoing.room('b', { bytes: 10, reply: b.reply, withinMs: 10_000 })
  b.raw.emit('close')
  expect(await gone).toBe('none')
  expect(await outgoing.room('c', { bytes: 10, reply: c.reply, withinMs: 20 })).toBe('none')
  a.raw.emit('close')
  expect(await outgoing.room('d', { bytes: 1000, reply: d.reply, withinMs: 10 })).toBe('at-once')
  for (const { raw } of [a, b, c]) expect(raw.listenerCount('close')).toBe(0)
})

test('a node that does not take its answer keeps the room for a while only', async () => {
  const outgoing = createOutgoing({ ...LIMITS, heldMs: 30 })
  const [a, b] = [answer(), answer()]
  await outgoing.room('a', { bytes: 1000, reply: a.reply, withinMs: 10_000 })
  expect(await outgoing.room('b', { bytes: 1000, reply: b.reply, withinMs: 10_000 })).toBe('later')
})

test('of large ones no two are in one turn of the loop', async () => {
  const outgoing = createOutgoing({ mostBytes: 1024 * 1024, heldMs: 60_000 })
  const turns: number[] = []
  let turn = 0
  let isOver = false
  const count = async () => {
    while (!isOver) {
      await setImmediate()
      turn++
    }
  }
  const counted = count()
  await Promise.all(
    ['a', 'b', 'c'].map(async (nodeId) => {
      const wanted = { bytes: 100_000, reply: answer().reply, withinMs: 10_000 }
      expect(await outgoing.room(nodeId, wanted)).toBe('later')
      turns.push(turn)
    }),
  )
  isOver = true
  await counted
  expect(new Set(turns).size).toBe(3)
})

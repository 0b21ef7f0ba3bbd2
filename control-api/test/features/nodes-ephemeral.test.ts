// SPDX-License-Identifier: MIT
// Machines that come and go by themselves: the farm does not fill with their ghosts.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { forgetLongAway, startForgetting } from '../../src/features/nodes/decommissioning.ts'
import { enrolNode } from '../agents/node-client.ts'
import { build } from '../helper.ts'

const HOUR_MS = 3600_000

async function setUp() {
  let now = Date.now()
  const service = await build({ now: () => now })
  const { db } = service.services
  const spot = await enrolNode(service, { forgetAfterHours: 6, maxUses: 1 })
  const lasting = await enrolNode(service)
  await spot.hello()
  await lasting.hello()
  const ended: string[] = []
  const startedAtMs = now
  const look = (change: Partial<Parameters<typeof forgetLongAway>[0]> = {}) =>
    forgetLongAway({
      db,
      now: () => now,
      listeningSinceMs: startedAtMs,
      isConnected: () => false,
      isHeld: () => false,
      endNode: async (id) => {
        ended.push(id)
      },
      onError: (error) => {
        throw error
      },
      ...change,
    })
  const pass = (hours: number) => {
    now += hours * HOUR_MS
    return now
  }
  return { service, spot, lasting, ended, look, pass, now: () => now }
}

describe('a node whose token says for how long it may be away', () => {
  test('shows it, and is forgotten after that time and not before', async () => {
    const { service, spot, ended, look, pass } = await setUp()
    const { json } = await service.admin.inject({ url: `/api/v1/nodes/${spot.id}` })
    expect(json()).toMatchObject({ forgetAfterHours: 6 })
    pass(5.9)
    await look()
    expect(ended).toEqual([])
    pass(0.2)
    await look()
    expect(ended).toEqual([spot.id])
  })

  test('is not away while it is connected, nor while nobody could hear it', async () => {
    const { ended, look, pass } = await setUp()
    const now = pass(100)
    await look({ isConnected: () => true })
    await look({ listeningSinceMs: now - HOUR_MS })
    await look({ isHeld: () => true })
    expect(ended).toEqual([])
  })
})

test('a machine that slept ends nobody in its first look', async () => {
  const { service, ended, pass, now } = await setUp()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const stop = startForgetting({
    db: service.services.db,
    now,
    listeningSinceMs: now(),
    isConnected: () => false,
    isHeld: () => false,
    endNode: async (id) => void ended.push(id),
    onError: (error) => {
      throw error
    },
  })
  pass(100)
  vi.advanceTimersByTime(60_000)
  await stop()
  expect(ended).toEqual([])
})

test('a token for a known node does not say it', async () => {
  const { service, lasting } = await setUp()
  const payload = { nodeId: lasting.id, forgetAfterHours: 6 }
  const url = '/api/v1/enrolment-tokens'
  expect((await service.admin.inject({ method: 'POST', url, payload })).statusCode).toBe(400)
})

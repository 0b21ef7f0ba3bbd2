// SPDX-License-Identifier: MIT
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Fleet, STALE_AFTER_MS } from '../../src/fleet/fleet.ts'

function fleetAt(start = 0) {
  const clock = { wallMs: 1_000_000, monotonicMs: start }
  const changes: string[] = []
  const fleet = new Fleet({
    now: () => clock.wallMs,
    monotonicMs: () => clock.monotonicMs,
    onPresence: (nodeId, change) => changes.push(`${nodeId} ${change}`),
  })
  onTestFinished(() => fleet.close())
  return { fleet, clock, changes }
}

describe('who is here', () => {
  test('a node is connected from its first word until it was silent for too long', () => {
    const { fleet, clock, changes } = fleetAt()
    expect(fleet.presence('a')).toMatchObject({ connected: false, lastSeenAtMs: null, gauges: {} })
    fleet.seen('a')
    fleet.seen('a')
    clock.monotonicMs += STALE_AFTER_MS
    fleet.sweep()
    expect(fleet.presence('a').connected).toBe(true)
    clock.monotonicMs += 1
    fleet.sweep()
    fleet.sweep()
    expect(fleet.presence('a')).toMatchObject({ connected: false, lastSeenAtMs: 1_000_000 })
    fleet.seen('a')
    expect(changes).toEqual(['a connected', 'a disconnected', 'a connected'])
  })

  test('a node that was told to report less often may be silent for three of its reports', () => {
    const { fleet, clock, changes } = fleetAt()
    fleet.seen('a')
    fleet.toReport('a', 30_000)
    clock.monotonicMs += 90_000
    fleet.sweep()
    expect(changes).toEqual(['a connected'])
    clock.monotonicMs += 1
    fleet.sweep()
    fleet.seen('a')
    fleet.toReport('a', 1_000)
    clock.monotonicMs += STALE_AFTER_MS
    fleet.sweep()
    expect(changes).toEqual(['a connected', 'a disconnected', 'a connected'])
  })

  test('a jump of the wall clock makes nobody vanish', () => {
    const { fleet, clock, changes } = fleetAt()
    fleet.seen('a')
    clock.wallMs += 3_600_000
    fleet.sweep()
    expect(changes).toEqual(['a connected'])
  })

  test('a node that hung up its poll and stays silent is gone within seconds', () => {
    const { fleet, clock, changes } = fleetAt()
    fleet.seen('a')
    fleet.hungUp('a')
    clock.monotonicMs += 3000
    fleet.sweep()
    expect(changes).toEqual(['a connected'])
    clock.monotonicMs += 2000
    fleet.sweep()
    expect(changes).toEqual(['a connected', 'a disconnected'])
  })

  test('one that speaks again after hanging up was never gone', () => {
    const { fleet, clock, changes } = fleetAt()
    fleet.seen('a')
    fleet.hungUp('a')
    fleet.seen('a')
    clock.monotonicMs += 6000
    fleet.sweep()
    expect(changes).toEqual(['a connected'])
  })
})

describe('a long poll', () => {
  test('is woken for its node only', async () => {
    const { fleet } = fleetAt()
    const [a, b] = [fleet.wait('a', 10_000), fleet.wait('b', 20)]
    fleet.wake('a')
    expect(await Promise.all([a.result, b.result])).toEqual(['woken', 'timeout'])
  })

  test('is woken with some others in one turn of the loop, however many wait', async () => {
    const { fleet } = fleetAt()
    let woken = 0
    const all = Array.from({ length: 60 }, async (_, i) => {
      expect(await fleet.wait(`n${i}`, 10_000).result).toBe('woken')
      woken++
    })
    fleet.wakeAll()
    fleet.wake('n59')
    const seen = [woken]
    for (let turn = 0; turn < 3; turn++) {
      await setImmediate()
      seen.push(woken)
    }
    await Promise.all(all)
    expect(seen).toEqual([0, 25, 50, 60])
  })

  test('is ended by a newer one of the same node, by decommissioning and by the stop', async () => {
    const { fleet } = fleetAt()
    const older = fleet.wait('a', 10_000)
    const newer = fleet.wait('a', 10_000)
    expect(await older.result).toBe('timeout')
    fleet.forget('a')
    expect(await newer.result).toBe('gone')
    const last = fleet.wait('b', 10_000)
    fleet.close()
    expect(await last.result).toBe('closing')
    expect(await fleet.wait('b', 10_000).result).toBe('closing')
  })
})

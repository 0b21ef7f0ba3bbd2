// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import type { PlacedRequest } from '../../../src/metrics-store/windows.ts'
import { isOnPostgres } from '../../postgres.ts'
import {
  ask,
  catchUp,
  contentsOf,
  NODE,
  newDatabase,
  newFolder,
  startReplica,
  T0,
  windowOf,
} from './replica.ts'

const slowRequest = (startedAtUs: number) =>
  ({ startedAtUs, path: '/a', totalSeconds: 2 }) as unknown as PlacedRequest

describe.runIf(isOnPostgres)('a replica that is not the leader', () => {
  it('reads what is new each time, rows that were written again among it', async () => {
    const url = await newDatabase()
    const leader = await startReplica({ dataDir: newFolder(), url })
    const standby = newFolder()
    await leader.knowMembers(['web'])
    for (let seq = 1; seq <= 60; seq++) {
      const nowMs = T0 + seq * 5_000
      const window = {
        ...windowOf(seq, nowMs, [0.1]),
        slowRequests: [slowRequest(nowMs * 1000)],
        sites: [{ sum: 'version site/1', rows: [[0, 1, 0, 0, 0, 0, 0, 100, 5]] as number[][] }],
      }
      await leader.take([window as never], nowMs)
      await leader.rollUp(nowMs)
      if (seq % 7 === 0) await catchUp({ dataDir: standby, url })
    }
    await leader.close()
    await catchUp({ dataDir: standby, url })
    const whole = contentsOf(standby)
    expect(whole).toEqual(contentsOf(leader.dataDir))
    expect(whole.slow_requests).toHaveLength(60)
    expect(whole.site_minutes).not.toEqual([])
    expect(whole.ring_60).not.toEqual([])
  })

  it('takes back what it never sent when it was the leader', async () => {
    const url = await newDatabase()
    const dataDir = newFolder()
    const first = await startReplica({ dataDir, url })
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    // Another takes over: what is taken now is never sent.
    const second = await startReplica({ dataDir: newFolder(), url })
    await expect(first.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 6_000)).rejects.toThrow()
    await first.kill()
    expect(contentsOf(dataDir).taken).toEqual([[1, 'boot', 2, T0 + 6_000]])
    await catchUp({ dataDir, url })
    expect(contentsOf(dataDir).taken).toEqual([[1, 'boot', 1, T0 + 5_000]])
    await second.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 8_000)
    await second.close()
    await catchUp({ dataDir, url })
    expect(contentsOf(dataDir)).toEqual(contentsOf(second.dataDir))
  })

  it('becomes the leader with what it has, and numbers what comes after it', async () => {
    const url = await newDatabase()
    const first = await startReplica({ dataDir: newFolder(), url })
    const slow = (seq: number, nowMs: number) =>
      ({ ...windowOf(seq, nowMs, [0.1]), slowRequests: [slowRequest(nowMs * 1000)] }) as never
    await first.take([slow(1, T0 + 5_000)], T0 + 5_000)
    await first.take([slow(2, T0 + 10_000)], T0 + 10_000)
    await first.kill()
    const second = await startReplica({ dataDir: newFolder(), url })
    await second.take([slow(3, T0 + 15_000)], T0 + 15_000)
    await second.close()
    expect(contentsOf(second.dataDir).slow_requests?.map((row) => (row as number[])[0])).toEqual([
      1, 2, 3,
    ])
  })

  it('has nothing to read before there is a leader, and says what it can’t read', async () => {
    const url = await newDatabase()
    const dataDir = newFolder()
    await catchUp({ dataDir, url })
    const leader = await startReplica({ dataDir: newFolder(), url })
    await leader.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000, NODE)
    await ask(url, 'update metrics_record set layout = 7')
    await expect(catchUp({ dataDir, url })).rejects.toThrow(/layout 7/)
  })
})

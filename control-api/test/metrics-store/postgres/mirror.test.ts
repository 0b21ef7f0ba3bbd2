// SPDX-License-Identifier: MIT
import { readdirSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { metricsPath } from '../../../src/metrics-store/metrics-store.ts'
import { isOnPostgres } from '../../postgres.ts'
import {
  ask,
  catchUp,
  contentsOf,
  cuttable,
  NODE,
  newDatabase,
  newFolder,
  startReplica,
  T0,
  windowOf,
} from './replica.ts'

/** Twenty minutes of a node, each window taken as it ends, rolled up meanwhile. */
async function measure(replica: Awaited<ReturnType<typeof startReplica>>, minutes = 20) {
  await replica.knowMembers(['web'])
  for (let seq = 1; seq <= minutes * 12; seq++) {
    const nowMs = T0 + seq * 5_000
    await replica.take([windowOf(seq, nowMs, [0.1, 0.2 + seq / 1000])], nowMs)
    if (seq % 24 === 0) await replica.rollUp(nowMs)
  }
  return { seq: minutes * 12, nowMs: T0 + minutes * 60_000 }
}

/** As a replica reads it that has nothing yet. */
async function recordAt(url: string) {
  const dataDir = newFolder()
  await catchUp({ dataDir, url })
  return contentsOf(dataDir)
}

describe.runIf(isOnPostgres)('measurements in PostgreSQL', () => {
  it('outlive the machine: what was acknowledged is answered by another, and taken no second time', async () => {
    const url = await newDatabase()
    const first = await startReplica({ dataDir: newFolder(), url })
    const { seq, nowMs } = await measure(first)
    const before = await Promise.all([
      first.chart(nowMs),
      first.chart(nowMs, 60),
      first.chart(nowMs, 900, 30),
    ])
    const requests = await first.requests(nowMs)
    await first.kill()
    rmSync(first.dataDir, { recursive: true })

    const second = await startReplica({ dataDir: newFolder(), url })
    await expect.poll(() => second.requests(nowMs)).toBe(requests)
    expect(
      await Promise.all([
        second.chart(nowMs),
        second.chart(nowMs, 60),
        second.chart(nowMs, 900, 30),
      ]),
    ).toEqual(before)
    expect(await second.take([windowOf(seq, nowMs, [9])], nowMs)).toEqual({
      acknowledgedSeq: seq,
      previousSeq: seq,
    })
    expect(await second.requests(nowMs)).toBe(requests)
  })

  it('have every row that the folder had', async () => {
    const url = await newDatabase()
    const first = await startReplica({ dataDir: newFolder(), url })
    await measure(first)
    await first.close()
    const record = await recordAt(url)
    expect(record).toEqual(contentsOf(first.dataDir))
    expect(record.ring_900).not.toEqual([])
  })

  it('are rolled up by the next leader as the one before would have', async () => {
    const url = await newDatabase()
    const whole = await startReplica({ dataDir: newFolder(), url: await newDatabase() })
    await measure(whole)
    let replica = await startReplica({ dataDir: newFolder(), url })
    await replica.knowMembers(['web'])
    for (let seq = 1; seq <= 240; seq++) {
      const nowMs = T0 + seq * 5_000
      await replica.take([windowOf(seq, nowMs, [0.1, 0.2 + seq / 1000])], nowMs)
      if (seq % 24 === 0) await replica.rollUp(nowMs)
      if (seq % 70 !== 0) continue
      await replica.kill()
      replica = await startReplica({ dataDir: newFolder(), url })
      await replica.knowMembers(['web'])
    }
    await replica.rollUp(T0 + 20 * 60_000)
    await whole.close()
    await replica.close()
    expect(await recordAt(url)).toEqual(contentsOf(whole.dataDir))
  })

  it('of a replica that was not the leader for a while are those of who was', async () => {
    const url = await newDatabase()
    const [a, b] = [newFolder(), newFolder()]
    const first = await startReplica({ dataDir: a, url })
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000, 'node_b')
    await first.close()
    const second = await startReplica({ dataDir: b, url })
    await second.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 6_000, 'node_c')
    await second.take([windowOf(2, T0 + 10_000, [0.1, 0.2])], T0 + 10_000)
    await second.close()
    const again = await startReplica({ dataDir: a, url })
    await again.take([windowOf(3, T0 + 15_000, [0.3])], T0 + 15_000, 'node_d')
    expect(await again.requests(T0 + 15_000)).toBe(3)
    await again.close()
    expect(contentsOf(a).subjects).toEqual([
      [1, NODE],
      [2, 'node_b'],
      [3, 'node_c'],
      [4, 'node_d'],
    ])
    expect(readdirSync(a)).not.toContain('metrics.db.replaced')
  })

  it('that were not sent when another took over are taken back, and counted once', async () => {
    const url = await newDatabase()
    const way = await cuttable(url)
    const dataDir = newFolder()
    const first = await startReplica({ dataDir, url: way.url })
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    way.stick(true)
    const lost = first.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 6_000)
    const refused = expect(lost).rejects.toThrow()
    await expect.poll(() => contentsOf(dataDir).taken).toMatchObject([[1, 'boot', 2, T0 + 6_000]])
    await first.kill()
    await refused
    way.stick(false)

    const second = await startReplica({ dataDir: newFolder(), url })
    await second.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 7_000)
    await second.take([windowOf(3, T0 + 12_000, [0.3])], T0 + 12_000)
    await second.close()
    const again = await startReplica({ dataDir, url })
    expect(await again.requests(T0 + 12_000)).toBe(3)
    expect(await again.take([windowOf(3, T0 + 12_000, [0.3])], T0 + 12_000)).toMatchObject({
      previousSeq: 3,
    })
  })

  it('that were not sent are sent by the same replica, if nobody took over', async () => {
    const url = await newDatabase()
    const way = await cuttable(url)
    const dataDir = newFolder()
    const first = await startReplica({ dataDir, url: way.url })
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    way.stick(true)
    const lost = expect(first.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 6_000)).rejects.toThrow()
    await expect.poll(() => contentsOf(dataDir).taken).toMatchObject([[1, 'boot', 2, T0 + 6_000]])
    await first.kill()
    await lost
    const again = await startReplica({ dataDir, url })
    expect(await again.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 7_000)).toMatchObject({
      acknowledgedSeq: 2,
    })
    expect(await again.requests(T0 + 7_000)).toBe(2)
    await again.close()
    expect(await recordAt(url)).toEqual(contentsOf(dataDir))
  })

  it('are acknowledged when PostgreSQL is there again, each once, and not before', async () => {
    const url = await newDatabase()
    const way = await cuttable(url)
    const replica = await startReplica({ dataDir: newFolder(), url: way.url })
    await replica.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    await way.cut()
    // The first was taken before anybody knew.
    await expect(replica.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 6_000)).rejects.toThrow(
      /PostgreSQL/,
    )
    await expect(replica.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 6_000)).rejects.toThrow(
      /PostgreSQL/,
    )
    expect(replica.troubles.at(-1)).toMatch(/PostgreSQL/)
    await way.mend()
    await expect.poll(() => replica.troubles.at(-1)).toBeNull()
    // Who asks hears of it as of one that is new: it is in no board of windows yet.
    expect(await replica.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 7_000)).toEqual({
      acknowledgedSeq: 2,
      previousSeq: 1,
    })
    expect(await replica.take([windowOf(2, T0 + 6_000, [0.2])], T0 + 8_000)).toEqual({
      acknowledgedSeq: 2,
      previousSeq: 2,
    })
    expect(await replica.requests(T0 + 8_000)).toBe(2)
    await replica.close()
    expect(await recordAt(url)).toEqual(contentsOf(replica.dataDir))
  })

  it('go on after a session that ended without an answer', async () => {
    const url = await newDatabase()
    const replica = await startReplica({ dataDir: newFolder(), url })
    for (let seq = 1; seq <= 20; seq++) {
      const nowMs = T0 + seq * 5_000
      const taken = replica.take([windowOf(seq, nowMs, [0.1])], nowMs)
      await ask(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'farmstead measurements'`,
      )
      await expect(taken.then(() => seq)).resolves.toBe(seq)
    }
    expect(await replica.requests(T0 + 100_000)).toBe(20)
    await replica.close()
    expect(await recordAt(url)).toEqual(contentsOf(replica.dataDir))
  })

  it('are written by one replica: who was before can’t any more', async () => {
    const url = await newDatabase()
    const first = await startReplica({ dataDir: newFolder(), url })
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    const second = await startReplica({ dataDir: newFolder(), url })
    await expect(first.take([windowOf(2, T0 + 10_000, [0.1])], T0 + 10_000)).rejects.toThrow()
    await second.take([windowOf(2, T0 + 10_000, [0.1])], T0 + 10_000)
    expect(await second.requests(T0 + 10_000)).toBe(2)
    await expect(first.take([windowOf(3, T0 + 15_000, [0.1])], T0 + 15_000)).rejects.toThrow(
      /another replica/,
    )
  })

  it('of another record are set aside, and read anew', async () => {
    const [url, other] = [await newDatabase(), await newDatabase()]
    const dataDir = newFolder()
    const first = await startReplica({ dataDir, url })
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000, 'node_z')
    await first.close()
    const second = await startReplica({ dataDir: newFolder(), url: other })
    await second.take([windowOf(1, T0 + 5_000, [0.1, 0.2])], T0 + 5_000)
    await second.close()
    const third = await startReplica({ dataDir, url: other })
    await expect.poll(() => third.requests(T0 + 5_000)).toBe(2)
    await third.close()
    expect(contentsOf(dataDir).subjects).toEqual([[1, NODE]])
    expect(readdirSync(dataDir)).toContain('metrics.db.replaced')
  })

  it('of a database that was put back to what it was before are not those of a copy made since', async () => {
    const url = await newDatabase()
    const dataDir = newFolder()
    const first = await startReplica({ dataDir, url })
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    await first.take([windowOf(2, T0 + 6_000, [0.1])], T0 + 6_000)
    await first.close()
    await ask(url, 'update metrics_record set v = 1; update metrics_taken set seq = 1')
    const again = await startReplica({ dataDir, url })
    expect(await again.take([windowOf(2, T0 + 6_000, [0.1])], T0 + 7_000)).toMatchObject({
      previousSeq: 1,
    })
    expect(readdirSync(dataDir)).toContain('metrics.db.replaced')
  })

  it('of the time before PostgreSQL are sent, and a file that went on without it is no copy', async () => {
    const url = await newDatabase()
    const dataDir = newFolder()
    const { startMetricsWorker } = await import('../../../src/metrics-store/worker-client.ts')
    const alone = async (seq: number) => {
      const worker = await startMetricsWorker({ path: metricsPath(dataDir), record: null })
      const nowMs = T0 + seq * 5_000
      const windows = [windowOf(seq, nowMs, [0.1])]
      for (let i = 0; i < 3_000; i++) {
        worker.take({ nodeId: `node_${i}`, bootId: 'boot', windows, nowMs })
      }
      await worker.take({ nodeId: NODE, bootId: 'boot', windows, nowMs })
      await worker.close()
    }
    await alone(1)
    const first = await startReplica({ dataDir, url })
    await first.take([windowOf(2, T0 + 10_000, [0.1])], T0 + 10_000)
    await expect
      .poll(() => ask(url, 'select count(*)::int as n from metrics_ring_10'))
      .toEqual([{ n: 3_002 }])
    await first.close()
    expect(await recordAt(url)).toEqual(contentsOf(dataDir))

    await alone(3)
    const again = await startReplica({ dataDir, url })
    expect(await again.take([windowOf(3, T0 + 15_000, [0.1])], T0 + 15_000)).toMatchObject({
      previousSeq: 2,
    })
    expect(readdirSync(dataDir)).toContain('metrics.db.replaced')
  })

  it('of another layout, or another control plane, are not touched, and the reason is said', async () => {
    const url = await newDatabase()
    const dataDir = newFolder()
    const first = await startReplica({ dataDir, url })
    await first.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    await first.close()
    const stranger = await startReplica({ dataDir: newFolder(), url, controlPlaneId: 'cp_other' })
    await expect(stranger.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)).rejects.toThrow(
      /another control plane \(cp_test, this one is cp_other\)/,
    )
    await ask(url, 'update metrics_record set layout = 2')
    const older = await startReplica({ dataDir, url })
    expect(older.troubles).toMatchObject([/another version of Farmstead \(layout 2/])
    await expect(older.take([windowOf(2, T0 + 6_000, [0.1])], T0 + 6_000)).rejects.toThrow(
      /another version/,
    )
    expect(await older.requests(T0 + 6_000)).toBe(1)
    expect(await ask(url, 'select seq::int from metrics_taken')).toEqual([{ seq: 1 }])
  })
})

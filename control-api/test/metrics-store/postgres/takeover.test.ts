// SPDX-License-Identifier: MIT
import { readdirSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { metricsPath, openMetricsStore } from '../../../src/metrics-store/metrics-store.ts'
import { keepCopy } from '../../../src/metrics-store/standby.ts'
import { startMetricsWorker } from '../../../src/metrics-store/worker-client.ts'
import { isOnPostgres } from '../../postgres.ts'
import {
  ask,
  contentsOf,
  cuttable,
  NODE,
  newDatabase,
  newFolder,
  startReplica,
  T0,
  windowOf,
} from './replica.ts'

const NOBODY = 'postgres://farmstead@127.0.0.1:1/nobody'

it('whoever leads does not wait for PostgreSQL: until it answers nothing is taken, and nothing shown', async () => {
  const place = { url: NOBODY, controlPlaneId: 'cp_test', epoch: 1 }
  const store = await openMetricsStore({ dataDir: newFolder(), now: () => T0, record: place })
  onTestFinished(() => store.close())
  const query = {
    ...{ nodeIds: [NODE], stage: 'total' as const, fromSeconds: 0, toSeconds: 60 },
    ...{ stepSeconds: 60, resolutionSeconds: 60 },
  }
  await expect(store.query(query)).rejects.toMatchObject({
    ...{ statusCode: 503, code: 'metrics_not_loaded' },
  })
  const report = { bootId: 'b', uptimeMs: 10_000, lostWindows: 0, gauges: {}, windows: [] }
  await expect(store.record(NODE, report as never)).rejects.toMatchObject({ statusCode: 503 })
  await expect
    .poll(() => store.check())
    .toMatchObject({
      ...{ ok: false, message: expect.stringMatching(/PostgreSQL takes no measurements/) },
    })
})

describe.runIf(isOnPostgres)('what is measured, when another leads', () => {
  it('is taken as soon as PostgreSQL answers', async () => {
    const way = await cuttable(await newDatabase())
    await way.cut()
    const replica = await startReplica({ dataDir: newFolder(), url: way.url })
    expect(replica.troubles).toMatchObject([/PostgreSQL/])
    await expect(replica.take([windowOf(1, T0, [0.1])], T0)).rejects.toThrow(/taken over/)
    await expect(replica.chart(T0)).rejects.toThrow(/taken over/)
    await replica.knowMembers(['web'])
    await way.mend()
    await expect.poll(() => replica.troubles.at(-1)).toBeNull()
    expect(await replica.take([windowOf(1, T0, [0.1])], T0)).toMatchObject({ previousSeq: 0 })
    await replica.rollUp(T0 + 60_000)
    await replica.close()
    // Whose it is was said before the file was open.
    expect(contentsOf(replica.dataDir).subjects).toContainEqual([expect.any(Number), 'web'])
  })

  it('is refused to one that began to lead earlier and wakes up later, and who leads is not disturbed', async () => {
    const url = await newDatabase()
    const leader = await startReplica({ dataDir: newFolder(), url, epoch: 1_000_005 })
    await leader.take([windowOf(1, T0 + 5_000, [0.1])], T0 + 5_000)
    const before = await ask(url, 'select writer, epoch::int from metrics_record')
    const late = await startReplica({ dataDir: newFolder(), url, epoch: 1_000_004 })
    expect(late.troubles).toMatchObject([/another replica writes/])
    await expect(late.take([windowOf(2, T0 + 6_000, [0.1])], T0 + 6_000)).rejects.toThrow()
    expect(await ask(url, 'select writer, epoch::int from metrics_record')).toEqual(before)
    await leader.take([windowOf(2, T0 + 6_000, [0.1])], T0 + 6_000)
    expect(leader.troubles).toEqual([])
  })

  it('is read anew where a copy lacks much, and that copy is not kept besides', async () => {
    const url = await newDatabase()
    const dataDir = newFolder()
    const old = await startReplica({ dataDir, url })
    await old.take([windowOf(1, T0, [0.1])], T0)
    await old.rollUp(T0 + 60_000)
    await old.close()
    const db = new Sqlite(metricsPath(dataDir))
    db.exec('create table mark (n integer)')
    db.close()
    const isSameFile = () => {
      const file = new Sqlite(metricsPath(dataDir), { readonly: true })
      try {
        return file.prepare(`select 1 from sqlite_master where name = 'mark'`).get() !== undefined
      } finally {
        file.close()
      }
    }
    const measure = async (fromSeq: number, seconds: number) => {
      const replica = await startReplica({ dataDir: newFolder(), url })
      const nowMs = T0 + seconds * 1000
      await replica.take([windowOf(fromSeq, nowMs, [0.1])], nowMs)
      await replica.rollUp(nowMs + 60_000)
      await replica.close()
    }
    await measure(2, 600)
    const soon = await startReplica({ dataDir, url })
    await soon.close()
    expect(isSameFile()).toBe(true)
    await measure(3, 2_400)
    const later = await startReplica({ dataDir, url })
    const requests = async () => {
      const { count } = await later.chart(T0 + 2_400_000, 60, 60)
      return count.reduce((sum: number, n) => sum + (n ?? 0), 0)
    }
    await expect.poll(requests).toBe(3)
    await later.close()
    expect(isSameFile()).toBe(false)
    expect(readdirSync(dataDir).filter((name) => name.includes('replaced'))).toEqual([])
  })

  it('is copied while another leads, and the copy is free as soon as that is stopped', async () => {
    const url = await newDatabase()
    const nowMs = Math.floor(Date.now() / 1000) * 1000
    const leader = await startReplica({ dataDir: newFolder(), url })
    await leader.take([windowOf(1, nowMs, [0.1])], nowMs)
    const dataDir = newFolder()
    const reasons: string[] = []
    const copy = keepCopy({ dataDir, url }, (reason) => reasons.push(reason))
    const taken = () => readdirSync(dataDir).includes('metrics.db') && contentsOf(dataDir).taken
    await expect.poll(() => taken()).toEqual([[1, 'boot', 1, nowMs]])
    await copy.stop()
    await leader.kill()
    const next = await startReplica({ dataDir, url })
    expect(await next.take([windowOf(1, nowMs, [0.1])], nowMs)).toMatchObject({ previousSeq: 1 })
    expect(reasons).toEqual([])
  })

  it('makes room on a full disk while a file of before is being sent, and goes on', async () => {
    const url = await newDatabase()
    const dataDir = newFolder()
    const alone = await startMetricsWorker({ path: metricsPath(dataDir), record: null })
    const windows = [windowOf(1, T0, [0.1])]
    await Promise.all(
      Array.from({ length: 4_000 }, (_, i) =>
        alone.take({ nodeId: `node_${i}`, bootId: 'boot', windows, nowMs: T0 }),
      ),
    )
    await alone.close()
    const replica = await startReplica({ dataDir, url })
    const later = T0 + 7 * 3_600_000
    expect(await replica.giveWay(2 ** 40, later)).toBeGreaterThan(0)
    expect(await replica.take([windowOf(1, later, [0.1])], later, 'node_new')).toMatchObject({
      acknowledgedSeq: 1,
    })
    expect(replica.troubles).toEqual([])
  })
})

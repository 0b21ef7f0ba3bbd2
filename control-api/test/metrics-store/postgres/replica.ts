// SPDX-License-Identifier: MIT
// For tests: replicas of a control plane that measure, each with a folder and a thread of its own, and the database that they
// have in common; one can be killed, and the way to the database cut.
import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket, connect as toSocket } from 'node:net'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { threadProgram } from '../../../src/base/places.ts'
import { metricsPath } from '../../../src/metrics-store/metrics-store.ts'
import { asSeries, asSets } from '../../../src/metrics-store/node-series.ts'
import { catchUp as catchUpOnce } from '../../../src/metrics-store/postgres/copy.ts'
import { planQuery } from '../../../src/metrics-store/rings.ts'
import type { PlacedWindow } from '../../../src/metrics-store/windows.ts'
import { startMetricsWorker } from '../../../src/metrics-store/worker-client.ts'
import { histogramOf } from '../../histogram-of.ts'
import { databaseOf, dropDatabase } from '../../postgres.ts'
import { makeQuickFolder } from '../../quick-folder.ts'

/** The beginning of a quarter of an hour. */
export const T0 = 1_800_000_000_000
export const NODE = 'node_a'
export const CONTROL_PLANE = 'cp_test'

export function windowOf(seq: number, endedAtMs: number, seconds: number[]): PlacedWindow {
  const counters = { requests: seconds.length, bytesSent: seconds.length * 1000 }
  const series = [{ generation: 1, counters, stages: { total: histogramOf(seconds) } }]
  return { seq, endedAtMs, durationMs: 5_000, series }
}

export type Place = {
  dataDir: string
  url: string
  controlPlaneId?: string
  /** Left out: it began to lead after all others. */
  epoch?: number
}
let lastEpoch = 0

/** A folder that is removed in the end. */
export function newFolder(): string {
  const dir = makeQuickFolder()
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** An empty one, dropped in the end. */
export async function newDatabase(): Promise<string> {
  const url = await databaseOf(newFolder())
  if (url === null) throw new Error('this needs FARMSTEAD_TEST_POSTGRES')
  onTestFinished(() => dropDatabase(url))
  return url
}

/** Resolves when it takes measurements, or has said why it does not. */
export async function startReplica({
  dataDir,
  url,
  controlPlaneId = CONTROL_PLANE,
  epoch = ++lastEpoch,
}: Place) {
  const path = metricsPath(dataDir)
  const threads: Worker[] = []
  const troubles: (string | null)[] = []
  const worker = await startMetricsWorker(
    { path, record: { url, controlPlaneId, epoch } },
    { onTrouble: (trouble) => troubles.push(trouble) },
    (workerData) => {
      const thread = new Worker(threadProgram('metrics-store/worker'), { workerData })
      threads.push(thread)
      return thread
    },
  )
  let isGone = false
  const close = async () => {
    if (!isGone) await worker.close()
    isGone = true
  }
  onTestFinished(close)
  const isOpen = () =>
    worker.ask({ kind: 'totals' }).then(
      () => true,
      () => false,
    )
  await expect
    .poll(async () => troubles.length > 0 || (await isOpen()), { interval: 10 })
    .toBe(true)

  const chart = async (nowMs: number, stepSeconds = 10, minutes = 10) => {
    const range = { fromSeconds: T0 / 1000, toSeconds: T0 / 1000 + minutes * 60 }
    const plan = planQuery(range, stepSeconds, nowMs / 1000)
    const query = { ...plan, nodeIds: [NODE], stage: 'total' as const }
    const [series] = asSeries(query, await worker.ask({ kind: 'sets', ...asSets(query) }))
    if (!series) throw new Error('no series')
    return series
  }

  return {
    dataDir,
    troubles,
    chart,
    take: (windows: PlacedWindow[], nowMs: number, nodeId = NODE) =>
      worker.take({ nodeId, bootId: 'boot', windows, nowMs }),
    /** Of all steps whose time it is. */
    async rollUp(nowMs: number) {
      while (await worker.ask({ kind: 'roll-up', nowMs }));
    },
    async prune(nowMs: number) {
      for (let after: number | null = 0; after !== null; ) {
        after = await worker.ask({ kind: 'prune', nowMs, after })
      }
    },
    giveWay: (wantedBytes: number, nowMs: number) =>
      worker.ask({ kind: 'give-way', wantedBytes, nowMs }),
    knowMembers: (groups: string[], nodeId = NODE) =>
      worker.ask({ kind: 'memberships', of: [[nodeId, { groups, versions: [] }]] }),
    requests: async (nowMs: number) =>
      (await chart(nowMs)).count.reduce((sum: number, n) => sum + (n ?? 0), 0),
    close,
    /** As when its machine is gone: nothing is written, nobody is told. */
    async kill() {
      isGone = true
      const ended = threads.map((thread) => thread.terminate())
      await worker.close()
      await Promise.all(ended)
    },
  }
}

/** In the time of these tests. */
export async function catchUp({ dataDir, url, nowMs = T0 }: Place & { nowMs?: number }) {
  await catchUpOnce(metricsPath(dataDir), url, nowMs)
}

const TABLES = ['ring_10', 'ring_60', 'ring_900', 'site_minutes', 'site_hours', 'slow_requests']
const SMALL = ['subjects', 'names', 'progress', 'taken']

/** All that a folder has, as it is written there. */
export function contentsOf(dataDir: string): Record<string, unknown[]> {
  const db = new Sqlite(metricsPath(dataDir), { readonly: true })
  try {
    return Object.fromEntries(
      [...TABLES, ...SMALL].map((name) => [
        name,
        db
          .prepare(`select * from ${name} order by 1, 2`)
          .raw()
          .all()
          .map((row) =>
            (row as unknown[]).map((one) => (Buffer.isBuffer(one) ? one.toString('hex') : one)),
          ),
      ]),
    )
  } finally {
    db.close()
  }
}

export async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** A way to the database that can be cut: `url` leads over it. */
export async function cuttable(url: string) {
  const target = new URL(url)
  const socketOf = (dir: string) => join(dir, `.s.PGSQL.${target.port}`)
  const realDir = target.searchParams.get('host')
  const dir = newFolder()
  mkdirSync(dir, { recursive: true })
  const open = new Set<Socket>()
  let isStuck = false
  const server: Server = createServer((socket) => {
    const to = realDir
      ? toSocket(socketOf(realDir))
      : toSocket(Number(target.port || 5432), target.hostname)
    for (const [from, into] of [
      [socket, to],
      [to, socket],
    ] as const) {
      open.add(from)
      from.on('data', (bytes) => {
        if (!isStuck) into.write(bytes)
      })
      from.on('close', () => into.destroy())
      from.on('error', () => into.destroy())
    }
  })
  const listen = () =>
    new Promise<void>((resolve) => void server.listen(socketOf(dir), () => resolve()))
  const cut = () => {
    for (const socket of open) socket.destroy()
    open.clear()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  }
  await listen()
  onTestFinished(async () => {
    if (server.listening) await cut()
  })
  const over = new URL(url)
  over.searchParams.set('host', dir)
  return {
    url: over.href,
    cut,
    mend: listen,
    /** Connections stay, and nothing comes through. */
    stick: (next: boolean) => {
      isStuck = next
    },
  }
}

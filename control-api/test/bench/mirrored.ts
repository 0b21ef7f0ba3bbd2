// SPDX-License-Identifier: MIT
// `npm run bench -- mirrored`: what it costs to keep measurements in PostgreSQL, too.
//   FARMSTEAD_TEST_POSTGRES=postgres://… npm run bench -- mirrored [--nodes 10000] [--minutes 2]
// Nodes report each ten seconds what a busy one did (recorded-report.json), some hundred at a time and as fast as they are
// acknowledged; steps are rolled up when they are over. First without PostgreSQL, then with it; then another replica with an empty folder takes over.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { WorkerData } from '../../src/metrics-store/messages.ts'
import { catchUpMetrics } from '../../src/metrics-store/standby.ts'
import { placeWindows } from '../../src/metrics-store/windows.ts'
import { type MetricsWorker, startMetricsWorker } from '../../src/metrics-store/worker-client.ts'
import { databaseOf, dropDatabase } from '../postgres.ts'
import { RECORDED, windowOf } from './recorded-report.ts'

const T0 = 1_800_000_000_000
const EVERY_MS = 10_000
const AT_ONCE = 1_000
/** Of the kernel, in /proc: a hundredth of a second. */
const TICKS_PER_SECOND = 100

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '2' },
  },
})
const [nodes, minutes] = [Number(values.nodes), Number(values.minutes)]
const say = (line: string) => process.stdout.write(`${line}\n`)
const seconds = (ms: number) => (ms / 1000).toFixed(1)

const takeOf = (node: number, seq: number, nowMs: number) => ({
  ...{ nodeId: `node_${String(node).padStart(26, '0')}`, bootId: RECORDED.bootId, nowMs },
  gauges: RECORDED.gauges,
  windows: placeWindows(
    {
      ...RECORDED,
      uptimeMs: seq * EVERY_MS,
      windows: [{ ...windowOf(seq, 1), startedMs: (seq - 1) * EVERY_MS, durationMs: EVERY_MS }],
    },
    nowMs,
  ),
})

/** Until when the last was acknowledged, and how long one waited. */
async function takeAll(worker: MetricsWorker, seq: number): Promise<number[]> {
  const nowMs = T0 + seq * EVERY_MS
  const waits: number[] = []
  let next = 0
  const one = async () => {
    for (let node = next++; node < nodes; node = next++) {
      const begunMs = performance.now()
      await worker.take(takeOf(node, seq, nowMs))
      waits.push(performance.now() - begunMs)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  return waits
}

async function measure(data: WorkerData) {
  const worker = await startMetricsWorker(data)
  const cpu = process.cpuUsage()
  const [waits, spent] = [[] as number[], { takenMs: 0, rolledUpMs: 0 }]
  for (let seq = 1; seq <= (minutes * 60_000) / EVERY_MS; seq++) {
    const begunMs = performance.now()
    waits.push(...(await takeAll(worker, seq)))
    const takenMs = performance.now()
    while (await worker.ask({ kind: 'roll-up', nowMs: T0 + seq * EVERY_MS }));
    spent.takenMs += takenMs - begunMs
    spent.rolledUpMs += performance.now() - takenMs
  }
  const { user, system } = process.cpuUsage(cpu)
  return { worker, waits: waits.sort((a, b) => a - b), ...spent, cpuMs: (user + system) / 1000 }
}

type Measured = Awaited<ReturnType<typeof measure>>
function tell(what: string, { waits, takenMs, rolledUpMs, cpuMs }: Measured): void {
  const at = (q: number) => (waits[Math.ceil(q * waits.length) - 1] ?? Number.NaN).toFixed(0)
  say(
    `| ${[what, (waits.length / (takenMs / 1000)).toFixed(0), at(0.5), at(0.99), seconds(rolledUpMs), (cpuMs / waits.length).toFixed(3)].join(' | ')} |`,
  )
}

const folder = () => mkdtempSync(join(tmpdir(), 'farmstead-bench-mirrored-'))
const folders = [folder(), folder(), folder()] as const
const [plain, leader, next] = folders
const url = await databaseOf(leader)
if (url === null) {
  throw new Error(
    'FARMSTEAD_TEST_POSTGRES names no PostgreSQL: postgres://user@host/database of one who may make databases',
  )
}
const record = { url, controlPlaneId: 'cp_bench', epoch: 1 }
const client = new pg.Client({ connectionString: url })
await client.connect()
const one = async (text: string) => Number((await client.query(text)).rows[0]?.one)
const walBytes = () => one(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as one`)

/** Of the sessions that write, where PostgreSQL is on this machine. */
async function sessionsMs(): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'farmstead measurements'`,
  )
  const ticks = rows
    .map(({ pid }) => `/proc/${pid}/stat`)
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [])
    .map((fields) => Number(fields[11]) + Number(fields[12]))
  return (ticks.reduce((sum, n) => sum + n, 0) * 1000) / TICKS_PER_SECOND
}

try {
  say(`${nodes} nodes, ${minutes} minutes of them, load ${loadavg()[0]?.toFixed(1)}`)
  say(
    '| | reports/s | median ms | 99 % ms | s to roll up | CPU ms for each |\n|---|---|---|---|---|---|',
  )
  const without = await measure({ path: join(plain, 'metrics.db'), record: null })
  tell('metrics.db alone', without)
  await without.worker.close()

  const beforeBytes = await walBytes()
  const kept = await measure({ path: join(leader, 'metrics.db'), record })
  tell('in PostgreSQL, too', kept)
  const serverMs = await sessionsMs()
  await kept.worker.close()
  const wal = (await walBytes()) - beforeBytes
  const reports = kept.waits.length
  say(
    `PostgreSQL: ${(serverMs / reports).toFixed(3)} ms of its processor and ${(wal / reports / 1024).toFixed(1)} KiB of its log for each report`,
  )
  for (const table of ['ring_10', 'ring_60', 'ring_900', 'taken']) {
    const rows = await one(`select count(*) as one from metrics_${table}`)
    const bytes = await one(
      `select sum(pg_total_relation_size(relid)) as one from pg_partition_tree('metrics_${table}')`,
    )
    const whole = bytes || (await one(`select pg_total_relation_size('metrics_${table}') as one`))
    say(
      `metrics_${table}: ${rows} rows, ${(whole / Math.max(rows, 1)).toFixed(0)} bytes each with indexes`,
    )
  }

  const begunMs = performance.now()
  const second = await startMetricsWorker({ path: join(next, 'metrics.db'), record })
  const readyMs = performance.now() - begunMs
  await second.take(takeOf(0, 1_000, T0 + 1_000 * EVERY_MS))
  const takenMs = performance.now() - begunMs
  await second.close()
  rmSync(next, { recursive: true })
  const third = folder()
  const readMs = performance.now()
  await catchUpMetrics({ dataDir: third, url })
  const wholeMs = performance.now() - readMs
  const againMs = performance.now()
  await catchUpMetrics({ dataDir: third, url })
  say(
    `an empty folder: ready after ${seconds(readyMs)} s, takes reports after ${seconds(takenMs)} s; all of it read in ${seconds(wholeMs)} s, and when nothing is new in ${seconds(performance.now() - againMs)} s`,
  )
  rmSync(third, { recursive: true })
} finally {
  await client.end()
  await dropDatabase(url)
  for (const dir of folders) rmSync(dir, { recursive: true, force: true })
}

// SPDX-License-Identifier: MIT
// `npm run bench -- api`: how long the real service takes to answer, with 1,000 versions, 10,000 nodes and
// 100,000 audit rows, to a few clients that read and write at once.
//   npm run bench -- api [--seconds S] [--warm-up-seconds S] [--versions N] [--nodes N] [--audit-rows N]
// Beside the times stands what each route costs the service's process: on a busy machine that is the figure
// to look at. The same load runs before it is measured: a service answers for months, and its code is
// compiled in the first seconds.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { machineMicroseconds } from '../../../server-c/bench/processes.mjs'
import { type Answer, Session } from '../durability/session.ts'
import { oneTimePassword, startService } from '../service-process.ts'
import { CONFIG, makeLargeDatabase, nodeIdOf, nodeNameOf, type Size } from './large-database.ts'
import { cpuMsOf, stolenShareSince } from './process-cost.ts'
import { quantile } from './quantile.ts'

const NODE_BINARY = resolve(import.meta.dirname, '../../../server-c/build/release/farmstead-node')
const CLIENTS = 4
/** All clients together stay below the limit that the service sets for one address (3,000 a minute). */
const PAUSE_MS = 95
const WRITE_SHARE = 0.2
const READ_LIMIT_MS = 20
const WRITE_LIMIT_MS = 50
/** Stays below the limit of one address, too. */
const ALONE_PAUSE_MS = 20

type Draw = (below: number) => number
/** A write is prepared first, and only what changes something is measured. */
type Call = {
  name: string
  run: (session: Session, size: Size, draw: Draw) => Promise<Answer | (() => Promise<Answer>)>
}
export type Row = {
  name: string
  limitMs: number
  ms: number[]
  /** Of the processor, per request; null: not measured alone. */
  cpuMs: number | null
}

const get = (name: string, path: (size: Size, draw: Draw) => string): Call => ({
  name,
  run: (session, size, draw) => session.must('GET', path(size, draw)),
})
const versions = `/configs/${CONFIG}/versions`

/** A cursor in the middle of the list, as the service made it. */
const deep = (name: string, path: string): Call => {
  let cursor: string | null = null
  return {
    name,
    async run(session) {
      const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
      const answer = await session.must('GET', `${path}?limit=100${query}`)
      const { nextCursor } = answer.body
      cursor = nextCursor === null ? null : String(nextCursor)
      return answer
    },
  }
}

const reads: Call[] = [
  get('GET /nodes', () => '/nodes?limit=100'),
  deep('GET /nodes, page after page', '/nodes'),
  get('GET /nodes?selector=', (_, draw) => `/nodes?limit=100&selector=rack%3D${draw(100)}`),
  get(
    'GET /nodes?q=',
    (size, draw) => `/nodes?limit=100&q=${nodeNameOf(draw(size.nodes)).slice(0, 9)}`,
  ),
  get('GET /nodes/{id}', (size, draw) => `/nodes/${nodeIdOf(draw(size.nodes))}`),
  get('GET /configs', () => '/configs'),
  get('GET …/versions', () => `${versions}?limit=100`),
  deep('GET …/versions, page after page', versions),
  get('GET …/versions/{number}', (size, draw) => `${versions}/${1 + draw(size.versions)}`),
  get('GET …/draft', () => `/configs/${CONFIG}/draft`),
  get('GET /rollouts', () => '/rollouts'),
  get('GET /audit', () => '/audit?limit=100'),
  deep('GET /audit, page after page', '/audit'),
]

const writes: Call[] = [
  {
    name: 'PATCH /nodes/{id}',
    async run(session, size, draw) {
      const path = `/nodes/${nodeIdOf(draw(size.nodes))}`
      const { etag } = await session.must('GET', path)
      return () =>
        session.ask('PATCH', path, { labels: { zone: `z${draw(9)}` } }, { 'if-match': etag ?? '' })
    },
  },
  {
    name: 'PUT …/draft',
    async run(session, _size, draw) {
      const path = `/configs/${CONFIG}/draft`
      const { etag } = await session.must('GET', path)
      const body = { text: `{ "listen": [] } // ${draw(1e9)}` }
      return () => session.ask('PUT', path, body, { 'if-match': etag ?? '' })
    },
  },
  {
    name: 'POST /enrolment-tokens',
    run: async (session) => () => session.must('POST', '/enrolment-tokens', {}),
  },
]

/** `alone`: of each route, one after the other, for what it costs: the kernel counts in steps of 10 ms. */
type Options = Size & { seconds: number; warmUpSeconds: number; alone: number }
/** `stolenShare`: of the processor time that this machine asked for, what its host gave to others. */
export type Measured = { rows: Row[]; stolenShare: number }

export async function measure(options: Options): Promise<Measured> {
  const { seconds, warmUpSeconds, alone, ...size } = options
  const home = mkdtempSync(join(tmpdir(), 'farmstead-bench-api-'))
  const env = {
    PATH: process.env.PATH,
    FARMSTEAD_DATA_DIR: home,
    FARMSTEAD_PORT: '0',
    FARMSTEAD_AGENT_PORT: '0',
    FARMSTEAD_AGENT_URL: 'http://127.0.0.1:1',
    FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
    FARMSTEAD_NODE_BINARY: NODE_BINARY,
    FARMSTEAD_LOG_LEVEL: 'fatal',
  }
  await makeLargeDatabase(home, size)
  const password = oneTimePassword(env)
  const { child, url, ended } = await startService(env)
  try {
    const session = await Session.first(url, password, 'a long password of the bench')
    await load(session, size, { seconds: warmUpSeconds, rows: new Map() })
    const rows = new Map<string, Row>()
    const before = machineMicroseconds()
    await load(session, size, { seconds, rows })
    const stolenShare = stolenShareSince(before)
    for (const call of reads) {
      const row = rows.get(call.name)
      if (row) row.cpuMs = await costOf(call, { session, size, pid: child.pid ?? 0, alone })
    }
    return { rows: [...rows.values()], stolenShare }
  } finally {
    child.kill('SIGKILL')
    await ended
    rmSync(home, { recursive: true, force: true })
  }
}

type Load = { seconds: number; rows: Map<string, Row> }

async function load(session: Session, size: Size, { seconds, rows }: Load): Promise<void> {
  const endsAt = performance.now() + seconds * 1000
  const client = async () => {
    while (performance.now() < endsAt) {
      await once(session, size, rows)
      await sleep(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

type Alone = { session: Session; size: Size; pid: number; alone: number }

async function costOf(call: Call, { session, size, pid, alone }: Alone): Promise<number> {
  const before = cpuMsOf(pid)
  for (let i = 0; i < alone; i++) {
    await call.run(session, size, draw)
    await sleep(ALONE_PAUSE_MS)
  }
  return (cpuMsOf(pid) - before) / alone
}

const draw: Draw = (below) => Math.floor(Math.random() * below)

async function once(session: Session, size: Size, rows: Map<string, Row>): Promise<void> {
  const isWrite = Math.random() < WRITE_SHARE
  const calls = isWrite ? writes : reads
  const call = calls[draw(calls.length)]
  if (!call) return
  const prepared = await call.run(session, size, draw)
  const { status, ms } = typeof prepared === 'function' ? await prepared() : prepared
  // Another client was faster: a refusal is no write.
  if (status === 412) return
  if (status >= 400) throw new Error(`${call.name} answered ${status}`)
  const limitMs = isWrite ? WRITE_LIMIT_MS : READ_LIMIT_MS
  const row = rows.get(call.name) ?? { name: call.name, limitMs, ms: [], cpuMs: null }
  row.ms.push(ms)
  rows.set(call.name, row)
}

export function table(rows: readonly Row[]): string[] {
  const all = (limitMs: number, name: string): Row => ({
    name,
    limitMs,
    cpuMs: null,
    ms: rows.filter((row) => row.limitMs === limitMs).flatMap(({ ms }) => ms),
  })
  const order = [...rows].sort((a, b) => a.limitMs - b.limitMs || a.name.localeCompare(b.name))
  const lines = [...order, all(READ_LIMIT_MS, 'all reads'), all(WRITE_LIMIT_MS, 'all writes')]
  return [
    '| | requests | p50 ms | p95 ms | p99 ms | above the limit | CPU ms |',
    '|---|---|---|---|---|---|---|',
    ...lines.map(({ name, limitMs, ms, cpuMs }) => {
      const above = ms.filter((one) => one > limitMs).length / Math.max(1, ms.length)
      const cells = [0.5, 0.95, 0.99].map((q) => quantile(ms, q).toFixed(1))
      const share = `${(above * 100).toFixed(1)} % > ${limitMs} ms`
      const cost = cpuMs === null ? '' : cpuMs.toFixed(1)
      return `| ${[name, ms.length, ...cells, share, cost].join(' | ')} |`
    }),
  ]
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      'warm-up-seconds': { type: 'string', default: '20' },
      versions: { type: 'string', default: '1000' },
      nodes: { type: 'string', default: '10000' },
      'audit-rows': { type: 'string', default: '100000' },
    },
  })
  const { rows, stolenShare } = await measure({
    seconds: Number(values.seconds),
    warmUpSeconds: Number(values['warm-up-seconds']),
    alone: 40,
    versions: Number(values.versions),
    nodes: Number(values.nodes),
    auditRows: Number(values['audit-rows']),
  })
  process.stdout.write(`${table(rows).join('\n')}\n`)
  const stolen = (stolenShare * 100).toFixed(1)
  process.stdout.write(
    `The host kept ${stolen} % of the processor time that was asked for (steal).\n`,
  )
}

if (import.meta.main) await main()

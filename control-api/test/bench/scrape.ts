// SPDX-License-Identifier: MIT
// `npm run bench -- scrape`: what Prometheus costs the control plane of a large farm: finding 10,000 nodes, and scraping
// the sums of the farm and of 100 groups, of which each node reported what a busy one did (recorded-report.json).
//   npm run bench -- scrape [--nodes 10000] [--groups 100]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildService } from '../../src/app.ts'
import { inSlices } from '../../src/base/slices.ts'
import { exposeText } from '../../src/features/telemetry/exposition.ts'
import { exposeProtobuf } from '../../src/features/telemetry/exposition-protobuf.ts'
import { measuredFamilies } from '../../src/features/telemetry/measured.ts'
import { openMetricsStore } from '../../src/metrics-store/metrics-store.ts'
import { groupSum } from '../../src/metrics-store/subjects.ts'
import { plainConfig } from '../plain-config.ts'
import { costOf, HEAD, line, NEVER_OVERLOADED, ORIGIN, signIn } from './asking.ts'
import { makeLargeDatabase, nodeIdOf } from './large-database.ts'
import { RECORDED } from './recorded-report.ts'

const AT_ONCE = 500
const ROUNDS = 20

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '10000' },
    groups: { type: 'string', default: '100' },
  },
})
const [nodes, groups] = [Number(values.nodes), Number(values.groups)]
const say = (text: string) => process.stdout.write(`${text}\n`)
const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-bench-scrape-'))

async function findNodes(): Promise<void> {
  await makeLargeDatabase(dataDir, { versions: 20, nodes, auditRows: 0 })
  const service = await buildService(plainConfig(dataDir), { pressure: NEVER_OVERLOADED })
  try {
    const headers = { origin: ORIGIN, cookie: await signIn(service) }
    const scoped = { origin: ORIGIN, cookie: await signIn(service, 'zone=north') }
    say(HEAD)
    for (const [what, asking] of [
      ['GET /prometheus/targets', headers],
      ['GET /prometheus/targets, a quarter of the nodes', scoped],
      ['GET /metrics', headers],
    ] as const) {
      const url = what.includes('targets') ? '/api/v1/prometheus/targets' : '/metrics'
      say(line(await costOf(what, async () => () => service.app.inject({ url, headers: asking }))))
    }
  } finally {
    await service.close()
  }
}

/** As the route does it, and how much of that its thread is busy. */
async function addUp(): Promise<void> {
  const store = await openMetricsStore({ dataDir, now: Date.now })
  try {
    const ids = Array.from({ length: nodes }, (_, i) => nodeIdOf(i))
    await store.setMemberships(
      ids.map((id, i) => [id, { groups: [groupSum(`group-${i % groups}`)], versions: [] }]),
    )
    for (const some of inSlices(ids, AT_ONCE)) {
      await Promise.all(some.map((id) => store.record(id, RECORDED)))
    }
    say('\n| format | KB | asking the store ms | making it ms | of it CPU |\n|---|---|---|---|---|')
    for (const [format, expose] of [
      ['text', exposeText],
      ['protobuf', exposeProtobuf],
    ] as const) {
      const runs: { length: number; asked: number; made: number; cpu: number }[] = []
      for (let i = 0; i < ROUNDS; i++) {
        const beganMs = performance.now()
        const totals = await store.totals()
        const askedMs = performance.now()
        const cpu = process.threadCpuUsage()
        const { length } = expose(measuredFamilies(totals))
        const { user, system } = process.threadCpuUsage(cpu)
        const [asked, made] = [askedMs - beganMs, performance.now() - askedMs]
        runs.push({ length, asked, made, cpu: (user + system) / 1000 })
      }
      const middle = (of: 'length' | 'asked' | 'made' | 'cpu') =>
        runs.map((run) => run[of]).sort((a, b) => a - b)[ROUNDS / 2] ?? 0
      const times = [middle('asked'), middle('made'), middle('cpu')].map((ms) => ms.toFixed(1))
      say(`| ${[format, (middle('length') / 1024).toFixed(0), ...times].join(' | ')} |`)
    }
  } finally {
    await store.close()
  }
}

try {
  await findNodes()
  await addUp()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

// SPDX-License-Identifier: MIT
// `npm run bench -- metrics`: how long questions about measurements take, asked of a file as a large farm leaves it.
//   npm run bench -- metrics [--nodes 10000] [--rounds 20]     0: previews of alert rules only
// One node, and the sums of the farm, a group and two versions, have two days; all nodes have the last five hours in steps of
// 15 minutes, and a hundred of them a day. The farm and those nodes that previews of rules look at have a week and what burn
// rates look back from there. Each row is of what a busy node measured (recorded-report.json), its counts varied. There is no
// network and no ingest: the thread that answers is this process, but for previews, which are asked as the API asks.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seededRandom } from '../../src/base/seeded-random.ts'
import { inSlices } from '../../src/base/slices.ts'
import { evenly } from '../../src/features/alerts/preview.ts'
import { compareSets } from '../../src/metrics-store/compare.ts'
import {
  addGauges,
  addWindow,
  type Measured,
  nothingMeasured,
} from '../../src/metrics-store/measured.ts'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore } from '../../src/metrics-store/ring-store.ts'
import { planQuery, RINGS, type Ring } from '../../src/metrics-store/rings.ts'
import {
  type AskedSet,
  queryHeatmap,
  querySets,
  type Wanted,
} from '../../src/metrics-store/sets.ts'
import { FARM, groupSum, versionSum } from '../../src/metrics-store/subjects.ts'
import { topOf } from '../../src/metrics-store/top.ts'
import type { StageName } from '../../src/metrics-store/windows.ts'
import { benchPreviews } from './previews.ts'
import { RECORDED, windowOf } from './recorded-report.ts'

const DAY = 86_400
const NOW = 1_800_000_000
/** Of which previews look at minutes, and at quarters of an hour: as many as 200,000 rows are of (src/features/alerts/preview.ts). */
const [NODES_BY_MINUTES, NODES_BY_QUARTERS] = [19, 297]
const STAGES = Object.keys(RECORDED.windows[0]?.series[0]?.stages ?? {}) as StageName[]
const WANTED: Wanted = {
  stages: STAGES,
  quantiles: [0.5, 0.9, 0.99],
  counters: ['requests', 'responses5xx', 'bytesSent'],
  gauges: ['readQueue'],
}
const [, MINUTE, QUARTER] = RINGS as [Ring, Ring, Ring]

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '20' },
  },
})
const nodes = Number(values.nodes)
const rounds = Number(values.rounds)
const say = (line: string) => process.stdout.write(`${line}\n`)
const random = seededRandom(1)

/** As one of many would have it: each bucket a little more or less. */
function varied(): Measured {
  const window = windowOf(1, 1)
  for (const { stages } of window.series) {
    for (const histogram of Object.values(stages)) {
      histogram.counts = histogram.counts.map((n) => Math.round(n * (0.5 + random())))
      histogram.count = histogram.counts.reduce((sum, n) => sum + n, histogram.zeroCount)
    }
  }
  const measured = nothingMeasured()
  addWindow(measured, { ...window, endedAtMs: 0 })
  addGauges(measured, RECORDED.gauges)
  return measured
}

const SOME = Array.from({ length: 100 }, varied)
const any = () => SOME[Math.floor(random() * SOME.length)] ?? varied()

const dir = mkdtempSync(join(tmpdir(), 'farmstead-bench-metrics-'))
const path = join(dir, 'metrics.db')
const db = openMetricsDb(path)
const rings = createRingStore(db)
const idOf = (i: number) => `node_${String(i).padStart(26, '0')}`

function fill(subject: number, ring: Ring, seconds: number): void {
  const { resolutionSeconds } = ring
  for (let step = NOW - seconds; step < NOW; step += resolutionSeconds) {
    rings.steps.write(subject, ring, step, any())
  }
}

function fillAll(): void {
  const inOne = (work: () => void) => db.transaction(work)()
  const keys = Array.from({ length: nodes }, (_, i) => idOf(i))
  for (const some of inSlices(keys, 500)) {
    inOne(() => {
      for (const id of some) fill(rings.subjects.keyOfNode(id), QUARTER, 5 * 3_600)
    })
  }
  for (const [count, ring] of [
    [NODES_BY_MINUTES, MINUTE],
    [NODES_BY_QUARTERS, QUARTER],
  ] as const) {
    for (const id of evenly(keys, count)) {
      inOne(() => fill(rings.subjects.keyOfNode(id), ring, 7 * DAY))
    }
  }
  for (const id of keys.slice(0, 100)) {
    inOne(() => fill(rings.subjects.keyOfNode(id), QUARTER, DAY))
  }
  const whole = [FARM, groupSum('web'), versionSum('site', 7), versionSum('site', 8)]
  for (const subject of [
    rings.subjects.keyOfNode(idOf(0)),
    ...whole.map((name) => rings.subjects.keyOfSum(name)),
  ]) {
    inOne(() => {
      for (const ring of [MINUTE, QUARTER]) fill(subject, ring, 2 * DAY)
    })
  }
  inOne(() => {
    const farm = rings.subjects.keyOfSum(FARM)
    fill(farm, MINUTE, 7 * DAY)
    fill(farm, QUARTER, 11 * DAY)
  })
  for (const { resolutionSeconds } of RINGS) {
    db.prepare('replace into progress values (?, ?)').run(resolutionSeconds, NOW)
  }
  rings.rollUp.readAgain()
}

const all = (...ids: string[]): AskedSet => ids.map((id) => ({ id, generation: null }))
const plan = (seconds: number, endsAgo = 0) =>
  planQuery({ fromSeconds: NOW - endsAgo - seconds, toSeconds: NOW - endsAgo }, null, NOW)

const hundred = all(...Array.from({ length: 100 }, (_, i) => idOf(i)))
const everyone = all(...Array.from({ length: nodes }, (_, i) => idOf(i)))
const compared = { stages: STAGES, quantiles: [0.5, 0.99] }
const QUESTIONS: Record<string, () => Generator<void, unknown>> = {
  'a day of one node': () =>
    querySets(rings, { ...plan(DAY), sets: [all(idOf(0))], wanted: WANTED }),
  'a day of the farm': () => querySets(rings, { ...plan(DAY), sets: [all(FARM)], wanted: WANTED }),
  'a day of the farm, heatmap': () =>
    queryHeatmap(rings, { ...plan(DAY), set: all(FARM), stage: 'total' }),
  'two versions, a day': () =>
    compareSets(rings, {
      ...compared,
      a: { set: all(versionSum('site', 8)), plan: plan(DAY) },
      b: { set: all(versionSum('site', 7)), plan: plan(DAY) },
    }),
  'the farm today and yesterday': () =>
    compareSets(rings, {
      ...compared,
      a: { set: all(FARM), plan: plan(DAY) },
      b: { set: all(FARM), plan: plan(DAY, DAY) },
    }),
  'a day of 100 nodes by label': () =>
    querySets(rings, {
      ...planQuery({ fromSeconds: NOW - DAY, toSeconds: NOW }, 900, NOW),
      sets: [hundred],
      wanted: WANTED,
    }),
  'the slowest nodes of an hour': () =>
    topOf(rings, {
      ...planQuery({ fromSeconds: NOW - 3_600, toSeconds: NOW }, 900, NOW),
      set: everyone,
      by: { kind: 'quantile', stage: 'total', q: 0.99 },
      limit: 20,
    }),
}

/** All of it, and the longest part: so long the thread takes no reports. */
function ask(question: () => Generator<void, unknown>) {
  const begun = performance.now()
  const parts = question()
  let longest = 0
  for (;;) {
    const before = performance.now()
    const { done } = parts.next()
    longest = Math.max(longest, performance.now() - before)
    if (done) return { wholeMs: performance.now() - begun, longest }
  }
}

const at = (sorted: readonly number[], q: number) =>
  (sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN).toFixed(1)

try {
  fillAll()
  say(`${nodes} nodes, ${(statSync(path).size / 2 ** 20).toFixed(0)} MiB, ${rounds} times each`)
  say('| question | median ms | 95th percentile ms | longest part ms |\n|---|---|---|---|')
  for (const [name, question] of rounds > 0 ? Object.entries(QUESTIONS) : []) {
    const times = Array.from({ length: rounds }, () => ask(question))
    const whole = times.map(({ wholeMs }) => wholeMs).sort((a, b) => a - b)
    const longest = Math.max(...times.map((one) => one.longest))
    say(`| ${name} | ${at(whole, 0.5)} | ${at(whole, 0.95)} | ${longest.toFixed(1)} |`)
  }
  const ids = Array.from({ length: nodes }, (_, i) => idOf(i))
  await benchPreviews({ dataDir: dir, nowSeconds: NOW, ids }, say)
} finally {
  db.close()
  rmSync(dir, { recursive: true, force: true })
}

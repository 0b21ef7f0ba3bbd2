// SPDX-License-Identifier: MIT
// `npm run bench -- reports`: the memory that the reports of a farm take in the service for as long as they are kept
// (two minutes), and how long it takes to keep them and to ask whose they are.
//   npm run bench -- reports [--sizes 1000,10000]
// Reports are made up, in the size of a busy node's: a window of five seconds, seven stages of sixty buckets. The
// board is the service's own; there is no network and no disk. Every size in a process of its own would be fairer:
// give one size at a time for figures to quote.

import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLatencyBoard } from '../../src/metrics-store/latency-board.ts'
import { placeWindows, type Report } from '../../src/metrics-store/windows.ts'

const STAGES = ['firstByte', 'total', 'readWait', 'handshake', 'parse', 'open', 'send']
const COUNTERS = 24
const BUCKETS = 60
const EVERY_MS = 10_000
const WINDOW_MS = 5_000
const MINUTES = 3
const T0 = 1_800_000_000_000

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** As it comes from a node; of another text for each, so that nothing of them is shared. */
function reportText(node: number, seq: number): string {
  const counts = Array.from({ length: BUCKETS }, (_, k) => (node + seq * 7 + k * 13) % 300)
  const count = counts.reduce((sum, n) => sum + n, 0)
  const histogram = {
    ...{ count, zeroCount: 0, sumSeconds: count / 1000, maxSeconds: 1.5 },
    ...{ offset: -80, counts },
  }
  const stages = Object.fromEntries(STAGES.map((stage) => [stage, histogram]))
  const counters = Object.fromEntries(
    Array.from({ length: COUNTERS }, (_, i) => [i === 0 ? 'requests' : `counter${i}`, count + i]),
  )
  const series = [{ generation: 1, counters, stages }]
  const windows = [seq, seq + 1].map((one) => ({
    ...{ seq: one, startedMs: (one - 1) * WINDOW_MS, durationMs: WINDOW_MS, series },
  }))
  const uptimeMs = (seq + 1) * WINDOW_MS
  return JSON.stringify({ bootId: 'boot', uptimeMs, windows } satisfies Report)
}

function measure(nodes: number, say: (line: string) => void): void {
  const ids = Array.from({ length: nodes }, (_, i) => `node_${String(i).padStart(26, '0')}`)
  const board = createLatencyBoard()
  const row = (what: string, cpuMs: number | null) => {
    const rss = process.memoryUsage.rss()
    collect()
    const { heapUsed, external } = process.memoryUsage()
    const cells = [rss, heapUsed, external].map((bytes) => (bytes / 2 ** 20).toFixed(0))
    say(`| ${[nodes, what, ...cells, cpuMs === null ? '' : cpuMs.toFixed(0)].join(' | ')} |`)
  }
  row('before any report', null)
  for (let round = 0; round < (MINUTES * 60_000) / EVERY_MS; round++) {
    const nowMs = T0 + round * EVERY_MS
    let cpuMs = 0
    for (const [node, id] of ids.entries()) {
      const report: Report = JSON.parse(reportText(node, round * 2 + 1))
      const windows = placeWindows(report, nowMs)
      cpuMs += timeOf(() => board.add(id, windows, nowMs))
    }
    if (round % 6 === 5) row(`minute ${(round + 1) / 6}: reports of ten seconds added`, cpuMs)
  }
  const nowMs = T0 + MINUTES * 60_000 - EVERY_MS
  row(
    'summaries of all',
    timeOf(() => {
      for (const id of ids) board.summary(id, 60, nowMs)
    }),
  )
  row(
    'whether each was heard of',
    timeOf(() => {
      for (const id of ids) board.isHeard(id, 60, nowMs)
    }),
  )
}

function timeOf(work: () => void): number {
  const from = performance.now()
  work()
  return performance.now() - from
}

const { values } = parseArgs({ options: { sizes: { type: 'string', default: '1000,10000' } } })
const say = (line: string) => process.stdout.write(`${line}\n`)
say('| nodes | what | resident MiB | heap MiB | external MiB | ms |\n|---|---|---|---|---|---|')
for (const nodes of values.sizes.split(',').map(Number)) measure(nodes, say)

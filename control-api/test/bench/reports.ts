// SPDX-License-Identifier: MIT
// `npm run bench -- reports`: the memory that the reports of a farm take in the service for as long as they are kept
// (two minutes), and how long it takes to keep them and to ask whose they are.
//   npm run bench -- reports [--sizes 1000,10000]
// Each report is one that a busy node sent (recorded-report.json): a window of five seconds, eight stages. The board is the service's own; there is no network. Then what keeping them on the disk costs. Every size in a process of its own would be fairer:
// give one size at a time for figures to quote.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { inSlices } from '../../src/base/slices.ts'
import { createLatencyBoard } from '../../src/metrics-store/latency-board.ts'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore, type Take } from '../../src/metrics-store/ring-store.ts'
import { placeWindows } from '../../src/metrics-store/windows.ts'
import { RECORDED, REPORT_EVERY_MS, windowOf } from './recorded-report.ts'

const MINUTES = 3
/** Seventeen minutes: each ring has something. */
const KEPT_ROUNDS = 204
const T0 = 1_800_000_000_000

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

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
  for (let round = 0; round < (MINUTES * 60_000) / REPORT_EVERY_MS; round++) {
    const nowMs = T0 + round * REPORT_EVERY_MS
    const report = { ...RECORDED, uptimeMs: (round + 1) * REPORT_EVERY_MS }
    let cpuMs = 0
    for (const id of ids) {
      const windows = placeWindows({ ...report, windows: [windowOf(round + 1, 1)] }, nowMs)
      cpuMs += timeOf(() => board.add(id, windows, nowMs))
    }
    if (round % 12 === 11) row(`minute ${(round + 1) / 12}: reports of five seconds added`, cpuMs)
  }
  const nowMs = T0 + MINUTES * 60_000 - REPORT_EVERY_MS
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

/** What the worker thread does with them in a quarter of an hour and a bit: takes them, and rolls them up when steps are over. */
function measureKeeping(nodes: number, say: (line: string) => void): void {
  const dir = mkdtempSync(join(tmpdir(), 'farmstead-bench-reports-'))
  const path = join(dir, 'metrics.db')
  const db = openMetricsDb(path)
  const rings = createRingStore(db)
  const takesOf = (round: number): Take[] => {
    const nowMs = T0 + round * REPORT_EVERY_MS
    const report = { ...RECORDED, uptimeMs: (round + 1) * REPORT_EVERY_MS }
    return Array.from({ length: nodes }, (_, i) => ({
      ...{ nodeId: `node_${String(i).padStart(26, '0')}`, bootId: RECORDED.bootId, nowMs },
      gauges: RECORDED.gauges,
      windows: placeWindows({ ...report, windows: [windowOf(round + 1, 1)] }, nowMs),
    }))
  }
  try {
    const spent = { takenMs: 0, rolledUpMs: 0 }
    const before = writtenBytes()
    for (let round = 0; round < KEPT_ROUNDS; round++) {
      const takes = takesOf(round)
      const takeAll = () => {
        for (const some of inSlices(takes, 100)) rings.takeAll(some)
      }
      spent.takenMs += timeOf(takeAll)
      spent.rolledUpMs += timeOf(() => {
        while (rings.rollUp.some(T0 + round * REPORT_EVERY_MS));
      })
    }
    const reports = nodes * KEPT_ROUNDS
    const each = (ms: number) => `${(ms / reports).toFixed(3)} ms of the processor`
    const kib = (bytes: number) => `${(bytes / 1024 / reports).toFixed(1)} KiB`
    say(
      `each report of ${nodes} nodes: taken in ${each(spent.takenMs)}, rolled up in ${each(spent.rolledUpMs)}; ` +
        `${kib(writtenBytes() - before)} written to the disk, ${kib(statSync(path).size)} of the file`,
    )
  } finally {
    db.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** By this process so far: what the kernel gave to a disk. */
const writtenBytes = (): number =>
  Number(/write_bytes: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

/** Of the processor. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const { values } = parseArgs({ options: { sizes: { type: 'string', default: '1000,10000' } } })
const say = (line: string) => process.stdout.write(`${line}\n`)
say('| nodes | what | resident MiB | heap MiB | external MiB | CPU ms |\n|---|---|---|---|---|---|')
for (const nodes of values.sizes.split(',').map(Number)) measure(nodes, say)
measureKeeping(500, say)

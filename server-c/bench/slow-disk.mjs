// SPDX-License-Identifier: MIT
// Hot requests beside cold ones on a slow disk: who is made to wait for a disk that it does not need?
//
//   node server-c/bench/slow-disk.mjs [reads] [lookups] [--servers a,b] [--seconds S] [--rounds N]
//                                     [--json FILE] [--keep FOLDER] [--folder FOLDER]
//
// reads: 64 connections on 1,500 cold files of 1 MB, the disk held to 40 MB/s. lookups: 64 connections
// ask for the head of one in 200,000 files after the other, the disk held to 200 reads a second. Both
// beside 16 connections on one hot file of 4 KB, and both against the same hot load with an idle disk.
// --keep: where the disks' images are kept for the next time. --folder: the files lie in this folder of
// a real disk instead, and the caches of the whole machine are dropped (reads only: look-ups there
// are not held back).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Problem } from '../../scripts/setup/problem.mjs'
import { runMain } from '../../scripts/setup/run-main.mjs'
import { HOT_PATH, openDisk, plainRate, Throttle, whyNot } from './slow-disk-disk.mjs'
import { servers, startServer } from './slow-disk-servers.mjs'

const HOT_CONNECTIONS = 16
const COLD_CONNECTIONS = 64
const IDLE_SECONDS = 3 // before and after
const SETTLE_TICKS = 10 // of 100 ms: the throttle lets a little through at once at first
const PLAIN_FILES = 120
const SERVER_CORE = 0
const LOAD_CORE = 1
const MIB = 2 ** 20

const pad = (number, digits) => String(number).padStart(digits, '0')

/** The disks, what is asked of them, and how they are held back. */
export const loads = {
  reads: {
    tree: {
      name: 'reads',
      bytes: MIB,
      paths: Array.from({ length: 1500 }, (_, i) => `/cold/${pad(i, 4)}.bin`),
    },
    limits: { bytes: 40 * MIB },
    method: 'GET',
  },
  lookups: {
    tree: {
      name: 'lookups',
      bytes: 4096,
      isSparse: true,
      paths: Array.from(
        { length: 200_000 },
        (_, i) => `/tree/${pad(Math.floor(i / 1000), 3)}/${pad(i, 6)}.bin`,
      ),
      mountOptions: 'noatime,inode_readahead_blks=0',
    },
    limits: { reads: 200 },
    method: 'HEAD',
  },
}

/** The same order each time (xorshift32, Fisher–Yates). */
function shuffled(items) {
  const result = [...items]
  let state = 20070318
  for (let i = result.length - 1; i > 0; i--) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    const j = (state >>> 0) % (i + 1)
    ;[result[i], result[j]] = [result[j], result[i]]
  }
  return result
}

/** The load's program, built into `folder`. */
export function buildLoad(folder) {
  const program = join(folder, 'slow_disk_load')
  const source = fileURLToPath(new URL('slow_disk_load.c', import.meta.url))
  const flags = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Werror']
  execFileSync(process.env.CC ?? 'cc', [...flags, '-o', program, source])
  return program
}

function runLoad(bench, port, seconds, coldConnections) {
  const args = [port, seconds, HOT_CONNECTIONS, HOT_PATH, coldConnections, bench.load.method]
  const output = execFileSync(
    'taskset',
    ['-c', LOAD_CORE, bench.program, ...args, bench.pathsFile].map(String),
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  )
  return JSON.parse(output)
}

const hotFigures = ({ hot, micros }) => ({
  requestsPerSecond: (hot.requests / micros) * 1e6,
  p50Millis: hot.p50Micros / 1000,
  p99Millis: hot.p99Micros / 1000,
  maxMillis: hot.maxMicros / 1000,
  errors: hot.errors,
})

const meanOf = (a, b) =>
  Object.fromEntries(Object.keys(a).map((key) => [key, (a[key] + b[key]) / 2]))

function coldFigures(result) {
  const { cold, bytesPerTick, unfinishedMaxMicros, micros } = result
  const bytes = bytesPerTick.slice(SETTLE_TICKS).reduce((sum, n) => sum + n, 0)
  const longest = Math.max(cold.maxMicros, unfinishedMaxMicros) / 1000
  return {
    bytesPerSecond: (bytes / (bytesPerTick.length - SETTLE_TICKS)) * 10,
    requestsPerSecond: (cold.requests / micros) * 1e6,
    medianMillis: cold.p50Micros / 1000,
    longestMillis: longest,
    longestToMedian: longest / (cold.p50Micros / 1000),
    errors: cold.errors,
  }
}

/** One server, started anew on a cold disk: beside an idle disk, a busy one, and an idle one again. */
export async function measure(bench, name, { node, atEnd } = {}) {
  const { disk, throttle } = bench
  if (isInterrupted) throw new Error('slow-disk: interrupted')
  disk.makeCold()
  const server = await startServer(name, {
    root: disk.root,
    wrap: throttle.wrap(SERVER_CORE),
    node,
  })
  try {
    const idle = runLoad(bench, server.port, IDLE_SECONDS, 0)
    throttle.hold()
    const before = throttle.used()
    const busy = runLoad(bench, server.port, bench.seconds, COLD_CONNECTIONS)
    const after = throttle.used()
    const seen = await atEnd?.()
    throttle.lift()
    const idleAfter = runLoad(bench, server.port, IDLE_SECONDS, 0)
    const hot = hotFigures(busy)
    const hotIdle = meanOf(hotFigures(idle), hotFigures(idleAfter))
    return {
      server: name,
      idle: hotIdle,
      hot: { ...hot, ofIdle: hot.requestsPerSecond / hotIdle.requestsPerSecond },
      cold: coldFigures(busy),
      disk: { bytes: after.bytes - before.bytes, reads: after.reads - before.reads },
      seen,
    }
  } finally {
    throttle.lift() // so that it can end
    await server.stop()
  }
}

/** Everything that a load needs, until close(). */
export function openBench(loadName, { seconds, keep, folder }) {
  const load = loads[loadName]
  const own = mkdtempSync(join(tmpdir(), 'farmstead-bench-'), { mode: 0o755 })
  const bench = { load, seconds, program: buildLoad(own), pathsFile: join(own, 'paths') }
  execFileSync('chmod', ['755', own])
  try {
    const place = folder ?? keep ?? own
    mkdirSync(place, { recursive: true })
    bench.disk = openDisk(place, load.tree, folder !== undefined)
    bench.throttle = new Throttle(bench.disk, load.limits)
  } catch (error) {
    bench.disk?.close()
    rmSync(own, { recursive: true, force: true })
    throw error
  }
  const order = shuffled(load.tree.paths)
  writeFileSync(bench.pathsFile, `${order.join('\n')}\n`)
  bench.order = order
  bench.close = () => {
    bench.throttle.close()
    bench.disk.close()
    rmSync(own, { recursive: true, force: true })
  }
  return bench
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]

/** The median of each figure over the rounds; of shares, too: what slows a round slows both sides. */
function medians(rounds) {
  if (typeof rounds[0] === 'number') return median(rounds)
  if (typeof rounds[0] !== 'object') return rounds[0]
  return Object.fromEntries(
    Object.keys(rounds[0]).map((key) => [key, medians(rounds.map((one) => one[key]))]),
  )
}

/** So that nothing is left behind: what is under way ends, and everything is put away. */
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    isInterrupted = true
  })

async function runRounds(bench, names, rounds) {
  const results = new Map(names.map((name) => [name, []]))
  const rates = []
  for (let round = 0; round < rounds; round++) {
    if (bench.load.limits.bytes) {
      bench.throttle.hold()
      rates.push(plainRate(bench.disk, bench.throttle, bench.order.slice(0, PLAIN_FILES)))
      bench.throttle.lift()
    }
    for (const name of names) results.get(name).push(await measure(bench, name))
  }
  return {
    diskBytesPerSecond: rates.length > 0 ? median(rates) : null,
    servers: [...results.values()].map(medians),
  }
}

/** {load: {diskBytesPerSecond, servers: [...]}}, of the named loads. */
export async function slowDisk({ names = Object.keys(loads), servers: list, rounds, ...options }) {
  const reason = whyNot()
  if (reason) throw new Error(`slow-disk: ${reason}`)
  const results = {}
  for (const name of names) {
    const bench = openBench(name, options)
    try {
      results[name] = await runRounds(bench, list, rounds)
    } finally {
      bench.close()
    }
  }
  return results
}

const fixed = (value, digits = 1) => value.toFixed(digits)
const share = (a, b) => `${fixed((100 * a) / b)} %`

function reportLoad(name, { diskBytesPerSecond, servers: rows }) {
  const isReads = diskBytesPerSecond !== null
  if (isReads) console.log(`\n${name}: a plain reader gets ${fixed(diskBytesPerSecond / 1e6)} MB/s`)
  else console.log(`\n${name}`)
  const best = Math.max(
    ...rows.filter((row) => row.server !== 'farmstead').map((row) => row.cold.requestsPerSecond),
  )
  console.table(
    rows.map(({ server, idle, hot, cold, disk }) => ({
      server,
      'idle req/s': Math.round(idle.requestsPerSecond),
      'hot req/s': Math.round(hot.requestsPerSecond),
      'of idle': share(hot.ofIdle, 1),
      'p50 ms': fixed(hot.p50Millis, 2),
      'p99 ms': fixed(hot.p99Millis, 2),
      'max ms': fixed(hot.maxMillis),
      ...(isReads
        ? {
            'cold MB/s': fixed(cold.bytesPerSecond / 1e6),
            'of the disk': share(cold.bytesPerSecond, diskBytesPerSecond),
          }
        : {
            'look-ups/s': fixed(cold.requestsPerSecond),
            'of the best peer': share(cold.requestsPerSecond, best),
          }),
      'median ms': Math.round(cold.medianMillis),
      'longest ms': Math.round(cold.longestMillis),
      ratio: fixed(cold.longestToMedian, 2),
      'disk MB': fixed(disk.bytes / 1e6),
      'disk reads': disk.reads,
      errors: idle.errors + hot.errors + cold.errors,
    })),
  )
}

function choose(what, words, known) {
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined)
    throw new Problem(`There is no ${what} "${unknown}": choose of ${known.join(', ')}.`)
}

function wholeNumber(name, values) {
  const number = Number(values[name])
  if (Number.isInteger(number) && number > 0 && number <= 3600) return number
  throw new Problem(`--${name} must be a whole number from 1 to 3600.`)
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      servers: { type: 'string', default: Object.keys(servers).join(',') },
      seconds: { type: 'string', default: '12' },
      rounds: { type: 'string', default: '1' },
      json: { type: 'string' },
      keep: { type: 'string' },
      folder: { type: 'string' },
    },
  })
  const asked = values.servers.split(',')
  choose('load', positionals, Object.keys(loads))
  choose('server', asked, Object.keys(servers))
  const results = await slowDisk({
    names: positionals.length > 0 ? positionals : values.folder ? ['reads'] : undefined,
    servers: asked,
    rounds: wholeNumber('rounds', values),
    seconds: wholeNumber('seconds', values),
    keep: values.keep,
    folder: values.folder,
  })
  const kernel = readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim()
  console.log(`${new Date().toISOString()}, Linux ${kernel}, ${cpus()[0].model}`)
  console.log(`server on core ${SERVER_CORE}, load on core ${LOAD_CORE}`)
  for (const [name, result] of Object.entries(results)) reportLoad(name, result)
  if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`)
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main)

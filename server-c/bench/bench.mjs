// SPDX-License-Identifier: MIT
// `npm run bench`: farmstead-node beside nginx, lighttpd, h2o, Apache and Caddy, and beside the floor.
//   npm run bench -- [LOAD …] [--servers A,B] [--rounds N] [--seconds S] [--json FILE] [--markdown]
//   npm run bench -- [LOAD …] --cpu-share 0.5    servers held to half a core, so that wrk is not what is waited for
//   npm run bench -- --list                      which loads and servers there are
//   npm run bench -- --prepare [LOAD …]          installs, builds and makes files, measures nothing
//   npm run bench -- --show FILE … [--markdown | --into PAGE]   the tables of earlier runs
//   npm run bench -- slow-disk [OPTION …]        see docs/slow-disks.md
//   npm run bench -- agent [OPTION …]            what the agent costs: see agent-cost.mjs
//   npm run bench -- load-tool [OPTION …]        what a request costs farmload, beside wrk: see load-tool.mjs
//   npm run bench -- api [OPTION …]              how fast the control plane answers: see control-api/test/bench/api.ts
//   npm run bench -- scale [OPTION …]            the rollout engine with 10,000 nodes: see control-api/test/bench/scale.ts
//   npm run bench -- requests [OPTION …]         for how long one request holds up all others: see control-api/test/bench/requests.ts
//   npm run bench -- lists [OPTION …]            what each page of each list costs: see control-api/test/bench/lists.ts
//   npm run bench -- console [OPTION …]          the console in Chromium over 10,000 nodes: see e2e/scale/run.ts
//   npm run bench -- farm [OPTION …]             what connected nodes cost the control plane, idle and through rollouts: see control-api/test/bench/farm.ts
//   npm run bench -- fleet [OPTION …]        the same with pushes, a restart and nodes that give trouble (npm run fleet): see control-api/test/bench/fleet.ts
//   npm run bench -- releases [OPTION …]         a release of files to 20 nodes, and back: see control-api/test/bench/releases.ts
//   npm run bench -- neighbours [OPTION …]       the same to 1,000 nodes that give it to each other, reckoned: see control-api/test/bench/neighbours.ts
//   npm run bench -- rollout [OPTION …]          a version to 1,000 nodes: see control-api/test/bench/rollout.ts
//   npm run bench -- metrics [OPTION …]          what 10,000 nodes report, and questions about it: see control-api/test/bench/metrics.ts
//   npm run bench -- reports [OPTION …]          what is kept in memory of reports: see control-api/test/bench/reports.ts
//   npm run bench -- mirrored [OPTION …]         measurements with PostgreSQL behind them: see control-api/test/bench/mirrored.ts
//   npm run bench -- scrape [OPTION …]           what a look of Prometheus costs: see control-api/test/bench/scrape.ts
//   npm run bench -- NAME --help                 what one of these measures, and its options
// docs/benchmarks.md says what each load and each column means.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setUp } from '../../scripts/setup/index.mjs'
import { Problem } from '../../scripts/setup/problem.mjs'
import { runMain } from '../../scripts/setup/run-main.mjs'
import { CpuShare } from './control-group.mjs'
import { loadNames, loads } from './loads.mjs'
import { describeMachine } from './machine.mjs'
import { prepare } from './prepare.mjs'
import { allowedCores } from './processes.mjs'
import { header, isHeld, loadReport, runReport, summary } from './report.mjs'
import { runLoad } from './rounds.mjs'
import { chooseServers } from './servers.mjs'
import { Site } from './site.mjs'

const say = (line) => process.stdout.write(`${line}\n`)

function readOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      servers: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      scale: { type: 'string', default: '1' },
      repeats: { type: 'string', default: '2' },
      'cpu-share': { type: 'string', default: '1' },
      json: { type: 'string' },
      markdown: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      prepare: { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
      into: { type: 'string' },
    },
  })
  const positive = (name, max) => {
    const number = Number(values[name])
    if (number > 0 && number <= max) return number
    throw new Problem(`--${name} must be a number above 0 and at most ${max}.`)
  }
  const repeats = Number(values.repeats)
  if (!Number.isInteger(repeats) || repeats < 0)
    throw new Problem('--repeats must be a whole number from 0 on.')
  return {
    ...values,
    servers: values.servers.split(',').filter(Boolean),
    rounds: Math.ceil(positive('rounds', 1000)),
    seconds: positive('seconds', 3600),
    scale: positive('scale', 1),
    repeats,
    cpuShare: positive('cpu-share', 1),
    words: positionals,
  }
}

/** "tls" and "h2" stand for all of their kind; null for any other word. */
const family = (word) =>
  /^(tls|h2)$/.test(word) ? loadNames.filter((name) => name.startsWith(word)) : null

function chooseLoads({ words, cpuShare }) {
  const named = words.flatMap((word) => family(word) ?? word)
  const unknown = named.find((word) => !loadNames.includes(word))
  if (unknown)
    throw new Problem(
      `There is no load "${unknown}": choose of ${loadNames.join(', ')}, ${Object.keys(others).join(', ')}.`,
    )
  const chosen = named.length ? loads.filter(({ name }) => named.includes(name)) : loads
  if (cpuShare === 1) return chosen
  const onOneCore = chosen.filter(({ loops }) => !loops)
  if (onOneCore.length) return onOneCore
  throw new Problem('--cpu-share is of one core: name a load that runs on one, not loops.')
}

/** Several runs as one: of a load that two have, the later one's. */
function joined(runs) {
  const byName = new Map(runs.flatMap(({ loads }) => loads).map((load) => [load.name, load]))
  const last = runs.at(-1)
  const counts = [...new Set(runs.map(({ options }) => options.rounds))].sort((a, b) => a - b)
  const options = { ...last.options, rounds: counts.join(' or ') }
  return { ...last, options, loads: loadNames.flatMap((name) => byName.get(name) ?? []) }
}

const BEGIN = '<!-- figures: npm run bench -- --show FILE … --into docs/benchmarks.md -->'
const END = '<!-- end of figures -->'

/** Puts the tables in the place of those that a page has. */
function putInto(page, tables) {
  const text = readFileSync(page, 'utf8')
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (from < 0 || to < from)
    throw new Problem(`${page} has no place for the figures: "${BEGIN}" and "${END}".`)
  writeFileSync(page, `${text.slice(0, from)}${BEGIN}\n\n${tables}\n\n${text.slice(to)}`)
}

function show(files, { markdown, into }) {
  if (files.length === 0) throw new Problem('--show needs the files that --json wrote.')
  const runs = files.map((file) => JSON.parse(readFileSync(file, 'utf8')))
  const held = runs.filter(({ options }) => isHeld(options))
  const free = runs.filter(({ options }) => !isHeld(options))
  const tables = [free, held]
    .filter(({ length }) => length > 0)
    .map((some) => runReport(joined(some), { markdown: markdown || Boolean(into) }))
    .join('\n\n')
  if (into) putInto(into, tables)
  else say(tables)
  return 0
}

function list() {
  for (const { name, title } of loads) say(`${name.padEnd(17)} ${title}`)
  say('slow-disk  hot files beside cold ones on a slow disk')
  say('agent    what the agent costs a node')
  say('load-tool what a request costs farmload, beside wrk')
  say('api      how fast the control plane answers, with a large database')
  say('rollout  how long a version takes to 1,000 nodes, and what nodes cost the control plane')
  say('releases how long files take to 20 nodes and back, and what a manifest of a million costs')
  say('neighbours the same to 1,000 nodes that give it to each other, reckoned')
  say('scale    how long the rollout engine holds up others, with 100, 1,000 and 10,000 nodes')
  say(
    'requests for how long one request, or the polls of all nodes, hold up others with 10,000 nodes',
  )
  say('reports  what the reports of 1,000 and 10,000 nodes take in memory')
  say('metrics  how long questions about the measurements of 10,000 nodes take')
  say('fleet    100 and 1,000 simulated nodes: a push, a restart, nodes that give trouble')
  say('mirrored  what it costs to keep measurements of 10,000 nodes in PostgreSQL')
  say('scrape   what Prometheus costs the control plane of 10,000 nodes')
  say('console  the console in Chromium over 10,000 nodes: how soon, how large, how old')
  return 0
}

const usesOurs = (servers) => servers.length === 0 || servers.includes('farmstead')
const usesPeers = (servers) =>
  servers.length === 0 ||
  servers.some((word) => !word.includes('=') && !/^(farmstead|floor)$/.test(word))

async function bench(options) {
  const chosen = chooseLoads(options)
  const packages = usesPeers(options.servers) ? 'bench' : null
  const programs = await prepare({ packages, builds: usesOurs(options.servers) })
  const servers = chooseServers(options.servers, programs)
  const site = new Site(join(programs.dir, 'site'))
  mkdirSync(site.root, { recursive: true })
  if (options.prepare) {
    for (const load of chosen) load.prepare(site, options.scale)
    return 0
  }
  const cores = allowedCores()
  const { rounds, seconds, repeats, scale, cpuShare } = options
  const run = {
    machine: describeMachine(servers, cores),
    options: { rounds, seconds, repeats, scale, cpuShare, startedAt: new Date().toISOString() },
    loads: [],
  }
  const how = { markdown: options.markdown, isHeld: isHeld(run.options) }
  say(`\n${header(run)}\n`)
  const dir = join(programs.dir, `run-${process.pid}`)
  mkdirSync(dir, { recursive: true })
  const share = cpuShare < 1 ? new CpuShare(cpuShare) : null
  const plan = { ...options, group: share?.group, cores, dir, site, programs, say }
  try {
    for (const load of chosen) {
      run.loads.push(await runLoad(load, servers, plan))
      say(`${loadReport(run.loads.at(-1), how)}\n`)
      if (options.json) writeFileSync(options.json, `${JSON.stringify(run, null, 2)}\n`)
    }
  } finally {
    share?.close()
    rmSync(dir, { recursive: true, force: true })
  }
  if (run.loads.length > 1) say(summary(run.loads, how))
  return 0
}

/** Programs of their own: other settings, other figures. */
const others = {
  'slow-disk': { file: './slow-disk.mjs', packages: 'bench' },
  agent: { file: './agent-cost.mjs', packages: null },
  'load-tool': { file: './load-tool.mjs', packages: 'bench' },
  api: { file: '../../control-api/test/bench/api.ts', packages: null },
  rollout: { file: '../../control-api/test/bench/rollout.ts', packages: null },
  releases: { file: '../../control-api/test/bench/releases.ts', packages: null },
  neighbours: { file: '../../control-api/test/bench/neighbours.ts', packages: null },
  scale: { file: '../../control-api/test/bench/scale.ts', packages: null },
  requests: { file: '../../control-api/test/bench/requests.ts', packages: null },
  farm: { file: '../../control-api/test/bench/farm.ts', packages: null },
  fleet: { file: '../../control-api/test/bench/fleet.ts', packages: null },
  lists: { file: '../../control-api/test/bench/lists.ts', packages: null },
  reports: { file: '../../control-api/test/bench/reports.ts', packages: null },
  metrics: { file: '../../control-api/test/bench/metrics.ts', packages: null },
  mirrored: { file: '../../control-api/test/bench/mirrored.ts', packages: null },
  scrape: { file: '../../control-api/test/bench/scrape.ts', packages: null },
  console: { file: '../../e2e/scale/run.ts', packages: null, setsUp: true },
}

/** What a program says of itself at its top. */
function help(file) {
  const [, ...lines] = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n')
  const end = lines.findIndex((line) => !line.startsWith('//'))
  say(
    lines
      .slice(0, end)
      .map((line) => line.replace(/^\/\/ ?/, ''))
      .join('\n'),
  )
  return 0
}

async function runOther({ file, packages, setsUp = false }, args) {
  if (setsUp) await setUp('test') // Chromium and the console
  const { node } = await prepare({ packages, builds: true })
  const program = fileURLToPath(new URL(file, import.meta.url))
  const env = { ...process.env, FARMSTEAD_NODE: node }
  const { status } = spawnSync(process.execPath, [program, ...args], { env, stdio: 'inherit' })
  return status ?? 1
}

runMain(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) return help(others[args[0] ?? '']?.file ?? './bench.mjs')
  if (Object.hasOwn(others, args[0] ?? '')) return runOther(others[args[0]], args.slice(1))
  const options = readOptions(args)
  if (options.list) return list()
  if (options.show) return show(options.words, options)
  return bench(options)
})

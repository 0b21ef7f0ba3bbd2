// SPDX-License-Identifier: MIT
// `npm run bench`: farmstead-node beside nginx, lighttpd, h2o and Apache, and beside the floor.
//   npm run bench -- [LOAD …] [--servers A,B] [--rounds N] [--seconds S] [--json FILE] [--markdown]
//   npm run bench -- --list                      which loads and servers there are
//   npm run bench -- --prepare [LOAD …]          installs, builds and makes files, measures nothing
//   npm run bench -- --show FILE … [--markdown]  the tables of earlier runs
//   npm run bench -- slow-disk [OPTION …]        see docs/slow-disks.md
// docs/benchmarks.md says what each load and each column means.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Problem } from '../../scripts/setup/problem.mjs'
import { runMain } from '../../scripts/setup/run-main.mjs'
import { loadNames, loads } from './loads.mjs'
import { describeMachine } from './machine.mjs'
import { prepare } from './prepare.mjs'
import { allowedCores } from './processes.mjs'
import { header, loadReport } from './report.mjs'
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
      json: { type: 'string' },
      markdown: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      prepare: { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
    },
  })
  const positive = (name, max) => {
    const number = Number(values[name])
    if (number > 0 && number <= max) return number
    throw new Problem(`--${name} must be a number above 0 and at most ${max}.`)
  }
  return {
    ...values,
    servers: values.servers.split(',').filter(Boolean),
    rounds: Math.ceil(positive('rounds', 1000)),
    seconds: positive('seconds', 3600),
    scale: positive('scale', 1),
    words: positionals,
  }
}

function chooseLoads(words) {
  const unknown = words.find((word) => !loadNames.includes(word))
  if (unknown)
    throw new Problem(
      `There is no load "${unknown}": choose of ${loadNames.join(', ')}, slow-disk.`,
    )
  return words.length ? loads.filter(({ name }) => words.includes(name)) : loads
}

function show(files, markdown) {
  for (const file of files) {
    const run = JSON.parse(readFileSync(file, 'utf8'))
    say(`${header(run)}\n`)
    for (const load of run.loads) say(`${loadReport(load, { markdown })}\n`)
  }
  return 0
}

function list() {
  for (const { name, title } of loads) say(`${name.padEnd(8)} ${title}`)
  say('slow-disk  hot files beside cold ones on a slow disk')
  return 0
}

const usesOurs = (servers) => servers.length === 0 || servers.includes('farmstead')
const usesPeers = (servers) =>
  servers.length === 0 ||
  servers.some((word) => !word.includes('=') && !/^(farmstead|floor)$/.test(word))

async function bench(options) {
  const chosen = chooseLoads(options.words)
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
  const { rounds, seconds, scale } = options
  const run = {
    machine: describeMachine(servers, cores),
    options: { rounds, seconds, scale, startedAt: new Date().toISOString() },
    loads: [],
  }
  say(`\n${header(run)}\n`)
  const dir = join(programs.dir, `run-${process.pid}`)
  const plan = { rounds, seconds, scale, cores, dir, site, holder: programs.holder, say }
  try {
    for (const load of chosen) {
      run.loads.push(await runLoad(load, servers, plan))
      say(`${loadReport(run.loads.at(-1), options)}\n`)
      if (options.json) writeFileSync(options.json, `${JSON.stringify(run, null, 2)}\n`)
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  return 0
}

async function slowDisk(args) {
  const module = new URL('./slow-disk.mjs', import.meta.url)
  if (!existsSync(module)) throw new Problem('There is no load "slow-disk" in this checkout.')
  const { main } = await import(module.href)
  return main(args)
}

runMain(async () => {
  const args = process.argv.slice(2)
  if (args[0] === 'slow-disk') return slowDisk(args.slice(1))
  const options = readOptions(args)
  if (options.list) return list()
  if (options.show) return show(options.words, options.markdown)
  return bench(options)
})

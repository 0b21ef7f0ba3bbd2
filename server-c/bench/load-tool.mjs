// SPDX-License-Identifier: MIT
// What a request costs farmload, beside wrk: 4 KB over kept connections, in turn, each on a core of its own.
//
//   npm run bench -- load-tool [--rounds N] [--seconds S] [--clients N] [--json FILE]
//
// The server is one loop of ours on the first core, and either tool runs on the second. Requests per second say how fast the
// slower of the two is; the tool's own processor time says how many it could ask for if nobody made it wait.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { Problem } from '../../scripts/setup/problem.mjs'
import { runMain } from '../../scripts/setup/run-main.mjs'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { fetchOnce } from './fetch.mjs'
import { median } from './figures.mjs'
import { benchFolder } from './prepare.mjs'
import { allowedCores, giveAway, startPinned, stop } from './processes.mjs'

const BODY_BYTES = 4096
const DESCRIPTORS = 4096
const READY_TRIES = 500
const nodeBinary = process.env.FARMSTEAD_NODE ?? ''
const farmload = join(dirname(nodeBinary), 'farmload')

/** Its output, and the seconds of a processor that it took. */
async function timed(core, command, input) {
  const words = ['TIMEFORMAT="took %U %S"; time "$@"', 'bash', 'taskset', '-c', `${core}`]
  const child = spawn('bash', ['-c', ...words, ...command], { stdio: 'pipe' })
  child.stdin.end(input)
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const [[code], [stdout, stderr]] = await Promise.all([once(child, 'close'), said])
  const [, user, system] = /^took (\S+) (\S+)$/m.exec(stderr) ?? []
  if (code !== 0 || !system) throw new Problem(`${command[0]} ended with ${code}: ${stderr}`)
  return { stdout, seconds: Number(user) + Number(system) }
}

async function askWithWrk({ core, port, clients, seconds }) {
  const how = ['-t', '1', '-c', `${clients}`, '-d', `${seconds}s`]
  const took = await timed(core, ['wrk', ...how, `http://127.0.0.1:${port}/page.html`], '')
  const [, requests, elapsed] = /(\d+) requests in ([\d.]+)s/.exec(took.stdout) ?? []
  return { requests: Number(requests), elapsed: Number(elapsed), processor: took.seconds }
}

async function askWithFarmload({ core, port, clients, seconds }) {
  const targets = [{ name: 'localhost', address: '127.0.0.1', port }]
  const urls = [{ target: 0, path: '/page.html', bytes: BODY_BYTES }]
  const plan = { mode: 'closed', clients, seconds, targets, urls }
  const took = await timed(core, [farmload], `${JSON.stringify(plan)}\n`)
  const { requests, good, elapsedSeconds } = JSON.parse(took.stdout)
  if (good !== requests) throw new Problem(`${requests - good} of ${requests} answers were wrong.`)
  return { requests, elapsed: elapsedSeconds, processor: took.seconds }
}

const TOOLS = { wrk: askWithWrk, farmload: askWithFarmload }

async function startServer(dir, core) {
  const port = await freePort()
  writeFileSync(join(dir, 'page.html'), Buffer.alloc(BODY_BYTES, 'farm'))
  const config = join(dir, 'config.json')
  const site = { hosts: ['*'], root: dir }
  const listen = [{ address: '127.0.0.1', port }]
  writeFileSync(config, JSON.stringify({ listen, workers: 1, sites: [site] }))
  const command = [nodeBinary, 'serve', '--config', config]
  const log = join(dir, 'output.log')
  const child = startPinned(command, { cores: [core], descriptors: DESCRIPTORS, log, cwd: dir })
  for (let i = 0; i < READY_TRIES; i++) {
    const answer = await fetchOnce(port, '/page.html', {}, 'http').catch(() => null)
    if (answer?.status === 200) return { child, port }
    await new Promise((done) => setTimeout(done, 20))
  }
  await stop(child)
  throw new Problem(`The server does not answer: see ${log}.`)
}

async function measure({ rounds, seconds, clients }) {
  const [serverCore, core] = allowedCores()
  if (core === undefined) throw new Problem('Two cores are needed: one of them is the tool’s.')
  const dir = mkdtempSync(join(benchFolder(), 'load-tool-'))
  giveAway(dir)
  const runs = { wrk: [], farmload: [] }
  try {
    const { child, port } = await startServer(dir, serverCore)
    try {
      for (let round = 0; round < rounds; round++)
        for (const [name, askWith] of Object.entries(TOOLS))
          runs[name].push(await askWith({ core, port, clients, seconds }))
    } finally {
      await stop(child)
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  return runs
}

const costOf = (runs) => median(runs.map(({ processor, requests }) => (processor * 1e6) / requests))
const rateOf = (runs) => median(runs.map(({ requests, elapsed }) => requests / elapsed))

function print(runs) {
  const say = (...cells) =>
    process.stdout.write(`${cells.map((one, i) => one.padEnd(i === 0 ? 10 : 26)).join('')}\n`)
  say('', 'requests/s', 'µs of a core a request', 'a core has time for, /s')
  for (const [name, some] of Object.entries(runs)) {
    const cost = costOf(some)
    say(name, rateOf(some).toFixed(0), cost.toFixed(2), (1e6 / cost).toFixed(0))
  }
  say('farmload ÷ wrk', '', (costOf(runs.farmload) / costOf(runs.wrk)).toFixed(2))
}

runMain(async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      clients: { type: 'string', default: '50' },
      json: { type: 'string' },
    },
  })
  const whole = (name) => {
    const number = Number(values[name])
    if (Number.isInteger(number) && number > 0 && number <= 3600) return number
    throw new Problem(`--${name} must be a whole number from 1 to 3600.`)
  }
  const wishes = { rounds: whole('rounds'), seconds: whole('seconds'), clients: whole('clients') }
  const runs = await measure(wishes)
  print(runs)
  if (values.json) writeFileSync(values.json, `${JSON.stringify(runs, null, 2)}\n`)
  return 0
})

// SPDX-License-Identifier: MIT
// What the agent costs a node: memory and processor time of `run` beside `serve` with the same config.
//
//   npm run bench -- agent [--seconds S] [--report-every MS] [--requests N] [--json FILE]
//
// Both nodes answer the same N requests a second meanwhile, so that each window has measurements in
// it. The control plane is the tests': TLS, a long poll always under way, a report each 5 s. Memory is
// read at the end: resident, and proportional (pages that processes share are counted once). Processor
// time is what the kernel counted for the agent's own threads, of one core.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Problem } from '../../scripts/setup/problem.mjs'
import { runMain } from '../../scripts/setup/run-main.mjs'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { AgentNode, nodeBinary } from '../test/support/agent-node.mjs'
import { FakeControlPlane } from '../test/support/fake-control-plane.mjs'

const SETTLE_MS = 2000 // and two reports
const MEGABYTE = 1_000_000

const say = (line) => process.stdout.write(`${line}\n`)

/** Bytes of a line such as "Pss:   1234 kB". */
export function bytesOf(text, name) {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)
  if (!match) throw new Problem(`The kernel does not say ${name}.`)
  return Number(match[1]) * 1024
}

/** Nanoseconds on a processor: the first number of schedstat. */
export const nanosecondsOf = (schedstat) => Number(schedstat.split(' ')[0])

function memoryOf(pid) {
  const resident = bytesOf(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS')
  const proportional = bytesOf(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss')
  return { resident, proportional }
}

/** Nanoseconds by the name of the thread; threads of one name together. */
function processorOf(pid) {
  const times = {}
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    const name = readFileSync(`${folder}/comm`, 'utf8').trim()
    const ran = nanosecondsOf(readFileSync(`${folder}/schedstat`, 'utf8'))
    times[name] = (times[name] ?? 0) + ran
  }
  return times
}

/** Keeps asking, evenly, until `signal` says so. */
async function ask(port, perSecond, signal) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const began = performance.now()
  for (let i = 0; !signal.aborted; i++) {
    get({ port, agent, path: '/' }, (answer) => answer.resume()).on('error', () => {})
    await sleep(Math.max(0, began + ((i + 1) * 1000) / perSecond - performance.now()))
  }
  agent.destroy()
}

async function serveAlone(node, config) {
  const path = join(node.dir, 'config.json')
  writeFileSync(path, JSON.stringify(config))
  const child = spawn(nodeBinary, ['serve', '--config', path], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  return {
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function untilAnswers(port) {
  for (let i = 0; i < 500; i++) {
    const answered = await new Promise((resolve) =>
      get({ port, path: '/' }, (answer) => {
        answer.resume()
        resolve(true)
      }).on('error', () => resolve(false)),
    )
    if (answered) return
    await sleep(20)
  }
  throw new Problem(`Nobody answers on port ${port}.`)
}

export async function measure(options) {
  const control = await new FakeControlPlane().start()
  control.reportEveryMs = options.reportEvery
  control.desiredWaitMs = 25_000
  const node = await AgentNode.join(control)
  const alonePort = await freePort()
  const config = node.config('v1', { workers: 2 })
  control.assign(config)
  node.start()
  const alone = await serveAlone(node, {
    ...config,
    listen: [{ address: '127.0.0.1', port: alonePort }],
  })
  const stop = new AbortController()
  try {
    await untilAnswers(node.port)
    await untilAnswers(alonePort)
    for (const port of [node.port, alonePort]) ask(port, options.requests, stop.signal)
    await sleep(SETTLE_MS + 2 * options.reportEvery)
    const [pid, parent] = [node.servingPid, node.pid]
    const reports = control.of('report').length
    const before = [processorOf(pid), processorOf(parent)]
    const began = performance.now()
    await sleep(options.seconds * 1000)
    const after = [processorOf(pid), processorOf(parent)]
    const elapsedNs = (performance.now() - began) * 1e6
    const share = (i, name) => ((after[i][name] ?? 0) - (before[i][name] ?? 0)) / elapsedNs
    return {
      seconds: options.seconds,
      reports: control.of('report').length - reports,
      serve: memoryOf(alone.pid),
      run: memoryOf(pid),
      parent: memoryOf(parent),
      processor: {
        agent: share(0, 'agent'),
        disks: share(0, 'disks'),
        parent: Object.keys(after[1]).reduce((sum, name) => sum + share(1, name), 0),
      },
    }
  } finally {
    stop.abort()
    await alone.stop()
    await node.dispose()
    await control.stop()
  }
}

const megabytes = (bytes) => `${(bytes / MEGABYTE).toFixed(2)} MB`
const percent = (share) => `${(share * 100).toFixed(3)} % of a core`

function print({ seconds, reports, serve, run, parent, processor }) {
  const row = (name, one) =>
    say(
      `${name.padEnd(30)} ${megabytes(one.resident).padStart(10)} ${megabytes(one.proportional).padStart(14)}`,
    )
  say(`${''.padEnd(30)} ${'resident'.padStart(10)} ${'proportional'.padStart(14)}`)
  row('serve', serve)
  row('run, the process that serves', run)
  row('run, its parent', parent)
  row('the agent adds', {
    resident: run.resident - serve.resident,
    proportional: run.proportional - serve.proportional,
  })
  say(`\n${reports} reports in ${seconds} s:`)
  for (const [name, share] of Object.entries(processor)) say(`${name.padEnd(8)} ${percent(share)}`)
}

function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '60' },
      'report-every': { type: 'string', default: '5000' },
      requests: { type: 'string', default: '100' },
      json: { type: 'string' },
    },
  })
  const positive = (name) => {
    const number = Number(values[name])
    if (number > 0) return number
    throw new Problem(`--${name} must be a number above 0.`)
  }
  return {
    seconds: positive('seconds'),
    reportEvery: positive('report-every'),
    requests: positive('requests'),
    json: values.json,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  runMain(async () => {
    const options = readOptions(process.argv.slice(2))
    const result = await measure(options)
    print(result)
    if (options.json) writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`)
    return 0
  })
}

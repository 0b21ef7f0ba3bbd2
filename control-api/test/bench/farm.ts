// SPDX-License-Identifier: MIT
// `npm run bench -- farm`: what a farm of connected nodes costs the control plane's process: memory after the start,
// with all connected over mutual TLS, and after each of ten rollouts; processor time while nothing happens but that
// nodes report what a real busy one did (recorded-report.json).
//   npm run bench -- farm [--nodes N] [--rollouts N] [--seconds S] [--rest S] [--in DIR]
import { readdirSync, readFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Farm } from './connected-farm.ts'
import { cpuMsOf, residentBytesOf } from './process-cost.ts'

type Options = { nodes: number; rollouts: number; seconds: number; rest: number; in: string }
type Say = (line: string) => void

/** Of each thread by its name, in ms; threads of one name together. */
function threadsOf(pid: number): Map<string, number> {
  const spent = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const name = thread === String(pid) ? 'main' : (/\((.*)\)/.exec(stat)?.[1] ?? '')
    const fields = stat.split(') ').at(-1)?.split(' ') ?? []
    spent.set(name, (spent.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) * 10)
  }
  return spent
}

async function idle(farm: Farm, seconds: number, say: Say): Promise<void> {
  const told = await farm.telemetry()
  const before = { cpu: cpuMsOf(farm.pid), threads: threadsOf(farm.pid), count: await farm.count() }
  const fromMs = performance.now()
  await sleep(seconds * 1_000)
  const ms = performance.now() - fromMs
  const cores = (spent: number) => (spent / ms).toFixed(2)
  const count = await farm.count()
  const tells = await farm.telemetry()
  const more = (name: string) => tells(name) - told(name)
  const lagMs = (quantile: string) =>
    (tells(`farmstead_event_loop_lag_seconds{quantile="${quantile}"}`) * 1_000).toFixed(0)
  const threads = [...threadsOf(farm.pid)]
    .map(([name, spent]) => [name, spent - (before.threads.get(name) ?? 0)] as const)
    .filter(([, spent]) => spent / ms >= 0.005)
    .map(([name, spent]) => `${name} ${cores(spent)}`)
  const each = (now: number, then: number) => (((now - then) / ms) * 1_000).toFixed(0)
  say(
    `idle for ${seconds} s: ${cores(cpuMsOf(farm.pid) - before.cpu)} cores (${threads.join(', ')}); load ${loadavg()[0]?.toFixed(1)}`,
  )
  say(
    `loop late by ${lagMs('0.99')} ms for 99 % of ten seconds, ${lagMs('1')} ms at most; windows kept ${more('farmstead_report_windows_total{outcome="kept"}')}, ` +
      `reports refused ${more('farmstead_reports_total{outcome="refused"}')}, waited ${((more('farmstead_report_wait_seconds_sum') / more('farmstead_report_wait_seconds_count')) * 1_000).toFixed(0)} ms each, slowdown ${tells('farmstead_report_slowdown')}`,
  )
  say(
    `reports/s ${each(count.reports, before.count.reports)}, polls/s ${each(count.polls, before.count.polls)}, late ${count.late - before.count.late}, failed ${count.failed - before.count.failed} ${count.lastFailure}`,
  )
}

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0)

async function measure(options: Options, say: Say): Promise<void> {
  const { nodes, rollouts, seconds, rest } = options
  let emptyBytes = 0
  const farm = await Farm.start(nodes, options.in, (pid) => {
    emptyBytes = residentBytesOf(pid)
    say(`the service without nodes: ${mib(emptyBytes)} MiB resident`)
  })
  try {
    const bytes = residentBytesOf(farm.pid)
    const each = ((bytes - emptyBytes) / nodes / 1024).toFixed(0)
    say(`${nodes} nodes connected: ${mib(bytes)} MiB (${each} KiB each)`)
    await idle(farm, seconds, say)
    say(`then: ${mib(residentBytesOf(farm.pid))} MiB\n`)
    if (rollouts === 0) return
    say(
      '| rollout | ended | s | CPU ms per node | MiB at its end | MiB after a rest |\n|---|---|---|---|---|---|',
    )
    for (let i = 1; i <= rollouts; i++) {
      const before = { cpu: cpuMsOf(farm.pid), ms: performance.now() }
      const ended = await farm.rollOut()
      const took = ((performance.now() - before.ms) / 1_000).toFixed(0)
      const cost = ((cpuMsOf(farm.pid) - before.cpu) / nodes).toFixed(1)
      const atEnd = residentBytesOf(farm.pid)
      await sleep(rest * 1_000)
      say(`| ${[i, ended, took, cost, mib(atEnd), mib(residentBytesOf(farm.pid))].join(' | ')} |`)
    }
    await idle(farm, seconds, say)
  } finally {
    await farm.stop()
  }
}

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    rollouts: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '30' },
    rest: { type: 'string', default: '10' },
    in: { type: 'string', default: tmpdir() },
  },
})
const [nodes, rollouts, seconds, rest] = [
  values.nodes,
  values.rollouts,
  values.seconds,
  values.rest,
].map(Number)
await measure(
  {
    nodes: nodes ?? 0,
    rollouts: rollouts ?? 0,
    seconds: seconds ?? 0,
    rest: rest ?? 0,
    in: values.in,
  },
  (line) => process.stdout.write(`${line}\n`),
)

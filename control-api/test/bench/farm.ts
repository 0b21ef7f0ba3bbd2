// SPDX-License-Identifier: MIT
// `npm run bench -- farm`: what a farm of connected nodes costs the control plane's process: memory after the start,
// with all connected over mutual TLS, and after each of ten rollouts; processor time while nothing happens but that
// nodes report what a real busy one did (recorded-report.json).
//   npm run bench -- farm [--nodes N] [--rollouts N] [--seconds S] [--rest S] [--in DIR]
// The nodes are spoken for by processes of their own (many-agents.ts). Each keeps one connection, so the service needs
// a descriptor for each, and some hundreds of its own.
import { type ChildProcess, fork } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Assignment, insertAssignments, keepText } from '../../src/assignments/store.ts'
import { newId, sha256 } from '../../src/base/ids.ts'
import { openAuthority } from '../../src/ca/authority.ts'
import { digestOf } from '../../src/features/configs/text/digest.ts'
import { storeCertificate } from '../../src/node-identity/store/certificates.ts'
import { insertNode } from '../../src/node-identity/store/nodes.ts'
import { setAcknowledged, setEffective } from '../../src/node-identity/store/said.ts'
import { openServices } from '../../src/process/services.ts'
import { Session } from '../durability/session.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { CONFIG, furnishService } from './furnished-service.ts'
import type { Counted, FromAgents, Spoken, ToAgents } from './many-agents.ts'
import { cpuMsOf, residentBytesOf } from './process-cost.ts'
import { mustInTime, until } from './until.ts'

const NODE_BINARY = resolve(import.meta.dirname, '../../../server-c/build/release/farmstead-node')
const NODES_PER_PROCESS = 2_500
const PER_WRITE = 200
const CONNECTED_WITHIN_MS = 900_000
const ROLLED_OUT_WITHIN_MS = 1_800_000

type Options = { nodes: number; rollouts: number; seconds: number; rest: number; in: string }
type Say = (line: string) => void

/** Known to the control plane, with certificates and running `text`, as if they had joined long ago. All have the same key. */
async function makeNodes(dataDir: string, count: number, text: string) {
  const services = await openServices({ dataDir })
  const { write } = services
  const authority = await openAuthority({
    dataDir,
    now: Date.now,
    hasIssued: async () => false,
    onError: (error) => {
      throw error
    },
  })
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' })).export({
    type: 'spki',
    format: 'der',
  })
  const nodes: Spoken[] = []
  const digest = digestOf(JSON.parse(text))
  await write(({ trx }) => keepText(trx, { id: digest, text, certificates: [], releases: [] }))
  const firstOf = (nodeId: string): Assignment => ({
    ...{ node_id: nodeId, generation: 1, offer_id: newId('offer'), epoch: 1, rollout_id: null },
    ...{ config: CONFIG, version: 1, digest, config_digest: null, text_id: digest },
    ...{ group_name: 'default', state: 'confirmed', created_at_ms: 1, updated_at_ms: 1 },
    ...{ ack_ms: 1, apply_ms: 1, confirm_ms: 1 },
  })
  const facts = {
    enrolled_with: null,
    hostname: 'many',
    version: '0.1.0',
    os: 'linux',
    arch: 'x86_64',
  }
  try {
    while (nodes.length < count) {
      const some = Array.from({ length: Math.min(PER_WRITE, count - nodes.length) }, (_, i) => {
        const name = `many-${nodes.length + i}`
        return {
          id: newId('node'),
          name,
          key: { der, sha256: sha256(`${name} ${der.toString('hex')}`) },
        }
      })
      const made = await Promise.all(some.map(({ id, key }) => authority.issue(id, key)))
      await write(async ({ trx }) => {
        for (const [i, { id, name }] of some.entries()) {
          const certificate = made[i]
          if (!certificate) continue
          const given = { labels: '{}', merge_patch: '{}', forget_after_hours: null }
          const runs = { generation: 1, digest, bootId: '0'.repeat(32), reloads: 0 }
          await insertNode(trx, { id, name, ...given, enrolled_at_ms: Date.now(), ...facts })
          await storeCertificate(trx, { nodeId: id, made: certificate, nowMs: Date.now() })
          await setAcknowledged(trx, id, runs)
          await setEffective(trx, id, runs, Date.now())
          nodes.push({ id, name, certificate: certificate.certificatePem, runs })
        }
        await insertAssignments(
          trx,
          some.map(({ id }) => firstOf(id)),
        )
      })
      await setImmediate()
    }
    const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    return { nodes, key, ca: authority.bundle().pem }
  } finally {
    authority.close()
    await services.close()
  }
}

class Farm {
  readonly #home: string
  readonly #service: ServiceProcess
  readonly #session: Session
  readonly #agents: ChildProcess[]
  #versions = 1

  private constructor(
    home: string,
    service: ServiceProcess,
    session: Session,
    agents: ChildProcess[],
  ) {
    this.#home = home
    this.#service = service
    this.#session = session
    this.#agents = agents
  }

  static async start(
    count: number,
    within: string,
    onStarted: (pid: number) => void,
  ): Promise<Farm> {
    const { home, port, dataDir, text, env, password } = await furnishService({
      ...{ within, name: 'farmstead-bench-farm-', nodeBinary: NODE_BINARY },
      textOf: (home) => textOf(home, 1),
    })
    const { nodes, key, ca } = await makeNodes(dataDir, count, text)
    const service = await startService(env)
    const agents: ChildProcess[] = []
    try {
      const session = await Session.first(service.url, password, 'a long password of the bench')
      onStarted(service.child.pid ?? 0)
      for (let from = 0; from < nodes.length; from += NODES_PER_PROCESS) {
        const agent = fork(join(import.meta.dirname, 'many-agents.ts'), { execArgv: [] })
        agents.push(agent)
        const some = nodes.slice(from, from + NODES_PER_PROCESS)
        const told: ToAgents = {
          kind: 'connect',
          port,
          key,
          ca,
          nodes: some,
        }
        agent.send(told)
        await heard(agent, 'connected')
      }
      const farm = new Farm(home, service, session, agents)
      await until('all run the first version', { withinMs: CONNECTED_WITHIN_MS }, async () => {
        const { body } = await session.ask('GET', '/farm/summary')
        return JSON.stringify(body).includes(`"in-sync":${count}`)
      })
      return farm
    } catch (error) {
      for (const agent of agents) agent.kill('SIGTERM')
      service.child.kill('SIGTERM')
      throw error
    }
  }

  get pid(): number {
    return this.#service.child.pid ?? 0
  }

  /** Of all processes that speak for nodes. */
  async count(): Promise<Omit<Counted, 'kind'>> {
    const sum = { reports: 0, polls: 0, late: 0, failed: 0, lastFailure: '' }
    for (const agent of this.#agents) {
      agent.send({ kind: 'count' } satisfies ToAgents)
      const one = await heard(agent, 'counted')
      sum.reports += one.reports
      sum.polls += one.polls
      sum.late += one.late
      sum.failed += one.failed
      sum.lastFailure ||= one.lastFailure
    }
    return sum
  }

  /** Of the service's own /metrics, by name and labels as they stand there. */
  async telemetry(): Promise<(name: string) => number> {
    const lines = (await this.#session.read('/api/metrics')).split('\n')
    const values = new Map(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]))
    return (name) => values.get(name) ?? Number.NaN
  }

  /** A new version to all at once; resolves when it is over, with how it ended. */
  async rollOut(): Promise<string> {
    const text = textOf(this.#home, this.#versions + 1)
    const saved = { text, message: 'for the bench', parent: this.#versions }
    const made = await mustInTime(this.#session, 'POST', `/configs/${CONFIG}/versions`, saved)
    this.#versions = Number(made.body.number)
    const wish = { config: CONFIG, version: this.#versions, strategy: { atOnce: true } }
    const { id } = (await mustInTime(this.#session, 'POST', '/rollouts', wish)).body
    let ended = ''
    await until('the rollout ends', { withinMs: ROLLED_OUT_WITHIN_MS }, async () => {
      const { body } = await mustInTime(this.#session, 'GET', `/rollouts/${id}`)
      ended = `${body.state}${body.reason ? `: ${body.reason}` : ''}`
      return body.endedAt !== null || body.state === 'paused'
    })
    return ended
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents) agent.kill('SIGTERM')
    this.#service.child.kill('SIGTERM')
    await this.#service.ended
    rmSync(this.#home, { recursive: true, force: true })
  }
}

function heard<K extends FromAgents['kind']>(agent: ChildProcess, kind: K) {
  return new Promise<Extract<FromAgents, { kind: K }>>((resolve, reject) => {
    const over = (code: number | null) => reject(new Error(`the nodes' process ended with ${code}`))
    const take = (message: FromAgents) => {
      if (message.kind !== kind) return
      agent.off('message', take).off('exit', over)
      resolve(message as Extract<FromAgents, { kind: K }>)
    }
    agent.on('message', take).once('exit', over)
  })
}

const textOf = (home: string, version: number): string => {
  const headers = [{ action: 'set', name: 'X-Version', value: `v${version}` }]
  return JSON.stringify(
    { workers: 1, sites: [{ hosts: ['*'], root: join(home, 'site'), headers }] },
    null,
    1,
  )
}

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

// SPDX-License-Identifier: MIT
// The real service as a process of its own, and thousands of nodes connected to it over mutual TLS, which other processes
// speak for (many-agents.ts). Each keeps one connection, so the service needs a descriptor for each, and some hundreds of its own.
import { type ChildProcess, fork } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Session } from '../durability/session.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { CONFIG, furnishService } from './furnished-service.ts'
import { heard } from './heard.ts'
import { makeNodes } from './known-nodes.ts'
import type { Counted, ToAgents } from './many-agents.ts'
import { cpuMsOf, residentBytesOf } from './process-cost.ts'
import type { Conduct, Spoken } from './spoken-node.ts'
import { mustInTime, until } from './until.ts'

const NODE_BINARY = resolve(import.meta.dirname, '../../../server-c/build/release/farmstead-node')
const NODES_PER_PROCESS = 2_500
const CONNECTED_WITHIN_MS = 900_000
const ROLLED_OUT_WITHIN_MS = 1_800_000
/** Its files grow while it is removed. */
const REMOVED_TRIES = 5

type Cost = { cpuMs: number; bytes: number }
export type AllCounted = Omit<Counted, 'kind'>

export class Farm {
  readonly #home: string
  readonly #env: NodeJS.ProcessEnv
  readonly #agents: ChildProcess[] = []
  readonly #nodes: readonly Spoken[]
  #service: ServiceProcess
  #session: Session
  #versions = 1

  private constructor(
    home: string,
    { env, nodes }: { env: NodeJS.ProcessEnv; nodes: readonly Spoken[] },
    { service, session }: { service: ServiceProcess; session: Session },
  ) {
    this.#home = home
    this.#env = env
    this.#nodes = nodes
    this.#service = service
    this.#session = session
  }

  /** Resolves when all are connected and known to run the first version. */
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
    const session = await Session.first(service.url, password, 'a long password of the bench')
    const farm = new Farm(home, { env, nodes }, { service, session })
    try {
      onStarted(farm.pid)
      await farm.#connect({ port, key, ca })
      await until('all run the first version', { withinMs: CONNECTED_WITHIN_MS }, async () => {
        const { body } = await session.ask('GET', '/farm/summary')
        return JSON.stringify(body).includes(`"in-sync":${count}`)
      })
      return farm
    } catch (error) {
      await farm.stop()
      throw error
    }
  }

  async #connect(told: { port: number; key: string; ca: string }): Promise<void> {
    for (let from = 0; from < this.#nodes.length; from += NODES_PER_PROCESS) {
      const agent = fork(join(import.meta.dirname, 'many-agents.ts'), { execArgv: [] })
      this.#agents.push(agent)
      const nodes = this.#nodes.slice(from, from + NODES_PER_PROCESS)
      agent.send({ kind: 'connect', ...told, nodes } satisfies ToAgents)
      await heard(agent, 'connected')
    }
  }

  get pid(): number {
    return this.#service.child.pid ?? 0
  }

  get ids(): string[] {
    return this.#nodes.map(({ id }) => id)
  }

  /** Of all processes that speak for nodes. */
  async count(): Promise<AllCounted> {
    const all = await Promise.all(
      this.#agents.map((agent) => {
        const counted = heard(agent, 'counted')
        agent.send({ kind: 'count' } satisfies ToAgents)
        return counted
      }),
    )
    return all.reduce<AllCounted>(together, NOTHING)
  }

  agentsCost(): Cost {
    const pids = this.#agents.flatMap(({ pid }) => pid ?? [])
    const sum = (of: (pid: number) => number) => pids.reduce((n, pid) => n + of(pid), 0)
    return { cpuMs: sum(cpuMsOf), bytes: sum(residentBytesOf) }
  }

  /** What `back` of count() is counted from. */
  mark(): void {
    this.#tell({ kind: 'mark' })
  }

  conduct(conduct: Conduct, ids: string[]): void {
    this.#tell({ kind: 'conduct', conduct, ids })
  }

  clone(ids: string[]): void {
    this.#tell({ kind: 'clone', ids })
  }

  #tell(message: ToAgents): void {
    for (const agent of this.#agents) agent.send(message)
  }

  /** Of the service's own /metrics, by name and labels as they stand there. */
  async telemetry(): Promise<(name: string) => number> {
    const lines = (await this.#session.read('/api/metrics')).split('\n')
    const values = new Map(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]))
    return (name) => values.get(name) ?? Number.NaN
  }

  /** A new version to all at once; resolves with its id when it is ordered. */
  async order(): Promise<string> {
    const text = textOf(this.#home, this.#versions + 1)
    const saved = { text, message: 'for the bench', parent: this.#versions }
    const made = await mustInTime(this.#session, 'POST', `/configs/${CONFIG}/versions`, saved)
    this.#versions = Number(made.body.number)
    const wish = { config: CONFIG, version: this.#versions, strategy: { atOnce: true } }
    return String((await mustInTime(this.#session, 'POST', '/rollouts', wish)).body.id)
  }

  async rollout(id: string): Promise<Record<string, unknown>> {
    return (await mustInTime(this.#session, 'GET', `/rollouts/${id}`)).body
  }

  /** Resolves when it is over or waits for somebody, with how it ended. */
  async ended(id: string, withinMs = ROLLED_OUT_WITHIN_MS): Promise<string> {
    let ended = ''
    await until('the rollout ends', { withinMs }, async () => {
      const { state, reason, endedAt } = await this.rollout(id)
      ended = `${state}${reason ? `: ${reason}` : ''}`
      return endedAt !== null || state === 'paused'
    })
    return ended
  }

  /** A new version to all at once; resolves when it is over, with how it ended. */
  async rollOut(): Promise<string> {
    return await this.ended(await this.order())
  }

  /** Resolves when it listens again: how long it took to stop, and to start. */
  async restart(onStopped: () => Promise<void>): Promise<{ stopMs: number; startMs: number }> {
    const fromMs = performance.now()
    this.#service.child.kill('SIGTERM')
    await this.#service.ended
    const stoppedMs = performance.now()
    await onStopped()
    const beginMs = performance.now()
    this.#service = await startService(this.#env)
    await this.#session.continueAt(this.#service.url)
    return { stopMs: stoppedMs - fromMs, startMs: performance.now() - beginMs }
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents) agent.kill('SIGTERM')
    this.#service.child.kill('SIGTERM')
    await this.#service.ended
    rmSync(this.#home, { recursive: true, force: true, maxRetries: REMOVED_TRIES })
  }
}

const NOTHING: AllCounted = {
  ...{ reports: 0, polls: 0, late: 0, failed: 0, lastFailure: '' },
  ...{ turnedAway: 0, clonesDetected: 0, back: 0, lastBackMs: 0 },
  acknowledged: { generation: 0, nodes: 0, lastMs: 0 },
  ...{ waitingWindows: 0, lostWindows: 0 },
}

/** Of two processes, as of one. Of what was acknowledged, the newest. */
function together(a: AllCounted, b: AllCounted): AllCounted {
  const [older, newer] =
    a.acknowledged.generation <= b.acknowledged.generation
      ? [a.acknowledged, b.acknowledged]
      : [b.acknowledged, a.acknowledged]
  const isSame = older.generation === newer.generation
  return {
    reports: a.reports + b.reports,
    polls: a.polls + b.polls,
    late: a.late + b.late,
    failed: a.failed + b.failed,
    lastFailure: a.lastFailure || b.lastFailure,
    turnedAway: a.turnedAway + b.turnedAway,
    clonesDetected: a.clonesDetected + b.clonesDetected,
    back: a.back + b.back,
    lastBackMs: Math.max(a.lastBackMs, b.lastBackMs),
    acknowledged: {
      generation: newer.generation,
      nodes: newer.nodes + (isSame ? older.nodes : 0),
      lastMs: Math.max(newer.lastMs, isSame ? older.lastMs : 0),
    },
    waitingWindows: a.waitingWindows + b.waitingWindows,
    lostWindows: a.lostWindows + b.lostWindows,
  }
}

const textOf = (home: string, version: number): string => {
  const headers = [{ action: 'set', name: 'X-Version', value: `v${version}` }]
  return JSON.stringify(
    { workers: 1, sites: [{ hosts: ['*'], root: join(home, 'site'), headers }] },
    null,
    1,
  )
}

/** Asks until all of `count` were let in since the mark, or time is over. */
export async function whenBack(farm: Farm, count: number, withinMs: number): Promise<AllCounted> {
  return await countedUntil(farm, withinMs, ({ back }) => back >= count)
}

/** Asks until it is so, or time is over. */
export async function countedUntil(
  farm: Farm,
  withinMs: number,
  isSo: (counted: AllCounted) => boolean,
): Promise<AllCounted> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const counted = await farm.count()
    if (isSo(counted) || performance.now() > deadline) return counted
    await sleep(COUNTED_EVERY_MS)
  }
}
const COUNTED_EVERY_MS = 250

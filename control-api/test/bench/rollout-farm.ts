// SPDX-License-Identifier: MIT
// A farm for `npm run bench -- rollout`: the real service as a process of its own, real nodes, and many that are
// spoken for by this process over mutual TLS, each on connections of its own.
import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import type { ReportRequest } from '../../src/agent-protocol/messages.gen.ts'
import { example } from '../agents/node-client.ts'
import { ask, joinOverTls } from '../agents/tls-joining.ts'
import { Session } from '../durability/session.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { SimulatedNode } from '../simulated-node.ts'
import { CONFIG, furnishService } from './furnished-service.ts'
import { NODE_BINARY, startRealNode } from './real-node.ts'
import { type RolloutTimes, tasksOf } from './rollout-times.ts'
import { until } from './until.ts'

/** So many a minute may join from one address: the many come from several. */
const JOINS_PER_ADDRESS = 25
const JOIN_AT_A_TIME = 8
/** As the service tells its nodes. */
const REPORT_EVERY_MS = 5_000
const DESIRED_WAIT_MS = 25_000
const READY = { withinMs: 300_000 }

type Count = { simulated: number; real: number }
type NodeList = { items: { sync: { state: string } }[]; nextCursor: string | null }
export class RolloutFarm {
  readonly #home: string
  readonly #port: number
  readonly #service: ServiceProcess
  readonly #session: Session
  readonly #simulated: SimulatedNode[] = []
  readonly #agents: Agent[] = []
  readonly #real: ChildProcess[] = []
  #reporting: AbortController | null = null
  #versions = 1

  private constructor(place: { home: string; port: number }, run: ServiceProcess, api: Session) {
    this.#home = place.home
    this.#port = place.port
    this.#service = run
    this.#session = api
  }

  /** The service with a released version, and no node yet. */
  static async start(): Promise<RolloutFarm> {
    const { home, port, env, password } = await furnishService({
      ...{ within: tmpdir(), name: 'farmstead-bench-rollout-', nodeBinary: NODE_BINARY },
      textOf: (home) => textOf(home, 1),
    })
    const service = await startService(env)
    const api = await Session.first(service.url, password, 'a long password of the bench')
    return new RolloutFarm({ home, port }, service, api)
  }

  get pid(): number {
    return this.#service.child.pid ?? 0
  }

  async stop(): Promise<void> {
    this.#reporting?.abort()
    for (const agent of this.#agents) agent.destroy()
    const ends = this.#simulated.map((node) => node.disconnect())
    for (const node of this.#real) node.kill('SIGTERM')
    this.#service.child.kill('SIGTERM')
    await Promise.all([this.#service.ended, ...ends])
    rmSync(this.#home, { recursive: true, force: true })
  }

  /** They have joined, and none has spoken yet. */
  async join({ simulated, real }: Count): Promise<void> {
    const numbers = Array.from({ length: simulated }, (_, i) => i).values()
    let token = ''
    const lane = async () => {
      for (const i of numbers) {
        if (i % 1000 === 0) token = await this.#makeToken({ maxUses: 1000 })
        this.#simulated.push(await this.#joinSimulated(i, token))
      }
    }
    token = await this.#makeToken({ maxUses: 1000 })
    await Promise.all(Array.from({ length: JOIN_AT_A_TIME }, lane))
    for (let i = 0; i < real; i++) await this.#joinReal(i)
  }

  async #makeToken(wish: object): Promise<string> {
    return String((await this.#session.must('POST', '/enrolment-tokens', wish)).body.token)
  }

  async #joinSimulated(i: number, token: string): Promise<SimulatedNode> {
    const nth = Math.floor(i / JOINS_PER_ADDRESS)
    const localAddress = `127.8.${Math.floor(nth / 250)}.${1 + (nth % 250)}`
    const body = { ...example('enrol.request'), name: `many-${i}` }
    const joined = await joinOverTls(this.#port, { token, body, localAddress })
    // One for the question that waits, one for what it says meanwhile.
    const agent = new Agent({ keepAlive: true, maxSockets: 2, localAddress })
    this.#agents.push(agent)
    const say = async <T>(message: string, said: object, signal?: AbortSignal): Promise<T> => {
      const how = { ...joined.certified, agent, signal }
      const { status, json } = await ask(this.#port, message, said, how)
      if (status !== 200) throw new Error(`${message}: ${status} ${JSON.stringify(json)}`)
      return json as T
    }
    return new SimulatedNode(joined, say, DESIRED_WAIT_MS)
  }

  async #joinReal(i: number): Promise<void> {
    const listen = [{ address: '127.0.0.1', port: await freePort() }]
    const token = await this.#makeToken({ mergePatch: { listen } })
    const wish = { home: this.#home, name: `real-${i}`, agentPort: this.#port, token }
    this.#real.push(await startRealNode(wish))
  }

  /** All are there, run what they should, and report as real ones do from now on. */
  async connect(): Promise<void> {
    for (const node of this.#simulated) await node.connect()
    this.#reporting = new AbortController()
    const { signal } = this.#reporting
    for (const [i, node] of this.#simulated.entries()) {
      void keepReporting(node, (i / this.#simulated.length) * REPORT_EVERY_MS, signal)
    }
    await until('all nodes run the first version', READY, async () => {
      const states = await this.#syncStates()
      const count = this.#simulated.length + this.#real.length
      return states.length === count && states.every((state) => state === 'in-sync')
    })
  }

  async #syncStates(): Promise<string[]> {
    const states: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const after: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
      const { body } = await this.#session.must('GET', `/nodes?limit=500${after}`)
      const { items, nextCursor } = body as NodeList
      states.push(...items.map(({ sync }) => sync.state))
      cursor = nextCursor
    }
    return states
  }

  /** A new version; resolves when every node is healthy with it, or it is paused, and frozen then. */
  async rollOut(order: object): Promise<RolloutTimes> {
    const text = textOf(this.#home, this.#versions + 1)
    const parent = this.#versions
    const saved = { text, message: 'for the bench', parent }
    const path = `/configs/${CONFIG}/versions`
    this.#versions = Number((await this.#session.must('POST', path, saved)).body.number)
    const atOnce = { strategy: { atOnce: true } }
    const wish = { config: CONFIG, version: this.#versions, ...atOnce, ...order }
    const { id } = (await this.#session.must('POST', '/rollouts', wish)).body
    let seen: RolloutTimes | null = null
    await until('the rollout ends', READY, async () => {
      seen = (await this.#session.must('GET', `/rollouts/${id}`)).body as unknown as RolloutTimes
      return seen.endedAt !== null || seen.state === 'paused'
    })
    if (seen === null) throw new Error('the rollout was never seen')
    await this.#makeWay(String(id), seen)
    return { ...(seen as RolloutTimes), tasks: await tasksOf(this.#session, String(id)) }
  }

  /** The next one wants its nodes. */
  async #makeWay(id: string, { state, stateVersion }: RolloutTimes): Promise<void> {
    if (state !== 'paused') return
    await this.#session.must('POST', `/rollouts/${id}/actions/freeze`, { stateVersion })
  }
}

/** Each five seconds, and not all nodes at the same moment. A refused one is left: real nodes send it later. */
async function keepReporting(node: SimulatedNode, firstMs: number, signal: AbortSignal) {
  const { windows } = example<ReportRequest>('report.request')
  const series = windows[0]?.series ?? []
  for (let waitMs = firstMs; !signal.aborted; waitMs = REPORT_EVERY_MS) {
    await sleep(waitMs, null, { signal }).catch(() => {})
    const generation = node.effective?.generation ?? 0
    const ours = series.map((one) => ({ ...one, generation }))
    if (!signal.aborted) await node.report(ours, REPORT_EVERY_MS).catch(() => {})
  }
}

const textOf = (home: string, version: number): string => {
  const headers = [{ action: 'set', name: 'X-Version', value: `v${version}` }]
  const sites = [{ hosts: ['*'], root: join(home, 'site'), headers }]
  return JSON.stringify({ workers: 1, sites }, null, 1)
}

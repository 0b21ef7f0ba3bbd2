// SPDX-License-Identifier: MIT
// A farm for `npm run bench -- releases`: the real service and farmctl as processes of their own, and real nodes.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { Session } from '../durability/session.ts'
import { PROGRAMS } from '../programs.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { CONFIG, furnishService } from './furnished-service.ts'
import { cpuMsOf, forgetPeak, peakBytesOf } from './process-cost.ts'
import { NODE_BINARY, startRealNode } from './real-node.ts'
import { type RolloutTimes, spans, tasksOf } from './rollout-times.ts'
import { mustInTime, until } from './until.ts'

const PASSWORD = 'a long password of the bench'
const READY = { withinMs: 300_000 }
const ROLLED_OUT = { withinMs: 3_600_000, everyMs: 100 }
const LOOK_EVERY_MS = 20
const HEARD_MS = 12_000

/** What it was for the service and, at their largest, for the nodes or farmctl. */
export type Cost = { seconds: number; cpuMs: number; serviceBytes: number; otherBytes: number }
export type Pushed = Cost & { number: number; contents: number; sentBytes: number }
export type RolledOut = Cost & { ended: string; allMs: number; sentBytes: number }

export class ReleaseFarm {
  readonly home: string
  readonly service: ServiceProcess
  readonly token: string
  readonly ports: number[] = []
  readonly #agentPort: number
  readonly #session: Session
  readonly #nodes: ChildProcess[] = []
  readonly #others = new Set<ChildProcess>()
  #version = 1

  private constructor(
    place: { home: string; port: number },
    service: ServiceProcess,
    { session, token }: { session: Session; token: string },
  ) {
    this.home = place.home
    this.#agentPort = place.port
    this.service = service
    this.#session = session
    this.token = token
  }

  /** `onFarm` is told of each thing that must be ended, whatever comes of it; the last one first. */
  static async start(within: string, onFarm: (farm: Endable) => void): Promise<ReleaseFarm> {
    const place = await furnishService({
      ...{ within, name: 'farmstead-bench-releases-', nodeBinary: NODE_BINARY },
      textOf: (home) => textOf({ root: join(home, 'site') }),
    })
    // Who was killed may write for a moment more.
    const patient = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }
    onFarm({ end: () => rmSync(place.home, patient) })
    const service = await startService(place.env, (child) =>
      onFarm({ end: () => child.kill('SIGKILL') }),
    )
    const session = await Session.first(service.url, place.password, PASSWORD)
    const body = {
      ...{ name: 'bench', expiresInDays: 1, password: PASSWORD },
      permissions: ['releases:read', 'releases:write', 'rollouts:rules'],
    }
    const token = String((await mustInTime(session, 'POST', '/tokens', body)).body.secret)
    const farm = new ReleaseFarm(place, service, { session, token })
    onFarm({ end: () => farm.#killOthers() })
    return farm
  }

  get pid(): number {
    return this.service.child.pid ?? 0
  }

  #killOthers(): void {
    for (const child of [...this.#nodes, ...this.#others]) child.kill('SIGKILL')
  }

  /** They serve a folder of their own, and no release yet. Some in each of `zones`; 0: none gives others anything. */
  async join(count: number, zones = 0): Promise<void> {
    const first = this.ports.length + 1
    for (let at = first; at < first + count; at++) {
      const port = await freePort()
      const listen = [{ address: '127.0.0.1', port }]
      const made = await mustInTime(this.#session, 'POST', '/enrolment-tokens', {
        mergePatch: { listen },
        ...(zones > 0 && { labels: { zone: `zone-${at % zones}` } }),
      })
      const token = String(made.body.token)
      const givesAt = zones > 0 ? `127.0.0.1:${await freePort()}` : undefined
      const place = { home: this.home, agentPort: this.#agentPort }
      const wish = { ...place, name: `node-${at}`, token, givesAt }
      this.#nodes.push(await startRealNode(wish))
      this.ports.push(port)
    }
    await until('all nodes run the first version', READY, async () => {
      const { body } = await mustInTime(this.#session, 'GET', '/farm/summary')
      return JSON.stringify(body).includes(`"in-sync":${this.ports.length}`)
    })
  }

  /** Nodes of a zone give each other releases from now on, or no more; null: as fast as they can. */
  async setNeighbours(isOn: boolean, givenPerSecond: number | null = null): Promise<void> {
    const words = ['releases', 'neighbours', 'set', '--zone-label', isOn ? 'zone' : 'off']
    await this.farmctl([...words, '--max-bytes-per-second', `${givenPerSecond ?? 'any'}`])
    // Each hears of it with its next report, and says with the one after what it gives.
    await sleep(HEARD_MS)
  }

  /** From now on configs name the release, and nodes take so much of it; 0: as fast as they can. */
  async serveRelease(release: string, maxBytesPerSecond = 0): Promise<void> {
    const text = textOf({ release }, { releases: { maxBytesPerSecond } })
    const wish = { text, parent: this.#version, message: 'serve it' }
    const made = await mustInTime(this.#session, 'POST', `/configs/${CONFIG}/versions`, wish)
    this.#version = Number(made.body.number)
  }

  /** What the API answers. */
  async look(path: string): Promise<Record<string, unknown>> {
    return (await mustInTime(this.#session, 'GET', path)).body
  }

  async rollOut(releases: Record<string, number>): Promise<RolledOut> {
    const before = await this.#sentBytes()
    const cost = await this.#costOf(
      () => this.#nodes.map(servingPidOf),
      () => this.#order(releases),
    )
    return { ...cost, ...cost.result, sentBytes: (await this.#sentBytes()) - before }
  }

  async #order(releases: Record<string, number>) {
    const wish = { config: CONFIG, version: this.#version, releases, strategy: { atOnce: true } }
    const id = String((await mustInTime(this.#session, 'POST', '/rollouts', wish)).body.id)
    let seen: RolloutTimes | null = null
    await until('the rollout ends', ROLLED_OUT, async () => {
      const { body } = await mustInTime(this.#session, 'GET', `/rollouts/${id}`)
      seen = body as unknown as RolloutTimes
      return seen.endedAt !== null || seen.state === 'paused'
    })
    if (seen === null) throw new Error('the rollout was never seen')
    const tasks = await tasksOf(this.#session, id)
    return spans({ ...(seen as RolloutTimes), tasks })
  }

  /** Contents of releases, to nodes. */
  async #sentBytes(): Promise<number> {
    const lines = (await this.#session.read('/api/metrics')).split('\n')
    const line = lines.find((one) => one.startsWith('farmstead_release_bytes_sent_total '))
    return Number(line?.split(' ')[1])
  }

  async push(release: string, folder: string): Promise<Pushed> {
    const cost = await this.farmctl(['releases', 'push', release, folder])
    const { number, sent } = cost.result as { number: number; sent: Sent }
    return { ...cost, number, contents: sent.contents, sentBytes: sent.bytes }
  }

  /** What it says as JSON, and what it cost. */
  async farmctl(words: readonly string[]): Promise<Cost & { result: unknown }> {
    const env = { ...process.env, HOME: this.home, FARMSTEAD_URL: this.service.url }
    const child = spawn(process.execPath, [PROGRAMS.farmctl, ...words, '--json'], {
      env: { ...env, FARMSTEAD_TOKEN: this.token },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#others.add(child)
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', (text) => {
      said.stdout += text
    })
    child.stderr.on('data', (text) => {
      said.stderr += text
    })
    const ended = new Promise<number | null>((done) => child.once('close', done))
    const cost = await this.#costOf(
      () => [child.pid ?? 0],
      async () => {
        if ((await ended) !== 0) throw new Error(`farmctl ${words.join(' ')}: ${said.stderr}`)
        return JSON.parse(said.stdout)
      },
    )
    this.#others.delete(child)
    return cost
  }

  /** Of `work`, and of those who have a part in it: each at its largest. */
  async #costOf<T>(parts: () => number[], work: () => Promise<T>): Promise<Cost & { result: T }> {
    for (const pid of [this.pid, ...parts()]) forgetPeak(pid)
    const [fromMs, cpuBefore] = [performance.now(), cpuMsOf(this.pid)]
    let [isOver, otherBytes] = [false, 0]
    const look = async () => {
      while (!isOver) {
        otherBytes = Math.max(otherBytes, ...parts().map(peakBytesOf))
        await sleep(LOOK_EVERY_MS)
      }
    }
    const looking = look()
    try {
      const result = await work()
      const seconds = (performance.now() - fromMs) / 1000
      const cpuMs = cpuMsOf(this.pid) - cpuBefore
      return { result, seconds, cpuMs, serviceBytes: peakBytesOf(this.pid), otherBytes }
    } finally {
      isOver = true
      await looking
    }
  }

  /** The same of something that is asked of the service alone. */
  measured<T>(work: () => Promise<T>): Promise<Cost & { result: T }> {
    return this.#costOf(() => [], work)
  }
}

type Sent = { contents: number; bytes: number }
export type Endable = { end: () => void }

/** 0: it has none just now. */
function servingPidOf({ pid }: ChildProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

const textOf = (site: object, more: object = {}): string =>
  JSON.stringify({ workers: 1, ...more, sites: [{ hosts: ['*'], ...site }] }, null, 1)

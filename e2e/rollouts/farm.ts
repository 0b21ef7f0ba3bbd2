// SPDX-License-Identifier: MIT
// A control plane and nodes, each on a network of its own, with visitors and load on every node: what versions are
// rolled out to, and what is seen of that from outside.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/testing/free-port.mjs'
import type { NodeTask, Rollout, Strategy } from '../client/api.ts'
import { dropAgreed, whyApart } from '../real-farm/agreement.ts'
import { ControlPlane } from '../real-farm/control-plane.ts'
import type { Findings } from '../real-farm/findings.ts'
import { RealNode } from '../real-farm/node.ts'
import type { Random } from '../real-farm/random.ts'
import { Availability } from './availability.ts'
import { Load, type LoadResult, wordsOf } from './load.ts'
import { type Cable, Network } from './network.ts'
import { HOSTS, type Host, makeSites, type Page, rootOf } from './sites.ts'
import { startVisitor } from './visitor.ts'

const NODE_PORT = 80
const POLL_MS = 100
/** Requests of each connection, two on each node: 40 a second on a node. */
const LOAD_DELAY_MS = 50
const AGREED_WITHIN_MS = 120_000

export type FarmDeps = {
  kind: string
  nth: number
  home: string
  nodeBinary: string
  findings: Findings
  /** A sequence of its own for each who draws. */
  randomFor: (what: string) => Random
}
/** One of the farm's nodes, with its cable. */
export type Member = { node: RealNode; cable: Cable }
type Ports = { console: number; agent: number }
/** `sites`: beside those that visitors ask for; `releases`: what goes with it. */
type Version = {
  roots?: Partial<Record<Host, string>>
  settings?: object
  sites?: readonly object[]
  releases?: Readonly<Record<string, number>>
}
/** `hosts`: what visitors and load ask for. */
type Look = { wrap?: readonly string[]; hosts?: readonly Host[] }

export class RolloutFarm {
  readonly kind: string
  readonly home: string
  readonly findings: Findings
  readonly members: Member[] = []
  readonly availability = new Availability()
  /** Labels of versions whose answers are not all right. */
  readonly bad = new Set<string>()
  readonly controlPlane: ControlPlane
  readonly #deps: FarmDeps
  readonly #agentUrl: string
  readonly #network: Network
  readonly #pages: Page[]
  readonly #down = new Set<RealNode>()
  readonly #timesDown = new Map<RealNode, number>()
  readonly #visits: (() => Promise<void>)[] = []
  readonly #loads: Load[] = []
  #versions = 0

  private constructor(deps: FarmDeps, ports: Ports, hosts: readonly Host[]) {
    const { home, nodeBinary } = deps
    this.#deps = deps
    this.kind = deps.kind
    this.home = home
    this.findings = deps.findings
    for (const dir of ['logs', 'nodes']) mkdirSync(join(home, dir), { recursive: true })
    this.#pages = makeSites(home).filter(({ host }) => hosts.includes(host))
    this.#network = new Network(deps.nth)
    const agentHost = this.#network.controlPlane
    const agentUrl = `https://${agentHost}:${ports.agent}`
    this.controlPlane = new ControlPlane({ home, ports, nodeBinary, agentUrl, agentHost })
    this.#agentUrl = agentUrl
  }

  /** Runs, with `count` nodes that serve `first`. `wrap`: what each node is run by. */
  static async start(
    deps: FarmDeps,
    count: number,
    { wrap = [], hosts = HOSTS, ...first }: Version & Look = {},
  ): Promise<RolloutFarm> {
    const ports = { console: await freePort(), agent: await freePort() }
    const farm = new RolloutFarm(deps, ports, hosts)
    await farm.controlPlane.firstStart(farm.#text(farm.#nextLabel(), first))
    for (let i = 1; i <= count; i++) await farm.#addNode(`edge-${i}`, wrap)
    await farm.untilAgreed()
    for (const member of farm.members) farm.#visit(member)
    return farm
  }

  /** The address that visitors have. */
  get visitors(): string {
    return this.#network.visitors
  }

  /** Ends visitors and load, then all processes; what wrk saw of each node. */
  async stop(): Promise<void> {
    await Promise.all(this.#visits.map((end) => end()))
    await Promise.all(this.members.map(({ node }) => node.stop()))
    await this.controlPlane.end('SIGTERM')
    await this.#network.end()
  }

  async #addNode(name: string, wrap: readonly string[]): Promise<void> {
    const logFile = join(this.home, `logs/${name}.log`)
    const cable = await this.#network.connect(logFile)
    const node = new RealNode({
      ...{ name, logFile, host: cable.address, port: NODE_PORT },
      stateDir: join(this.home, 'nodes', name),
      binary: this.#deps.nodeBinary,
      wrap: [...cable.wrap, ...wrap],
      onUnexplained: (line) => this.wrong(`${name} logged: ${line}`),
    })
    const listen = [{ address: cable.address, port: NODE_PORT }]
    await node.join(this.#agentUrl, await this.controlPlane.api.makeToken({ listen }))
    node.start()
    this.members.push({ node, cable })
  }

  #visit({ node }: Member): void {
    const stop = startVisitor({
      node,
      pages: this.#pages,
      random: this.#deps.randomFor(node.name),
      isDown: () => this.#down.has(node),
      timesDown: () => this.#timesDown.get(node) ?? 0,
      onAnswer: (answer, wasDown) => this.availability.note(node.name, answer, wasDown),
    })
    this.#visits.push(stop)
  }

  load(node: RealNode, words: readonly string[], connections?: number): void {
    const logFile = join(this.home, `logs/wrk-${node.name}-${this.#loads.length}.log`)
    const wish = { node, logFile, delayMs: LOAD_DELAY_MS, words }
    this.#loads.push(new Load({ ...wish, ...(connections && { connections }) }))
  }

  loadAll(): void {
    for (const { node } of this.members) this.load(node, wordsOf(this.#pages))
  }

  async endLoad(): Promise<LoadResult> {
    const results = await Promise.all(this.#loads.splice(0).map((load) => load.stop()))
    const sum = (of: (one: LoadResult) => number) => results.reduce((all, one) => all + of(one), 0)
    const total = {
      requests: sum((one) => one.requests),
      refused: sum((one) => one.refused),
      broken: sum((one) => one.broken),
      late: sum((one) => one.late),
    }
    const { requests, refused, broken, late } = total
    this.note(`wrk: ${requests} requests, ${refused} refused, ${broken} broken, ${late} late`)
    return total
  }

  wrong(sentence: string, evidence = ''): void {
    this.findings.wrong(this.kind, sentence, evidence)
  }

  injected(fault: string): void {
    this.findings.injected(this.kind, fault)
  }

  note(sentence: string): void {
    this.findings.note(this.kind, sentence)
  }

  /** Something is done to it now: visitors may find it closed until `isBack`. */
  expectDown(node: RealNode): void {
    this.#down.add(node)
    this.#timesDown.set(node, (this.#timesDown.get(node) ?? 0) + 1)
  }

  /** Nothing is done to it any more; resolves when it serves. */
  async expectBack(node: RealNode): Promise<void> {
    while ((await node.see()).label === null) await sleep(POLL_MS)
    this.#down.delete(node)
  }

  // --- versions ---------------------------------------------------------------------------------

  #nextLabel(): string {
    return `v${++this.#versions}`
  }

  #text(label: string, { roots = {}, settings = {}, sites: more = [] }: Version): string {
    const headers = [{ action: 'set', name: 'X-Version', value: label }]
    const sites = HOSTS.map((host, i) => ({
      hosts: i === 0 ? [host, '*'] : [host],
      root: roots[host] ?? rootOf(this.home, host),
      headers,
    }))
    const all = [...sites, ...more.map((site) => ({ ...site, headers }))]
    return JSON.stringify({ workers: 1, ...settings, sites: all }, null, 1)
  }

  /** Saves it and orders it; nothing else is under way. */
  async order(version: Version, strategy?: Strategy): Promise<{ label: string; rollout: Rollout }> {
    const { api } = this.controlPlane
    const label = this.#nextLabel()
    await api.freezeAll()
    const number = await api.saveVersion(this.#text(label, version))
    const { releases } = version
    const order = { ...(strategy && { strategy }), ...(releases && { releases }) }
    return { label, rollout: await api.rollOut(number, order) }
  }

  /** What the control plane shows of it, again and again, until `isEnough`; also while it is down now and then. */
  async follow(id: string, isEnough: (view: Rollout) => boolean): Promise<Rollout> {
    for (;;) {
      const view = await this.controlPlane.api.rollout(id).catch(() => null)
      if (view && isEnough(view)) return view
      await sleep(POLL_MS)
    }
  }

  /** Also while it is down now and then. */
  async tasks(id: string): Promise<NodeTask[]> {
    for (;;) {
      const found = await this.controlPlane.api.rolloutTasks(id).catch(() => null)
      if (found) return found
      await sleep(POLL_MS)
    }
  }

  // --- agreement --------------------------------------------------------------------------------

  /** Waits until the control plane, each node's disk and what it serves say the same. */
  async untilAgreed(): Promise<void> {
    const startedAt = performance.now()
    const open = new Map(this.members.map(({ node }) => [node, 'nobody has looked yet']))
    while (open.size > 0) {
      await dropAgreed(this.controlPlane.api, open)
      if (performance.now() - startedAt > AGREED_WITHIN_MS) {
        const [first] = open.keys()
        throw new Error(`never agreed: ${whyApart(open)}\n${first ? logOf(first) : ''}`)
      }
      if (open.size > 0) await sleep(POLL_MS)
    }
    this.findings.agreed(this.kind, performance.now() - startedAt)
  }
}

const logOf = ({ logFile }: RealNode) =>
  readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n')

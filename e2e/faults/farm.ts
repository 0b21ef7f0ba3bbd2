// SPDX-License-Identifier: MIT
// A control plane, a faulty proxy before it and some nodes behind that: what faults are injected into, and
// how it is told whether both sides agree.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/testing/free-port.mjs'
import type { Strategy } from '../client/api.ts'
import { dropAgreed, whyApart } from '../real-farm/agreement.ts'
import { ControlPlane } from '../real-farm/control-plane.ts'
import type { Findings } from '../real-farm/findings.ts'
import { HOST } from '../real-farm/host.ts'
import { type NodeOptions, RealNode } from '../real-farm/node.ts'
import { Preload } from '../real-farm/preload.ts'
import { FaultyProxy } from './faulty-proxy.ts'
import type { SmallDisk } from './machines.ts'
import { startWitness } from './witness.ts'

/** What issue 5 promises. */
const AGREED_WITHIN_MS = 10_000
/** Then it is a finding; how long it really took is worth knowing all the same. */
const GIVEN_UP_AFTER_MS = 120_000
const POLL_MS = 50
const LOG_LINES = 15

export type FarmDeps = {
  kind: string
  home: string
  nodeBinary: string
  preload: string
  findings: Findings
  /** The control plane's own. */
  planeDisk?: SmallDisk
}
type NodeExtra = 'stateDir' | 'wrap' | 'visibleStateDir' | 'socketPath' | 'copyOf'
type Extra = Partial<Pick<NodeOptions, NodeExtra>>
type ExtraOf = (name: string) => Promise<Extra>

export class FaultFarm {
  readonly kind: string
  readonly home: string
  readonly nodes: RealNode[] = []
  readonly findings: Findings
  readonly proxyPort: number
  readonly controlPlane: ControlPlane
  readonly proxy: FaultyProxy
  readonly #deps: FarmDeps
  /** Labels of versions a node may serve; the others were never good on this machine. */
  readonly #good = new Set<string>()
  /** Killed since both sides agreed about it last. */
  readonly #down = new Set<RealNode>()
  readonly #witnesses = new Map<RealNode, () => Promise<number>>()
  readonly #taken: Server
  #pushes = 0

  private constructor(deps: FarmDeps, ports: number[], taken: Server) {
    const [console = 0, agent = 0, proxy = 0] = ports
    this.#deps = deps
    this.kind = deps.kind
    this.home = deps.home
    this.findings = deps.findings
    this.proxyPort = proxy
    this.#taken = taken
    for (const dir of ['logs', 'site', 'nodes'])
      mkdirSync(join(this.home, dir), { recursive: true })
    writeFileSync(join(this.siteDir, 'index.html'), '<h1>served</h1>\n')
    const { home, nodeBinary, planeDisk } = deps
    this.controlPlane = new ControlPlane({
      ...{ home, nodeBinary, ports: { console, agent }, agentUrl: this.agentUrl },
      ...(planeDisk && { disk: planeDisk }),
      preload: new Preload(deps.preload, join(home, 'control-plane')),
    })
    this.proxy = new FaultyProxy(agent)
  }

  get agentUrl(): string {
    return `https://${HOST}:${this.proxyPort}`
  }

  /** Runs, with `count` nodes that serve the first version. */
  static async start(deps: FarmDeps, count: number, extraOf?: ExtraOf): Promise<FaultFarm> {
    const ports = [await freePort(), await freePort(), await freePort()]
    const taken = createServer().listen(0, HOST)
    const farm = new FaultFarm(deps, ports, taken)
    await farm.proxy.start(farm.proxyPort)
    await farm.controlPlane.firstStart(farm.text(farm.#nextGood()))
    for (let i = 1; i <= count; i++) {
      const name = `edge-${i}`
      await farm.#addNode(name, (await extraOf?.(name)) ?? {})
    }
    await farm.untilAgreed(farm.nodes)
    for (const node of farm.nodes) farm.watch(node)
    return farm
  }

  async stop(): Promise<void> {
    const answers = await Promise.all([...this.#witnesses.values()].map((end) => end()))
    const total = answers.reduce((sum, one) => sum + one, 0)
    this.note(`${total} answers to visitors were looked at`)
    await Promise.all(this.nodes.map((node) => node.stop()))
    await this.controlPlane.end('SIGTERM')
    await this.proxy.stop()
    this.#taken.close()
  }

  wrong(sentence: string, evidence = ''): void {
    this.findings.wrong(this.kind, sentence, evidence)
  }

  note(sentence: string): void {
    this.findings.note(this.kind, sentence)
  }

  injected(fault: string): void {
    this.findings.injected(this.kind, fault)
  }

  makeNode(name: string, port: number, extra: Extra = {}): RealNode {
    const { nodeBinary: binary, preload } = this.#deps
    const stateDir = join(this.home, 'nodes', name)
    return new RealNode({
      ...{ name, port, stateDir, binary, logFile: join(this.home, `logs/${name}.log`) },
      preload: new Preload(preload, join(this.home, name)),
      onUnexplained: (line) => this.wrong(`${name} logged: ${line}`),
      ...extra,
    })
  }

  async #addNode(name: string, extra: Extra): Promise<void> {
    const node = this.makeNode(name, await freePort(), extra)
    const listen = [{ address: HOST, port: node.port }]
    await node.join(this.agentUrl, await this.controlPlane.api.makeToken({ listen }))
    node.start()
    this.nodes.push(node)
  }

  /** A visitor asks it from now on. */
  watch(node: RealNode): void {
    const stop = startWitness({
      node,
      isGood: (label) => this.#good.has(label),
      mustAnswer: () => !this.#down.has(node),
      wrong: (sentence) => this.wrong(sentence),
    })
    this.#witnesses.set(node, stop)
  }

  /** It is about to be killed: visitors may find it closed until both sides agree again. */
  expectDown(node: RealNode): void {
    this.#down.add(node)
  }

  // --- versions ---------------------------------------------------------------------------------

  get siteDir(): string {
    return join(this.home, 'site')
  }

  /** Each of its sites says the label with all that it answers. */
  text(label: string, more: object = {}, places: readonly object[] = [this.#site]): string {
    const headers = [{ action: 'set', name: 'X-Version', value: label }]
    const sites = places.map((place) => ({ headers, ...place }))
    return JSON.stringify({ workers: 1, ...more, sites }, null, 1)
  }

  get #site() {
    return { hosts: ['*'], root: this.siteDir }
  }

  /** A new version to all nodes, as soon as no rollout is in its way. Returns its label. */
  async push(): Promise<string> {
    const label = this.#nextGood()
    await this.order(this.text(label))
    return label
  }

  /** The text of a version that nodes may serve. */
  nextText(sites: readonly object[], more: object = {}): string {
    return this.text(this.#nextGood(), more, sites)
  }

  /** A version that nothing stands in the way of: every node must have it in the end. */
  async mustTake(): Promise<void> {
    const label = await this.push()
    await this.untilAgreed(this.nodes, performance.now(), '(nothing in the way)')
    const served = await this.served()
    if (served.some((one) => one !== label)) {
      this.wrong(`with nothing in the way, ${label} was pushed, and ${served} are served`)
    }
  }

  served(): Promise<(string | null)[]> {
    return Promise.all(this.nodes.map(async (node) => (await node.see()).label))
  }

  #nextGood(): string {
    const label = `v${++this.#pushes}`
    this.#good.add(label)
    return label
  }

  /** One that every node must refuse: what it wants to listen at is taken. */
  async pushBad(): Promise<string> {
    const label = `bad${++this.#pushes}`
    const address = this.#taken.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await this.order(this.text(label, { admin: { address: HOST, port } }))
    return label
  }

  /** To all nodes, with these versions of releases; without a strategy at once. */
  async order(
    text: string,
    releases: Readonly<Record<string, number>> = {},
    strategy?: Strategy,
  ): Promise<void> {
    const { api } = this.controlPlane
    await api.freezeAll()
    await api.rollOut(await api.saveVersion(text), { releases, ...(strategy && { strategy }) })
  }

  // --- agreement --------------------------------------------------------------------------------

  /**
   * Waits until both sides agree about each of `nodes`, and says how long that took since `since`.
   * Longer than promised is a finding, and so is never.
   */
  async untilAgreed(nodes: RealNode[], since = performance.now(), about = ''): Promise<number> {
    const open = new Map(nodes.map((node) => [node, '']))
    let worstMs = 0
    let isLate = false
    while (open.size > 0) {
      if (this.controlPlane.hasDied) throw new Error('the control plane ended by itself')
      await dropAgreed(this.controlPlane.api, open, (node) => {
        this.#down.delete(node)
        worstMs = Math.max(worstMs, performance.now() - since)
        this.findings.agreed(this.kind, performance.now() - since)
      })
      const afterMs = performance.now() - since
      if (afterMs > AGREED_WITHIN_MS && open.size > 0 && !isLate) {
        isLate = true
        for (const [node, why] of open) this.#tellDisagreement(node, about, why)
      }
      if (afterMs > GIVEN_UP_AFTER_MS) throw new Error(`never agreed: ${whyApart(open)}`)
      if (open.size > 0) await sleep(POLL_MS)
    }
    if (isLate) this.wrong(`agreed only after ${(worstMs / 1000).toFixed(1)} s ${about}`)
    return worstMs
  }

  #tellDisagreement(node: RealNode, about: string, why: string): void {
    const limit = AGREED_WITHIN_MS / 1000
    this.wrong(`${node.name}: no agreement within ${limit} s ${about}: ${why}`, tail(node.logFile))
  }
}

export function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n')
}

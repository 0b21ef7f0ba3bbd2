// SPDX-License-Identifier: MIT
// The farm of a game day: real nodes, each on a network and a small disk of its own, simulated ones beside them, and one
// control plane for all. Real nodes serve two hosts by HTTP, and by HTTPS with HTTP/2.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../scripts/setup/paths.mjs'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { ANY_STATE, bodyOf } from '../client/api.ts'
import { Refused } from '../client/refused.ts'
import { SmallDisk } from '../faults/machines.ts'
import { dropAgreed, whyApart } from '../real-farm/agreement.ts'
import { Authority } from '../real-farm/authority.ts'
import { ControlPlane } from '../real-farm/control-plane.ts'
import { RealNode } from '../real-farm/node.ts'
import { buildPreload, Preload } from '../real-farm/preload.ts'
import { type Cable, Network } from '../rollouts/network.ts'
import { HOSTS, makeSites, type Page, rootOf } from '../rollouts/sites.ts'
import { SimulatedNodes } from './simulated.ts'

export const PLAIN_PORT = 80
export const TLS_PORT = 443
const CERTIFICATE = 'shop'
/** Of the state folder: a node needs some hundred KiB, and a fault fills the rest. */
const DISK_BYTES = 8 * 1024 * 1024
const POLL_MS = 100
const FIRST_WITHIN_MS = 180_000
/** What a program does that is told to come again. */
const BUSY = new Set([429, 503])
const AGAIN_MS = 5000
const MOST_TRIES = 12

export type Member = { node: RealNode; cable: Cable; disk: SmallDisk }
export type FarmDeps = {
  home: string
  nodeBinary: string
  realNodes: number
  simulatedNodes: number
  /** What nobody's fault explains. */
  wrong: (sentence: string, evidence?: string) => void
}
/** A version that was saved: nothing of it may ever be lost. */
type Saved = { number: number; text: string }

export class GameFarm {
  readonly home: string
  readonly members: Member[] = []
  readonly pages: Page[]
  readonly controlPlane: ControlPlane
  readonly network: Network
  readonly saved: Saved[] = []
  readonly orders: string[] = []
  simulated: SimulatedNodes | null = null
  /** Whether a deed keeps it from answering now. */
  isControlPlaneDown = false
  readonly #deps: FarmDeps
  readonly #authority: Authority
  readonly #preload: string
  readonly #agentPort: number
  readonly #good = new Set<string>()
  #labels = 0

  private constructor(deps: FarmDeps, ports: { console: number; agent: number }) {
    const { home, nodeBinary } = deps
    this.#deps = deps
    this.home = home
    for (const dir of ['logs', 'nodes', 'disks']) mkdirSync(join(home, dir), { recursive: true })
    this.pages = makeSites(home)
    this.network = new Network(1)
    this.#agentPort = ports.agent
    this.#preload = buildPreload(home)
    this.#authority = new Authority(join(home, 'authority'))
    this.controlPlane = new ControlPlane({
      ...{ home, ports, nodeBinary, agentUrl: this.#agentUrl },
      // Real nodes come by the bridge, simulated ones by the loopback.
      agentHost: '0.0.0.0',
      consoleDir: join(root, 'web-ui/dist'),
      preload: new Preload(this.#preload, join(home, 'control-plane')),
    })
  }

  get #agentUrl(): string {
    return `https://${this.network.controlPlane}:${this.#agentPort}`
  }

  get agentPort(): number {
    return this.#agentPort
  }

  static async start(deps: FarmDeps): Promise<GameFarm> {
    const farm = new GameFarm(deps, { console: await freePort(), agent: await freePort() })
    const { controlPlane } = farm
    const first = farm.#text(farm.#nextGood())
    await controlPlane.firstStart(first)
    if (deps.simulatedNodes > 0) await farm.#addSimulated(first, deps.simulatedNodes)
    for (let i = 1; i <= deps.realNodes; i++) await farm.#addNode(`edge-${i}`)
    await farm.untilAgreed(FIRST_WITHIN_MS)
    await farm.#serveTls()
    return farm
  }

  async stop(): Promise<void> {
    this.simulated?.stop()
    await Promise.all(this.members.map(({ node }) => node.stop()))
    await this.controlPlane.end('SIGTERM')
    await Promise.all(this.members.map(({ disk }) => disk.end()))
    await this.network.end()
  }

  /** They are written into the database of a control plane that rests. */
  async #addSimulated(text: string, count: number): Promise<void> {
    await this.controlPlane.end('SIGTERM')
    const made = SimulatedNodes.make(this.controlPlane.dataDir, count, text)
    await this.controlPlane.start()
    await made.connect(this.#agentPort)
    this.simulated = made
  }

  async #addNode(name: string): Promise<void> {
    const { home, nodeBinary, wrong } = this.#deps
    const logFile = join(home, `logs/${name}.log`)
    const cable = await this.network.connect(logFile)
    const dir = join(home, 'disks', name)
    const disk = await SmallDisk.make(dir, DISK_BYTES, join(home, `logs/${name}-disk.log`))
    const stateDir = join(dir, 'state')
    const node = new RealNode({
      ...{ name, logFile, stateDir, host: cable.address, port: PLAIN_PORT, binary: nodeBinary },
      preload: new Preload(this.#preload, join(home, name)),
      wrap: [...disk.wrap, ...cable.wrap],
      visibleStateDir: () => disk.seen(stateDir),
      onUnexplained: (line) => wrong(`${name} logged: ${line}`),
    })
    const listen = [{ address: cable.address, port: PLAIN_PORT }]
    await node.join(this.#agentUrl, await this.controlPlane.api.makeToken({ listen }))
    node.start()
    this.members.push({ node, cable, disk })
  }

  async #serveTls(): Promise<void> {
    const { api } = this.controlPlane
    const { leaf, intermediate, key } = this.#authority.issue(HOSTS[0])
    const body = { name: CERTIFICATE, chain: leaf + intermediate, key }
    await bodyOf(api.call.POST('/api/v1/certificates', { body }))
    for (const { node, cable } of this.members) {
      const { id } = await api.node(node.name)
      const { address } = cable
      const listen = [
        { address, port: PLAIN_PORT },
        { address, port: TLS_PORT, tls: true },
      ]
      const params = { path: { id }, ...ANY_STATE }
      await bodyOf(
        api.call.PUT('/api/v1/nodes/{id}/override', { params, body: { mergePatch: { listen } } }),
      )
    }
    await this.push()
    await this.untilAgreed(FIRST_WITHIN_MS)
  }

  // --- versions ---------------------------------------------------------------------------------

  isGood(label: string): boolean {
    return this.#good.has(label)
  }

  #nextGood(): string {
    const label = `v${++this.#labels}`
    this.#good.add(label)
    return label
  }

  #text(label: string, more: object = {}): string {
    const headers = [{ action: 'set', name: 'X-Version', value: label }]
    const isFirst = this.#labels === 1
    const sites = HOSTS.map((host, i) => ({
      hosts: i === 0 ? [host, '*'] : [host],
      root: rootOf(this.home, host),
      headers,
      ...(i === 0 && !isFirst && { certificates: [{ name: CERTIFICATE }] }),
    }))
    return JSON.stringify({ workers: 1, ...more, sites }, null, 1)
  }

  /** A new version to all at once, as soon as nothing is in its way. Returns its label. */
  async push(): Promise<string> {
    const label = this.#nextGood()
    await this.#order(this.#text(label))
    return label
  }

  /** One that every real node must refuse: what it wants to listen at is another program's. */
  async pushBad(): Promise<void> {
    const { agentPort } = this.controlPlane
    const admin = { address: this.network.controlPlane, port: agentPort }
    await this.#order(this.#text(`bad${++this.#labels}`, { admin }))
  }

  async #order(text: string): Promise<void> {
    const { api } = this.controlPlane
    await patiently(() => api.freezeAll())
    const number = await patiently(() => api.saveVersion(text))
    this.saved.push({ number, text })
    this.orders.push(await patiently(async () => (await api.rollOut(number)).id))
  }

  // --- agreement --------------------------------------------------------------------------------

  /** Until the control plane, each real node's disk and what it serves say the same; null: it was not within the time. */
  async untilAgreed(withinMs: number): Promise<{ afterMs: number; why: string | null }> {
    const startedMs = performance.now()
    const open = new Map(this.members.map(({ node }) => [node, 'nobody has looked yet']))
    const sinceMs = () => performance.now() - startedMs
    for (;;) {
      await dropAgreed(this.controlPlane.api, open)
      if (open.size === 0) return { afterMs: sinceMs(), why: null }
      if (sinceMs() > withinMs) return { afterMs: sinceMs(), why: whyApart(open) }
      await sleep(POLL_MS)
    }
  }

  /** Resolves when it answers a visitor again. */
  async untilServing({ node }: Member): Promise<void> {
    while ((await node.see()).label === null) await sleep(POLL_MS)
  }

  get consoleUrl(): string {
    return this.controlPlane.api.origin
  }
}

/** Again while it says that it is asked for too much just now, as it says to. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let triesLeft = MOST_TRIES; ; triesLeft--) {
    try {
      return await work()
    } catch (error) {
      const mayTry = error instanceof Refused && BUSY.has(error.status) && triesLeft > 1
      if (!mayTry) throw error
      await sleep(AGAIN_MS)
    }
  }
}

// SPDX-License-Identifier: MIT
// A farm's network: a bridge that the control plane and the visitors stand on, and a network of its own for each
// node, with a cable (veth) to the bridge. All of it lives in the network namespace of this very process (run.ts),
// so nothing of the machine's is touched and nothing is left behind.
import { execFileSync } from 'node:child_process'
import { enter, hold } from '../real-farm/namespaces.ts'
import type { Child } from '../real-farm/processes.ts'

/** Nobody's: what is sent there is lost. */
const NOWHERE = '02:00:00:00:00:01'
const FIRST_NODE = 10

const ip = (...words: string[]) => execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'] })

export class Network {
  readonly #nth: number
  readonly #cables: Cable[] = []

  /** `nth`: of the farms of this run, which share no network. */
  constructor(nth: number) {
    this.#nth = nth
    // Without one of its own it takes that of a cable, another one with each that is plugged in.
    ip('link', 'add', this.#bridge, 'address', `02:77:00:00:00:0${nth}`, 'type', 'bridge')
    for (const address of [this.visitors, this.controlPlane, this.strangers]) {
      ip('address', 'add', `${address}/24`, 'dev', this.#bridge)
    }
    ip('link', 'set', this.#bridge, 'up')
  }

  get #bridge(): string {
    return `farm${this.#nth}`
  }

  get visitors(): string {
    return `10.77.${this.#nth}.1`
  }

  get controlPlane(): string {
    return `10.77.${this.#nth}.2`
  }

  /** For who is hostile: what is bounded by address must not touch visitors. */
  get strangers(): string {
    return `10.77.${this.#nth}.3`
  }

  async connect(logFile: string): Promise<Cable> {
    const number = this.#cables.length + 1
    const script = 'ip link set lo up && echo ready && exec cat'
    const holder = await hold(['unshare', '-n', 'sh', '-c', script], logFile)
    const cable = new Cable(holder, {
      name: `cable${this.#nth}-${number}`,
      address: `10.77.${this.#nth}.${FIRST_NODE + number}`,
      bridge: this.#bridge,
      controlPlane: this.controlPlane,
    })
    this.#cables.push(cable)
    return cable
  }

  async end(): Promise<void> {
    await Promise.all(this.#cables.map((cable) => cable.end()))
    ip('link', 'delete', this.#bridge)
  }
}

type Ends = { name: string; address: string; bridge: string; controlPlane: string }

export class Cable {
  readonly address: string
  readonly #name: string
  readonly #controlPlane: string
  readonly #holder: Child

  constructor(holder: Child, { name, address, bridge, controlPlane }: Ends) {
    this.#holder = holder
    this.#name = name
    this.address = address
    this.#controlPlane = controlPlane
    const inside = String(holder.pid)
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', inside)
    ip('link', 'set', name, 'master', bridge, 'up')
    this.#ipInside('address', 'add', `${address}/24`, 'dev', 'eth0')
    this.#ipInside('link', 'set', 'eth0', 'up')
  }

  /** What a command must begin with to run on the node's machine. */
  get wrap(): string[] {
    return enter('n', this.#holder.pid)
  }

  /** Nobody reaches the node, and it reaches nobody. */
  unplug(): void {
    ip('link', 'set', this.#name, 'down')
  }

  plug(): void {
    ip('link', 'set', this.#name, 'up')
  }

  /** Visitors reach it; what it sends to the control plane is lost on the way, and nobody is told. */
  loseControlPlane(): void {
    const there = [this.#controlPlane, 'lladdr', NOWHERE, 'dev', 'eth0', 'nud', 'permanent']
    this.#ipInside('neighbour', 'replace', ...there)
  }

  findControlPlane(): void {
    this.#ipInside('neighbour', 'delete', this.#controlPlane, 'dev', 'eth0')
  }

  #ipInside(...words: string[]): void {
    const [program = '', ...args] = [...this.wrap, 'ip', ...words]
    execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  }

  async end(): Promise<void> {
    await this.#holder.end('SIGKILL')
  }
}

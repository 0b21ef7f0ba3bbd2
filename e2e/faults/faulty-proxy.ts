// SPDX-License-Identifier: MIT
// Between nodes and control plane: passes bytes on, until it is told to be faulty. Then each
// connection goes wrong after a number of bytes of its own, in one direction.
//
//   close      both ends see the connection end
//   reset      … by RST
//   half-open  nothing passes any more in that direction, and nobody is told
//   black-hole … in both
//   stall      what came is held, and passed on when the fault ends
//   flip       one bit is another than it was
//
// When the fault ends, what is half-open is reset, as by a router that has forgotten it.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { HOST } from '../real-farm/host.ts'
import type { Random } from '../real-farm/random.ts'

export const CUTS = ['close', 'reset', 'half-open', 'black-hole', 'stall', 'flip'] as const
export type Cut = (typeof CUTS)[number]
/** More than a TLS handshake and a hello with its certificates; most messages are smaller. */
const MOST_BYTES = 12_000

type Plan = { cut: Cut; direction: 'up' | 'down'; afterBytes: number }
type Pair = { near: Socket; far: Socket; plan: Plan | null; isCut: boolean; held: (() => void)[] }

export class FaultyProxy {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  readonly #targetPort: number
  #random: Random | null = null
  #onCut: (cut: Cut) => void = () => {}
  #mostBytes = MOST_BYTES

  constructor(targetPort: number) {
    this.#targetPort = targetPort
    this.#server = createServer((near) => this.take(near))
  }

  async start(port: number): Promise<void> {
    this.#server.listen(port, HOST)
    await once(this.#server, 'listening')
  }

  async stop(): Promise<void> {
    this.#server.close()
    for (const pair of this.#pairs) this.#reset(pair)
    await once(this.#server, 'close')
  }

  /** From now on: connections that stand go wrong too, each before `mostBytes` more have passed. */
  beginFaults(random: Random, onCut: (cut: Cut) => void, mostBytes = MOST_BYTES): void {
    this.#random = random
    this.#onCut = onCut
    this.#mostBytes = mostBytes
    for (const pair of this.#pairs) pair.plan = this.#draw()
  }

  endFaults(): void {
    this.#random = null
    for (const pair of this.#pairs) {
      if (pair.isCut && pair.plan?.cut !== 'stall') this.#reset(pair)
      pair.plan = null
      for (const pass of pair.held.splice(0)) pass()
    }
  }

  take(near: Socket): void {
    const far = connect(this.#targetPort, HOST)
    const pair: Pair = { near, far, plan: this.#draw(), isCut: false, held: [] }
    this.#pairs.add(pair)
    this.#pass(pair, 'up', near, far)
    this.#pass(pair, 'down', far, near)
  }

  #draw(): Plan | null {
    const random = this.#random
    if (!random) return null
    const direction = random.chance(0.5) ? 'up' : 'down'
    return { cut: random.pick(CUTS), direction, afterBytes: random.magnitude(this.#mostBytes) }
  }

  #pass(pair: Pair, direction: Plan['direction'], from: Socket, to: Socket): void {
    from.setNoDelay(true)
    from.on('data', (bytes) => this.#onData(pair, direction, bytes))
    from.on('error', () => {})
    from.on('end', () => this.#unlessCut(pair, direction, () => to.end()))
    from.on('close', () => {
      this.#unlessCut(pair, direction, () => to.destroy())
      if (pair.near.destroyed && pair.far.destroyed) this.#pairs.delete(pair)
    })
  }

  #onData(pair: Pair, direction: Plan['direction'], bytes: Buffer): void {
    const to = direction === 'up' ? pair.far : pair.near
    const plan = pair.plan
    if (plan && !pair.isCut && plan.direction === direction) {
      if (bytes.length >= plan.afterBytes && plan.cut === 'flip') {
        to.write(flipped(bytes, plan.afterBytes - 1))
        pair.plan = null
        this.#onCut(plan.cut)
        return
      }
      if (bytes.length >= plan.afterBytes) {
        to.write(bytes.subarray(0, plan.afterBytes))
        this.#cut(pair, plan)
        this.#unlessCut(pair, direction, () => to.write(bytes.subarray(plan.afterBytes)))
        return
      }
      plan.afterBytes -= bytes.length
    }
    this.#unlessCut(pair, direction, () => to.write(bytes))
  }

  #cut(pair: Pair, plan: Plan): void {
    pair.isCut = true
    this.#onCut(plan.cut)
    if (plan.cut === 'reset') this.#reset(pair)
    if (plan.cut !== 'close') return
    pair.near.end()
    pair.far.end()
  }

  /** Passes on, keeps for later, or drops. */
  #unlessCut({ plan, isCut, held }: Pair, direction: Plan['direction'], pass: () => void): void {
    if (!plan || !isCut) pass()
    else if (plan.cut === 'stall') held.push(pass)
    else if (plan.cut === 'half-open' && plan.direction !== direction) pass()
  }

  #reset({ near, far }: Pair): void {
    near.resetAndDestroy()
    far.resetAndDestroy()
  }
}

function flipped(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes)
  other.writeUInt8(other.readUInt8(at) ^ 1, at)
  return other
}

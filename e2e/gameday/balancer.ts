// SPDX-License-Identifier: MIT
// A balancer of connections before the real nodes, for clients that know one address: the load tool and browsers. Whoever
// comes while a node does not answer gets the next one; a connection that breaks later is the client's to ask again.
import { connect, createServer, type Socket } from 'node:net'
import { listenAt } from '../real-farm/listen.ts'
import type { Random } from '../real-farm/random.ts'
import { type Member, PLAIN_PORT } from './farm.ts'

const CONNECT_WITHIN_MS = 1000

export class Balancer {
  readonly #members: readonly Member[]
  readonly #random: Random
  readonly #server = createServer((near) => void this.#take(near))
  readonly #open = new Set<Socket>()

  constructor(members: readonly Member[], random: Random) {
    this.#members = members
    this.#random = random
  }

  /** Resolves with its port. */
  start(address: string): Promise<number> {
    return listenAt(this.#server, address)
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
  }

  async #take(near: Socket): Promise<void> {
    this.#keep(near)
    const first = this.#random.below(this.#members.length)
    for (let i = 0; i < this.#members.length && !near.destroyed; i++) {
      const member = this.#members[(first + i) % this.#members.length]
      const far = member && (await reached(member))
      if (!far) continue
      this.#keep(far)
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
      near.pipe(far)
      far.pipe(near)
      return
    }
    near.destroy()
  }

  #keep(socket: Socket): void {
    this.#open.add(socket.setNoDelay(true))
    socket.on('error', () => {})
    socket.on('close', () => this.#open.delete(socket))
  }
}

/** null: it did not take the connection. */
function reached({ cable }: Member): Promise<Socket | null> {
  const { promise, resolve } = Promise.withResolvers<Socket | null>()
  const far = connect(PLAIN_PORT, cable.address)
  const timer = setTimeout(() => far.destroy(), CONNECT_WITHIN_MS)
  far.on('connect', () => {
    clearTimeout(timer)
    resolve(far)
  })
  far.on('error', () => resolve(null))
  far.on('close', () => resolve(null))
  return promise
}

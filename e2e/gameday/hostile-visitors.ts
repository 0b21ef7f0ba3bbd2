// SPDX-License-Identifier: MIT
// Hostile clients of nodes. Each is bounded in connections and time, and says what it did and what came of it.
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Random } from '../real-farm/random.ts'
import { type GameFarm, type Member, PLAIN_PORT, TLS_PORT } from './farm.ts'

export type Attack = {
  name: string
  against: 'nodes' | 'control plane'
  /** Resolves within some ten seconds, with what came of it. */
  run: (farm: GameFarm, random: Random) => Promise<string>
}

const FOR_MS = 8000
const STEP_MS = 100

/** Counts what became of sockets that belong to nobody else. */
export class Sockets {
  readonly #open = new Set<Socket>()
  opened = 0
  closed = 0
  failed = 0

  add(socket: Socket): Socket {
    this.opened++
    this.#open.add(socket)
    socket.on('error', () => {
      this.failed++
    })
    socket.on('close', () => {
      this.closed++
      this.#open.delete(socket)
    })
    return socket
  }

  get asText(): string {
    const still = this.#open.size
    return `${this.opened} connections, ${this.closed} of them ended by the other side, ${still} still open`
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy()
  }
}

type From = Pick<GameFarm, 'network'>

const plainTo = ({ network }: From, { cable }: Member, port = PLAIN_PORT) =>
  connect({ host: cable.address, port, localAddress: network.strangers })

const tlsTo = ({ network }: From, { cable }: Member, ALPNProtocols: string[] = []) =>
  connectTls({
    ...{ host: cable.address, port: TLS_PORT, localAddress: network.strangers },
    ...{ rejectUnauthorized: false, ALPNProtocols },
  })

type Pour = {
  most: number
  perStep: number
  open: (farm: GameFarm, member: Member, random: Random) => Socket
}

/** On one node: opens `perStep` connections each tenth of a second, and never more than `most`. */
const pouring = (name: string, { most, perStep, open }: Pour): Attack => ({
  name,
  against: 'nodes',
  async run(farm, random) {
    const member = random.pick(farm.members)
    const sockets = new Sockets()
    const endsMs = performance.now() + FOR_MS
    while (performance.now() < endsMs) {
      for (let i = 0; i < perStep && sockets.opened - sockets.closed < most; i++) {
        sockets.add(open(farm, member, random))
      }
      await sleep(STEP_MS)
    }
    const told = sockets.asText
    sockets.destroy()
    return `${member.node.name}: ${told}`
  },
})

const handshakeFlood = pouring('flood of handshakes', {
  ...{ most: 200, perStep: 20 },
  open(farm, member) {
    const socket = tlsTo(farm, member)
    return socket.on('secureConnect', () => socket.destroy())
  },
})

const rapidReset: Attack = {
  name: 'HTTP/2 streams reset at once',
  against: 'nodes',
  async run(farm, random) {
    const member = random.pick(farm.members)
    let sessions = 0
    let resets = 0
    const endsMs = performance.now() + FOR_MS
    while (performance.now() < endsMs) {
      const session = connectHttp2(`https://${member.cable.address}:${TLS_PORT}`, {
        createConnection: () => tlsTo(farm, member, ['h2']),
      })
      sessions++
      session.on('error', () => {})
      while (!session.closed && !session.destroyed && performance.now() < endsMs) {
        for (let i = 0; i < 50 && !session.destroyed; i++) {
          const stream = session.request({ ':path': `/file-${i % 24}.html` })
          stream.on('error', () => {})
          stream.close(8)
          resets++
        }
        await sleep(10)
      }
      session.destroy()
      await sleep(STEP_MS)
    }
    return `${member.node.name}: ${resets} streams reset, sent away ${sessions - 1} times`
  },
}

const slowHeaders = pouring('headers that never end', {
  ...{ most: 400, perStep: 40 },
  open(farm, member) {
    const socket = plainTo(farm, member)
    socket.write('GET / HTTP/1.1\r\nHost: first.example\r\n')
    const timer = setInterval(() => socket.writable && socket.write('X-A: b\r\n'), 1000)
    return socket.on('close', () => clearInterval(timer))
  },
})

const slowReaders = pouring('readers that do not read', {
  ...{ most: 200, perStep: 20 },
  open(farm, member) {
    const socket = plainTo(farm, member).pause()
    socket.write('GET /file-23.html HTTP/1.1\r\nHost: first.example\r\n\r\n'.repeat(200))
    return socket
  },
})

const MEBIBYTE = Buffer.alloc(1024 * 1024, 'a')
const GIANT = [
  'GET / HTTP/1.1\r\nHost: first.example\r\nX-Giant: ',
  'POST / HTTP/1.1\r\nHost: first.example\r\nContent-Length: 1000000000000\r\n\r\n',
]

let giants = 0

const giantRequests = pouring('giant headers and bodies', {
  ...{ most: 20, perStep: 2 },
  open(farm, member) {
    const socket = plainTo(farm, member)
    socket.write(GIANT[giants++ % GIANT.length] ?? '')
    for (let i = 0; i < 4; i++) socket.write(MEBIBYTE)
    return socket.resume()
  },
})

const garbage = pouring('bytes that mean nothing', {
  ...{ most: 100, perStep: 10 },
  open(farm, member, random) {
    const socket = plainTo(farm, member, random.pick([PLAIN_PORT, TLS_PORT]))
    socket.write(Buffer.from(Array.from({ length: 400 }, () => random.below(256))))
    return socket.resume()
  },
})

export const AGAINST_NODES: readonly Attack[] = [
  ...[handshakeFlood, rapidReset, slowHeaders, slowReaders, giantRequests, garbage],
]

// SPDX-License-Identifier: MIT
// The port of a replica that is for the others: the leader takes connections there that they hand on. Who asks by HTTP is told
// whether this replica lives and can serve, so that whoever runs it need not ask through it for the leader.
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Listener, LONGEST_BYTES, MARK, readPreface } from './preface.ts'

export type Role = { name: 'leader' } | { name: 'follower'; hasLeader: boolean }
/** The leader's own; a follower has none. */
export type Targets = { key: string; servers: Readonly<Record<Listener, HttpServer>> }
type Deps = {
  port: number
  role: () => Role
  now: () => number
  onError: (error: unknown) => void
}

const FIRST_WITHIN_MS = 5000
const NEWLINE = 0x0a

export async function openPrivatePort({ port, role, now, onError }: Deps) {
  let targets: Targets | null = null
  /** By the address that we see, that of the other replica: whose connection it is. */
  const clients = new Map<string, string>()
  const open = new Set<Socket>()
  const health = createHttpServer((request, response) => {
    const is = role()
    const isReady = is.name === 'leader' || is.hasLeader
    const isGood = request.url === '/live' || (request.url === '/ready' && isReady)
    const status = isGood ? 200 : request.url === '/ready' ? 503 : 404
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
    response.end(`${JSON.stringify({ role: is.name, ready: isReady })}\n`)
  })

  const take = (socket: Socket, line: string, rest: Buffer) => {
    const handedOn = targets && readPreface(line, targets.key, now())
    if (!targets || !handedOn) return socket.destroy()
    const { listener, address } = handedOn
    const seenAs = placeOf(socket)
    clients.set(seenAs, address)
    socket.on('close', () => clients.delete(seenAs))
    showAs(socket, address)
    if (rest.length > 0) socket.unshift(rest)
    targets.servers[listener].emit('connection', socket)
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    const drop = () => socket.destroy()
    socket.on('error', drop)
    const deadline = setTimeout(drop, FIRST_WITHIN_MS)
    socket.once('close', () => clearTimeout(deadline))
    let begun = Buffer.alloc(0)
    const look = () => {
      const came: Buffer | null = socket.read()
      // It ended, and said nothing whole.
      if (came === null) return drop()
      begun = Buffer.concat([begun, came])
      const isOurs = MARK.startsWith(begun.toString('latin1', 0, MARK.length))
      const end = begun.indexOf(NEWLINE)
      if (isOurs && end < 0 && begun.length <= LONGEST_BYTES) return
      socket.off('readable', look)
      if (!isOurs) {
        socket.unshift(begun)
        health.emit('connection', socket)
      } else if (end < 0) drop()
      else {
        clearTimeout(deadline)
        take(socket, begun.toString('latin1', 0, end), begun.subarray(end + 1))
      }
    }
    socket.on('readable', look)
  })
  server.on('error', onError)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, resolve)
  await promise
  server.off('error', reject)

  return {
    /** From now on connections are taken in. */
    lead(to: Targets): void {
      targets = to
      for (const one of Object.values(to.servers)) {
        // What speaks TLS is another socket than came.
        one.prependListener('secureConnection', (socket: TLSSocket) => {
          const address = clients.get(placeOf(socket))
          if (address !== undefined) showAs(socket, address)
        })
      }
    },
    address: () => server.address(),
    async close(): Promise<void> {
      const closed = new Promise((done) => server.close(done))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

const placeOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** Who asks the socket is told of the client, not of the replica before it. */
const showAs = (socket: Socket, address: string) =>
  Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true })

// SPDX-License-Identifier: MIT
// A replica that does not lead takes connections on the same ports and hands each on to the one that does. It reads nothing
// of them: TLS ends at the leader, so nodes and browsers meet the same certificates everywhere.
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { type Listener, prefaceOf } from './preface.ts'

export type Leader = { host: string; port: number; key: string }
export type Place = { host: string; port: number }
/** Of which nothing was read. */
export type Held = { listener: Listener; socket: Socket }

type Deps = {
  places: Readonly<Record<Listener, Place>>
  now: () => number
}

/** While there is no leader, or it does not answer yet: a new one takes seconds. */
const HELD_MS = 15_000
const TRIED_EVERY_MS = 250
/** More are closed at once. */
const MOST_HELD = 4096

export async function openFront({ places, now }: Deps) {
  let leader: Leader | null = null
  const held = new Map<Socket, Held>()
  const open = new Set<Socket>()

  /** Of a connection that waits for it. */
  async function reach(socket: Socket): Promise<{ upstream: Socket; key: string } | null> {
    const untilMs = performance.now() + HELD_MS
    while (held.has(socket) && performance.now() < untilMs) {
      const to = leader
      const upstream = to && (await dialed(to))
      if (upstream) return { upstream, key: to.key }
      await new Promise((resolve) => setTimeout(resolve, TRIED_EVERY_MS))
    }
    return null
  }

  async function handOn(listener: Listener, socket: Socket): Promise<void> {
    open.add(socket)
    socket.on('close', () => {
      open.delete(socket)
      held.delete(socket)
    })
    socket.on('error', () => socket.destroy())
    const address = socket.remoteAddress
    if (held.size >= MOST_HELD || address === undefined) return void socket.destroy()
    held.set(socket, { listener, socket })
    const reached = await reach(socket)
    // It ended meanwhile, or was released.
    if (!held.delete(socket)) return void reached?.upstream.destroy()
    if (!reached) return void socket.destroy()
    const { upstream, key } = reached
    const endBoth = () => {
      socket.destroy()
      upstream.destroy()
    }
    upstream.on('error', endBoth).on('close', endBoth)
    socket.on('close', endBoth)
    upstream.write(prefaceOf({ listener, address }, key, now()))
    socket.pipe(upstream)
    upstream.pipe(socket)
  }

  const listen = async (listener: Listener): Promise<Server> => {
    // Who has said all they have to say may still be answered.
    const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true })
    server.on('connection', (socket) => void handOn(listener, socket))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject)
    server.listen(places[listener], resolve)
    await promise
    return server
  }
  const servers = [await listen('console')]
  try {
    servers.push(await listen('agents'))
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }

  function close(): void {
    for (const server of servers) server.close()
    for (const socket of open) socket.destroy()
  }

  return {
    /** null: nobody knows one. */
    setLeader(to: Leader | null): void {
      leader = to
    },
    hasLeader: () => leader !== null,
    addresses: () => servers.map((server) => server.address()),
    /** Its ports are free for another, who may answer those that still wait. */
    release(): Held[] {
      const waiting = [...held.values()]
      held.clear()
      for (const { socket } of waiting) open.delete(socket)
      close()
      return waiting
    },
    close,
  }
}

/** null: it is not there. */
function dialed({ host, port }: Place): Promise<Socket | null> {
  const socket = dial({ host, port, noDelay: true, allowHalfOpen: true })
  return new Promise((resolve) => {
    const failed = () => {
      socket.destroy()
      resolve(null)
    }
    socket.setTimeout(TRIED_EVERY_MS * 8, failed)
    socket.once('error', failed)
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.off('error', failed)
      resolve(socket)
    })
  })
}

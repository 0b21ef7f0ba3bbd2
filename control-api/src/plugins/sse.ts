// SPDX-License-Identifier: MIT
// Server-sent events to many browsers with bounded memory: a client that does not read is dropped and
// catches up with Last-Event-ID. @fastify/sse is not used because it writes (its heartbeats too)
// without regard to what a client has left unread, and knows no limit and no shutdown of its streams.
import type { FastifyReply } from 'fastify'
import { TooManyOwnStreams, TooManyStreams } from '../api-shapes/errors.ts'

export type SseMessage = { id?: number; event?: string; data: unknown }
export type SseStream = {
  /** False: the client is gone, or was dropped just now. */
  send(message: SseMessage): boolean
  /** Only an id to resume from, no message. */
  setId(id: number): void
  close(): void
  onClose(listener: () => void): void
  readonly closed: boolean
}
export type SseLimits = {
  maxStreams: number
  maxPerCaller: number
  /** Of `maxStreams`, those that only who has none gets: nobody is shut out by what others have open. */
  reserved: number
  maxBufferedBytes: number
  heartbeatMs: number
}

const RETRY_MS = 2000
const AGAIN_SECONDS = 15

export class SseHub {
  readonly #limits: SseLimits
  readonly #streams = new Set<SseStream>()
  readonly #ofCaller = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  constructor(limits: SseLimits) {
    this.#limits = limits
    this.#timer = setInterval(
      () => this.broadcast({ event: 'heartbeat', data: {} }),
      limits.heartbeatMs,
    )
    this.#timer.unref()
  }

  /** Throws when too many are open. Afterwards the reply is the stream's, not Fastify's. */
  open(reply: FastifyReply, caller: string): SseStream {
    const { maxBufferedBytes } = this.#limits
    this.#requireRoom(caller)
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      // Hijacking skips onSend: the security headers set so far are taken along here.
      ...definedHeaders(reply),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies that buffer would hold events back until a page's worth has gathered.
      'x-accel-buffering': 'no',
    })
    const listeners: (() => void)[] = []
    const write = (text: string): boolean => {
      if (stream.closed) return false
      raw.write(text)
      if (raw.writableLength <= maxBufferedBytes) return true
      raw.destroy()
      return false
    }
    const stream: SseStream = {
      send: ({ id, event, data }) =>
        write(
          `${id === undefined ? '' : `id: ${id}\n`}${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`,
        ),
      setId: (id) => {
        write(`id: ${id}\nretry: ${RETRY_MS}\n\n`)
      },
      close: () => raw.end(),
      onClose: (listener) => listeners.push(listener),
      get closed() {
        return raw.writableEnded || raw.destroyed
      },
    }
    this.#streams.add(stream)
    this.#count(caller, 1)
    raw.on('error', () => raw.destroy())
    raw.once('close', () => {
      this.#streams.delete(stream)
      this.#count(caller, -1)
      for (const listener of listeners) listener()
    })
    return stream
  }

  #requireRoom(caller: string): void {
    const { maxStreams, maxPerCaller, reserved } = this.#limits
    const own = this.#ofCaller.get(caller) ?? 0
    const again = { 'retry-after': `${AGAIN_SECONDS}` }
    if (own >= maxPerCaller) throw new TooManyOwnStreams(maxPerCaller).withHeaders(again)
    const room = own === 0 ? maxStreams : maxStreams - reserved
    if (this.#streams.size >= room) throw new TooManyStreams(maxStreams).withHeaders(again)
  }

  #count(caller: string, more: number): void {
    const now = (this.#ofCaller.get(caller) ?? 0) + more
    if (now > 0) this.#ofCaller.set(caller, now)
    else this.#ofCaller.delete(caller)
  }

  get size(): number {
    return this.#streams.size
  }

  close(): void {
    clearInterval(this.#timer)
    for (const stream of this.#streams) stream.close()
  }

  broadcast(message: SseMessage): void {
    for (const stream of this.#streams) stream.send(message)
  }
}

function definedHeaders(reply: FastifyReply): Record<string, string | string[] | number> {
  const defined: Record<string, string | string[] | number> = {}
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined && name !== 'set-cookie') defined[name] = value
  }
  return defined
}

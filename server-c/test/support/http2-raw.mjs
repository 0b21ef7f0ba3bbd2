// SPDX-License-Identifier: MIT
// A client of HTTP/2 that sends the frames it is told, whatever RFC 9113 says of them, and keeps
// those that come: a library would not send what the tests are about.

import { once } from 'node:events'
import net from 'node:net'

export const DATA = 0
export const HEADERS = 1
export const PRIORITY = 2
export const RST_STREAM = 3
export const SETTINGS = 4
export const PING = 6
export const GOAWAY = 7
export const WINDOW_UPDATE = 8
export const CONTINUATION = 9
export const PRIORITY_UPDATE = 16

export const END_STREAM = 1
export const ACK = 1
export const END_HEADERS = 4

export const NO_ERROR = 0
export const PROTOCOL_ERROR = 1
export const CANCEL = 8
export const ENHANCE_YOUR_CALM = 11

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

const WAIT_MS = 20_000

export function frame(type, flags, id, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, payload])
}

export function number32(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Settings as pairs of an identifier and a value. */
export function settings(...pairs) {
  const payload = pairs.map(([id, value]) => Buffer.concat([Buffer.from([0, id]), number32(value)]))
  return frame(SETTINGS, 0, 0, Buffer.concat(payload))
}

const text = (value) => {
  const bytes = Buffer.from(value)
  // An integer with a prefix of seven bits (RFC 7541 section 5.1).
  const length = []
  if (bytes.length < 127) length.push(bytes.length)
  else {
    length.push(127)
    let rest = bytes.length - 127
    for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128)
    length.push(rest)
  }
  return Buffer.concat([Buffer.from(length), bytes])
}

/** A field that no table keeps (RFC 7541 section 6.2.2), or, `indexed`, one that goes into the table. */
export const field = (name, value, indexed = false) =>
  Buffer.concat([Buffer.from([indexed ? 0x40 : 0]), text(name), text(value)])

/** A GET, or what `fields` make of it. */
export const block = (path = '/a.txt', fields = [], method = 'GET') =>
  Buffer.concat([
    field(':method', method),
    field(':scheme', 'http'),
    field(':authority', 'test'),
    field(':path', path),
    ...fields.map(([name, value]) => field(name, value)),
  ])

export const get = (id, path, fields) =>
  frame(HEADERS, END_STREAM | END_HEADERS, id, block(path, fields))

export class Http2Raw {
  constructor(socket) {
    this.socket = socket
    this.rest = Buffer.alloc(0)
    this.frames = []
    this.ended = false
    this.waiting = new Set()
    this.received = 0
    socket.on('data', (chunk) => this.#take(chunk))
    for (const event of ['end', 'close', 'error'])
      socket.on(event, () => {
        this.ended = true
        this.changed()
      })
  }

  /** Connects, and begins to speak HTTP/2 unless `greets` says otherwise. */
  static async connect(port, { greets = true, first = settings(), ...options } = {}) {
    const socket = net.connect({ port, host: '127.0.0.1', ...options })
    await once(socket, 'connect')
    socket.setNoDelay(true)
    const client = new Http2Raw(socket)
    if (greets) client.send(Buffer.from(PREFACE), first)
    return client
  }

  #take(chunk) {
    this.received += chunk.length
    this.rest = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk
    while (this.rest.length >= 9) {
      const length = this.rest.readUIntBE(0, 3)
      if (this.rest.length < 9 + length) break
      this.frames.push({
        type: this.rest[3],
        flags: this.rest[4],
        id: this.rest.readUInt32BE(5),
        payload: this.rest.subarray(9, 9 + length),
      })
      this.rest = this.rest.subarray(9 + length)
    }
    this.changed()
  }

  send(...frames) {
    if (!this.ended) this.socket.write(Buffer.concat(frames))
  }

  changed() {
    for (const wake of this.waiting) wake()
    this.waiting.clear()
  }

  async #wait(probe, what) {
    const end = Date.now() + WAIT_MS
    for (;;) {
      const value = probe()
      if (value) return value
      const left = end - Date.now()
      if (left <= 0) throw new Error(`no ${what} within ${WAIT_MS} ms`)
      let timer
      await new Promise((resolve) => {
        this.waiting.add(resolve)
        timer = setTimeout(resolve, left)
      })
      clearTimeout(timer)
    }
  }

  /** The first frame that `is` says yes to, be it here already or still to come. */
  async frame(is, what = 'such frame') {
    const found = await this.#wait(() => {
      const one = this.frames.find(is)
      return one ?? (this.ended ? 'ended' : null)
    }, what)
    if (found === 'ended') throw new Error(`the connection ended without ${what}`)
    return found
  }

  /** The error code of the last GOAWAY, when the connection has ended. */
  async goodbye() {
    await this.#wait(() => this.ended, 'end of the connection')
    const last = this.frames.filter(({ type }) => type === GOAWAY).at(-1)
    return last?.payload.readUInt32BE(4)
  }

  /** The response's end on stream `id`. */
  async end(id) {
    return this.frame(
      (one) =>
        one.id === id &&
        (one.type === RST_STREAM || (one.type < 2 && (one.flags & END_STREAM) !== 0)),
      `end of stream ${id}`,
    )
  }

  close() {
    this.socket.destroy()
  }
}

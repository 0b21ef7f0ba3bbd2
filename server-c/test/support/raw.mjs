// SPDX-License-Identifier: MIT
// A client that sends the bytes it is told and takes answers apart by RFC 9112, no more: a library
// would mend what the tests are about.

import { once } from 'node:events'
import net from 'node:net'
import { networkInterfaces } from 'node:os'

const ANSWER_MS = 60_000 // for one that never comes

/** Where clients come from that run beside the server: large files are copied to them. */
export const LOOPBACK = '127.0.0.1'
/**
 * Where clients come from unless they say otherwise: another address of this machine, if it has one.
 * Large files go to them as they go over a network, by sendfile.
 */
export const OUTSIDE =
  Object.values(networkInterfaces())
    .flat()
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? LOOPBACK

/** One response from the front of `bytes`, or how many bytes it takes at least. */
function takeResponse(bytes, isHead, ended) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return { needed: bytes.length + 1 }
  const lines = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [, status, reason] = /^HTTP\/1\.1 (\d{3}) (.*)$/.exec(lines[0]) ?? []
  if (!status) throw new Error(`not a status line: ${lines[0]}`)
  const headers = {}
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 2)
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  const bodiless = isHead || status === '304' || status === '204' || status[0] === '1'
  const length = bodiless ? 0 : Number(headers['content-length'])
  const from = end + 4
  if (bytes.length < from + length && !ended) return { needed: from + length }
  const body = bytes.subarray(from, from + length)
  return {
    response: {
      status: Number(status),
      reason,
      headers,
      body,
      // Who compares bytes of megabytes does not pay for their text.
      get text() {
        return body.toString('utf8')
      },
      head: lines.join('\r\n'),
      complete: body.length === length,
    },
    rest: bytes.subarray(from + length),
  }
}

export class RawClient {
  constructor(socket) {
    this.socket = socket
    this.chunks = []
    this.received = 0 // bytes that no response took yet
    this.ended = false
    this.error = null
    socket.on('data', (chunk) => {
      this.chunks.push(chunk)
      this.received += chunk.length
      this.changed()
    })
    socket.on('end', () => {
      this.ended = true
      this.changed()
    })
    socket.on('error', (error) => {
      this.error = error
      this.ended = true
      this.changed()
    })
    this.connectedAt = Date.now()
    socket.on('close', () => {
      this.ended = true
      this.changed()
    })
    this.changed = () => {}
  }

  static async connect(port, { from = OUTSIDE, ...options } = {}) {
    const socket = net.connect({ port, host: LOOPBACK, localAddress: from, ...options })
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  /** What no response took yet, in one piece. */
  #bytes() {
    this.chunks = [Buffer.concat(this.chunks)]
    return this.chunks[0]
  }

  send(bytes) {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  async #wait(probe, what) {
    const timer = setTimeout(() => {
      this.timedOut = true
      this.changed()
    }, ANSWER_MS)
    try {
      for (;;) {
        const value = probe()
        if (value !== null) return value
        if (this.timedOut) throw new Error(`no ${what} within ${ANSWER_MS} ms`)
        await new Promise((resolve) => {
          this.changed = resolve
        })
      }
    } finally {
      clearTimeout(timer)
    }
  }

  async response({ isHead = false } = {}) {
    let needed = 1
    return this.#wait(() => {
      // Joining the chunks each time one comes would be quadratic.
      if (this.received >= needed || this.ended) {
        const taken = takeResponse(this.#bytes(), isHead, this.ended)
        if (taken.response) {
          this.chunks = [taken.rest]
          this.received = taken.rest.length
          return taken.response
        }
        needed = taken.needed
      }
      if (this.ended) throw this.error ?? new Error('closed without an answer')
      return null
    }, 'response')
  }

  /** Resolves when the server has closed; rejects when it goes on. */
  async closed() {
    await this.#wait(() => (this.ended ? true : null), 'end of the connection')
    return this.#bytes()
  }

  close() {
    this.socket.destroy()
  }
}

/** One connection, one answer. */
export async function exchange(port, bytes, { from, isHead } = {}) {
  const client = await RawClient.connect(port, { from })
  try {
    client.send(bytes)
    return await client.response({ isHead })
  } finally {
    client.close()
  }
}

/** A request with the usual fields; `lines` are further header lines. */
export function request(target, { method = 'GET', host = 'test', lines = [], body = '' } = {}) {
  return `${[`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...lines].join('\r\n')}\r\n\r\n${body}`
}

export async function get(port, target, options = {}) {
  const isHead = options.method === 'HEAD'
  return exchange(port, request(target, options), { from: options.from, isHead })
}

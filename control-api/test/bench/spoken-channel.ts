// SPDX-License-Identifier: MIT
// The connection of a node that many-agents.ts speaks for: opened when something is asked, one question at a time. HTTP is
// written and read by hand, for what the nodes cost takes time from who is measured.
import type { TLSSocket } from 'node:tls'

const HEAD_END = Buffer.from('\r\n\r\n')

/** An answer that is none of 200. `code`: the protocol's. */
export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, text: string) {
    super(`${status}: ${text}`)
    this.status = status
    this.code = codeIn(text)
  }
}

function codeIn(text: string): string {
  try {
    return String(JSON.parse(text).code ?? '')
  } catch {
    return ''
  }
}

export class Channel {
  readonly #open: () => TLSSocket
  #socket: TLSSocket | null = null
  #answer: { resolve(text: string): void; reject(error: Error): void } | null = null
  #read = Buffer.alloc(0)

  constructor(open: () => TLSSocket) {
    this.#open = open
  }

  /** Throws Refused, and whatever a connection fails with. */
  async ask<T>(message: string, body: string): Promise<T> {
    return JSON.parse(await this.#ask(message, body)) as T
  }

  /** What is asked fails. */
  hangUp(): void {
    this.#socket?.destroy()
  }

  #ask(message: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject }
      this.#socket ??= this.#connect()
      this.#socket.write(
        `POST /agent/v1/${message} HTTP/1.1\r\nhost: farm\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    })
  }

  #connect(): TLSSocket {
    const socket = this.#open()
    const over = (error?: Error) => {
      if (this.#socket !== socket) return
      this.#socket = null
      this.#read = Buffer.alloc(0)
      this.#settle()?.reject(error ?? new Error('the connection was closed'))
    }
    socket.on('error', over).on('close', () => over())
    socket.on('data', (bytes) => {
      this.#read = this.#read.length === 0 ? bytes : Buffer.concat([this.#read, bytes])
      this.#take()
    })
    return socket
  }

  #take(): void {
    const end = this.#read.indexOf(HEAD_END)
    if (end < 0) return
    const head = this.#read.toString('latin1', 0, end)
    const from = end + HEAD_END.length
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (this.#read.length < from + length) return
    const text = this.#read.toString('utf8', from, from + length)
    this.#read = Buffer.alloc(0)
    const answer = this.#settle()
    const status = Number(head.slice('HTTP/1.1 '.length, 12))
    if (status === 200) answer?.resolve(text)
    else answer?.reject(new Refused(status, text))
  }

  #settle() {
    const answer = this.#answer
    this.#answer = null
    return answer
  }
}

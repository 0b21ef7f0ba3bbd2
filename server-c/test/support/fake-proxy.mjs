// SPDX-License-Identifier: MIT
// An HTTP proxy: tunnels what asks for CONNECT, forwards what names a whole http:// address.
import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import { connect } from 'node:net'
import { pipeline } from 'node:stream'

export class FakeProxy {
  /** All that was asked for, in order: "CONNECT 127.0.0.1:443", "POST http://…" */
  asked = []
  /** Headers of the same. */
  headers = []
  /** Wants this of everybody, when set: "user:password" */
  account = null
  #sockets = new Set()

  async start() {
    this.server = createServer((request, response) => this.#forward(request, response))
    this.server.on('connect', (request, socket, head) => this.#tunnel(request, socket, head))
    this.server.on('connection', (socket) => this.#keep(socket))
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return this
  }

  get url() {
    return `http://127.0.0.1:${this.server.address().port}`
  }

  async stop() {
    this.server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.server, 'close')
  }

  #keep(socket) {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    return socket
  }

  #isWelcome({ method, url, headers }) {
    this.asked.push(`${method} ${url}`)
    this.headers.push(headers)
    const wanted = `Basic ${Buffer.from(this.account ?? '').toString('base64')}`
    return !this.account || headers['proxy-authorization'] === wanted
  }

  #tunnel(request, socket, head) {
    if (!this.#isWelcome(request)) {
      socket.end(
        'HTTP/1.1 407 Who are you?\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n',
      )
      return
    }
    const { hostname, port } = new URL(`http://${request.url}`)
    const there = this.#keep(connect(Number(port), hostname))
    there.on('connect', () => {
      if (socket.destroyed) return void there.destroy()
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      there.write(head)
      pipeline(socket, there, () => {})
      pipeline(there, socket, () => {})
    })
    there.on('error', () => socket.end('HTTP/1.1 502 Nobody there\r\nContent-Length: 0\r\n\r\n'))
  }

  #forward(request, response) {
    if (!this.#isWelcome(request)) {
      response.writeHead(407).end()
      return
    }
    const { method, headers } = request
    const onward = ask(request.url, { method, headers, agent: false }, (answer) => {
      if (response.destroyed) return void answer.destroy() // the node went away while it waited
      response.writeHead(answer.statusCode, answer.headers)
      pipeline(answer, response, () => {})
    })
    onward.on('error', () => response.writeHead(502).end())
    pipeline(request, onward, () => {})
  }
}

// SPDX-License-Identifier: MIT
// Somebody who is told of events, on a socket of their own. The browser tests run it as well.
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export type Received = {
  headers: IncomingHttpHeaders
  body: string
  event: { type: string; data: { id: string } }
}
type Answer = (response: ServerResponse, received: Received) => void

export const ok: Answer = (response) => response.writeHead(204).end()
export const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end('no')

export async function openReceiver() {
  const received: Received[] = []
  const receiver = {
    received,
    answer: ok,
    url: '',
    port: 0,
    types: () => received.map(({ event }) => event.type),
    objects: () => received.map(({ event }) => event.data.id),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    const body = Buffer.concat(chunks).toString('utf8')
    const one = { headers: request.headers, body, event: JSON.parse(body) }
    received.push(one)
    receiver.answer(response, one)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  receiver.port = (server.address() as AddressInfo).port
  receiver.url = `http://127.0.0.1:${receiver.port}/hook`
  return receiver
}

const guide = readFileSync(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8')
const example = /```js\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(example)}`)

/** By the very lines that docs/webhooks.md gives to who writes a receiver. */
export const isSignedWith = (secret: string, { headers, body }: Received): boolean =>
  isOurs(secret, headers, body)

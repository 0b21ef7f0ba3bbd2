// SPDX-License-Identifier: MIT
// A node whose certificate's key signs slowly, and clients that wait for its signature.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { LOOPBACK, RawClient, request } from './raw.mjs'
import { authorities, startTlsNode, tlsClient } from './tls-node.mjs'

export const files = { 'a.txt': 'alpha' }
export const VERSIONS = [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }]
export const MANY = 40
export const ask = () => request('/a.txt', { host: 'a.example' })

export async function start(t, { kind = 'rsa4096', site = {}, config = {} } = {}) {
  const { root, intermediate, folder } = authorities(t)
  const certificate = intermediate.issue(['a.example', LOOPBACK], { kind })
  const node = await startTlsNode(t, {
    sites: [{ hosts: ['a.example', '*'], certificates: [certificate], ...site }],
    files,
    // A busy machine takes its time for so many signatures.
    config: { workers: 1, limits: { headerSeconds: 300 }, ...config },
  })
  return { node, ca: root.pem, intermediate, folder }
}

export async function serves(node, options) {
  const client = await tlsClient(node.tlsPort, options)
  client.send(ask())
  assert.equal((await client.response()).text, 'alpha')
  client.close()
}

/** What a client of TLS says first. */
async function hello(t) {
  const server = net.createServer()
  await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
  t.after(() => server.close())
  const client = net.connect(server.address().port, LOOPBACK)
  const [peer] = await once(server, 'connection')
  tls.connect({ socket: client, servername: 'a.example' }).on('error', () => {})
  const [bytes] = await once(peer, 'data')
  peer.destroy()
  return bytes
}

/** Clients that have said hello and wait for an answer, which takes a signature. */
export async function greet(t, node, count = MANY) {
  const bytes = await hello(t)
  const clients = await Promise.all(
    Array.from({ length: count }, () => RawClient.connect(node.tlsPort)),
  )
  for (const client of clients) client.send(bytes)
  return clients
}

export const closeAll = (clients) => {
  for (const client of clients) client.close()
}

export const answered = (clients) => clients.filter(({ received }) => received > 0).length

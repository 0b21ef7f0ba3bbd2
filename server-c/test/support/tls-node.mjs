// SPDX-License-Identifier: MIT
// A node that speaks TLS, and clients of it.
import { once } from 'node:events'
import tls from 'node:tls'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { startNode, tempFolder } from './node.mjs'
import { Authority } from './pki.mjs'
import { LOOPBACK, RawClient } from './raw.mjs'

/** An authority with an intermediate one, as public ones have it. */
export function authorities(t) {
  const folder = tempFolder(t)
  const root = new Authority(folder, 'root')
  return { folder, root, intermediate: new Authority(folder, 'intermediate', root) }
}

/** `sites`: of the config, each served from the node's folder; the node listens with TLS and without. */
export async function startTlsNode(t, { sites, files = {}, config = {}, listen = {}, wrap = [] }) {
  const tlsPort = await freePort()
  const node = await startNode(t, {
    files,
    wrap,
    config: ({ root }) => ({
      listen: [
        { address: LOOPBACK, port: 0 },
        { address: LOOPBACK, port: tlsPort, tls: true, ...listen },
      ],
      sites: sites.map((site) => ({ root, ...site })),
      ...config,
    }),
  })
  node.tlsPort = tlsPort
  return node
}

/** A socket on which the handshake is over; it waits to be told what to send. */
export async function connectTls(port, options = {}) {
  const socket = tls.connect({
    host: LOOPBACK,
    port,
    servername: 'a.example',
    ALPNProtocols: ['http/1.1'],
    checkServerIdentity: () => undefined,
    ...options,
  })
  // Of TLS 1.2 a session comes with the handshake, of 1.3 after it.
  socket.ticket = once(socket, 'session').then(([session]) => session)
  socket.ticket.catch(() => {})
  await once(socket, 'secureConnect')
  socket.on('error', () => {})
  return socket
}

/** As of raw.mjs, over TLS. */
export const tlsClient = async (port, options) => new RawClient(await connectTls(port, options))

/** The message of a handshake that fails. */
export async function refusal(port, options) {
  const error = await connectTls(port, options).then(
    () => undefined,
    (reason) => reason,
  )
  return error?.code ?? 'none'
}

/** How many handshakes the node has counted that fit `labels`. */
export async function handshakes(node, labels = {}) {
  const { tls } = await node.status()
  return count(tls.handshakes, labels)
}

export async function failures(node, labels = {}) {
  const { tls } = await node.status()
  return count(tls.failures, labels)
}

const count = (list, labels) =>
  list
    .filter((one) => Object.entries(labels).every(([name, value]) => one[name] === value))
    .reduce((sum, one) => sum + one.count, 0)

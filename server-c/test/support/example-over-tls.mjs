// SPDX-License-Identifier: MIT
// The site a.example over TLS, and what its clients ask it.
import { createHash, randomBytes } from 'node:crypto'
import { LOOPBACK, request } from './raw.mjs'
import { authorities, startTlsNode } from './tls-node.mjs'

export const LARGE = randomBytes(3_000_000)
export const sha = (bytes) => createHash('sha256').update(bytes).digest('hex')
export const files = { 'a.txt': 'alpha', 'large.bin': LARGE, 'empty.txt': '' }

/** A node with the site "a.example", and what its clients trust. */
export async function start(t, { site = {}, ...options } = {}) {
  const { root, intermediate } = authorities(t)
  const certificate = intermediate.issue(['a.example', LOOPBACK])
  const node = await startTlsNode(t, {
    sites: [{ hosts: ['a.example', '*'], certificates: [certificate], ...site }],
    files,
    ...options,
  })
  return { node, ca: root.pem, root, intermediate, certificate }
}

export const ask = (target, options) => request(target, { host: 'a.example', ...options })

// SPDX-License-Identifier: MIT
// A port for a server that can't be asked to choose one, or that must come back at the same place.
//
// It is below the range from which the kernel gives ports to outgoing connections and to who asks for
// any: none of these takes it between now and its use, or while its server is away. A name among Linux's
// abstract sockets keeps it from our other processes until this one ends, however it ends.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const FIRST = 20_000 // those before it are the defaults of one program or another

/** Where the kernel's own range begins. */
function kernelFirst() {
  const [first] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)
  return Number(first)
}

/**
 * @param {import('node:net').ListenOptions} where
 * @returns {Promise<import('node:net').Server | undefined>} nothing when somebody else has it
 */
function listen(where) {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen({ ...where, exclusive: true }, () => resolve(server))
  })
}

/** @param {number} port */
async function isUnused(port) {
  const server = await listen({ port })
  if (server) await new Promise((resolve) => server.close(resolve))
  return server !== undefined
}

/**
 * A TCP port that nobody listens on, at whichever address, and that is given to nobody else while this
 * process lives. Throws when there is none in the range.
 * @param {{ first?: number, end?: number }} [range] from `first` on, before `end`
 * @returns {Promise<number>}
 */
export async function freePort({ first = FIRST, end = kernelFirst() } = {}) {
  const count = end - first
  const start = Math.floor(Math.random() * count)
  for (let i = 0; i < count; i++) {
    const port = first + ((start + i) % count)
    const claim = await listen({ path: `\0farmstead-test-port-${port}` })
    if (!claim) continue
    claim.unref()
    if (await isUnused(port)) return port
    claim.close()
  }
  throw new Error(`no TCP port from ${first} to ${end - 1} is free`)
}

/**
 * @param {number} count
 * @returns {Promise<number[]>} all different
 */
export const freePorts = (count) => Promise.all(Array.from({ length: count }, () => freePort()))

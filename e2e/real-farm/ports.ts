// SPDX-License-Identifier: MIT
// Addresses of their own for what is killed and must come back at the same place: the kernel gives
// outgoing connections ports of 127.0.0.1, and so never one that was ours a moment ago.
import { once } from 'node:events'
import { createServer } from 'node:net'

export const HOST = '127.77.0.1'

/** Farms start side by side: a port that one was given may not be taken yet. */
const given = new Set<number>()

export async function freePort(): Promise<number> {
  const port = await unusedPort()
  if (given.has(port)) return await freePort()
  given.add(port)
  return port
}

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

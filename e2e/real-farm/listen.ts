// SPDX-License-Identifier: MIT
import { once } from 'node:events'
import type { Server } from 'node:net'

/** At a port that is free; resolves with it once who comes is taken. */
export async function listenAt(server: Server, address: string): Promise<number> {
  server.listen(0, address)
  await once(server, 'listening')
  const place = server.address()
  return typeof place === 'object' && place ? place.port : 0
}

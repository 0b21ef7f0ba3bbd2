// SPDX-License-Identifier: MIT
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A TLS server's own closeAllConnections ends what HTTP knows of; a socket that is silent or within the handshake it does not. */
export function closeEverySocketOf(server: Server): void {
  const open = new Set<Socket>()
  server.prependListener('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.closeAllConnections = () => {
    for (const socket of open) socket.destroy()
  }
}

// SPDX-License-Identifier: MIT
// A port for a server that can't be asked to choose one. Somebody else may take it meanwhile.
import { createServer } from 'node:net'

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

// SPDX-License-Identifier: MIT
import net from 'node:net'
import { LOOPBACK } from './raw.mjs'

/** A proxy that gives each byte of the client's to the node by itself. Returns its port. */
export async function byteByByte(t, port) {
  const server = net.createServer({ noDelay: true }, (near) => {
    const far = net.connect({ port, host: LOOPBACK, noDelay: true })
    near.on('data', async (bytes) => {
      near.pause()
      for (const byte of bytes) {
        far.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      near.resume()
    })
    far.pipe(near)
    near.on('close', () => far.destroy()).on('error', () => {})
    far.on('error', () => near.destroy())
  })
  await new Promise((resolve) => server.listen(0, LOOPBACK, resolve))
  t.after(() => server.close())
  return server.address().port
}

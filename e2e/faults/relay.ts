// SPDX-License-Identifier: MIT
// Runs in a network of its own (machines.ts) and is the only way out of it and into it:
//   node relay.ts HOST PORT OUT_SOCKET NODE_PORT IN_SOCKET
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

const [host = '', port, outSocket = '', nodePort, inSocket = ''] = process.argv.slice(2)

function join(near: Socket, far: Socket): void {
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}

const out = createServer((near) => join(near, connect(outSocket))).listen(Number(port), host)
const into = createServer((near) => join(near, connect(Number(nodePort), host))).listen(inSocket)
await Promise.all([once(out, 'listening'), once(into, 'listening')])
process.stdout.write('ready\n')
process.stdin.resume().on('end', () => process.exit(0))

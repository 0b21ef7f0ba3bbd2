// SPDX-License-Identifier: MIT
// Runs farmload, which is built beside the node, on a plan of the test.
import { spawn } from 'node:child_process'
import net from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { nodeBinary } from './node.mjs'

export const farmloadBinary = process.env.FARMLOAD ?? join(dirname(nodeBinary), 'farmload')

export const target = (port, more = {}) => ({
  name: 'localhost',
  address: '127.0.0.1',
  port,
  ...more,
})

/** A run of it. `lines` follow the plan, for a replay. */
export function startFarmload(plan, lines = '') {
  const child = spawn(farmloadBinary, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdin.end(`${JSON.stringify(plan)}\n${lines}`)
  const exit = new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? code))
  })
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)])
  return {
    child,
    ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })),
  }
}

/** What a run counted. */
export async function load(plan, lines) {
  const { code, stdout, stderr } = await startFarmload(plan, lines).ended
  if (code !== 0) throw new Error(`farmload ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** A server of the test: `onConnection` gets each socket. Its port. */
export async function listen(t, onConnection) {
  const sockets = new Set()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return server.address().port
}

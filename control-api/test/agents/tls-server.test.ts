// SPDX-License-Identifier: MIT
// How a connection begins: what comes before a request, or in place of one.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { tlsServerOf } from '../../src/agents/tls-server.ts'
import { openAuthority } from '../../src/ca/authority.ts'

async function listen({ handshakeWithinMs }: { handshakeWithinMs?: number } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-tls-server-'))
  const authority = await openAuthority({
    dataDir,
    now: Date.now,
    hasIssued: async () => false,
    onError: (error) => {
      throw error
    },
  })
  const server = tlsServerOf(
    authority,
    handshakeWithinMs,
  )((request, response) => {
    let bytes = 0
    request.on('data', (chunk) => {
      bytes += chunk.length
    })
    request.on('end', () => response.end(`${bytes}`))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    authority.close()
    rmSync(dataDir, { recursive: true })
  })
  const connections = promisify(server.getConnections.bind(server))
  return { port: (server.address() as AddressInfo).port, connections }
}

function asked(port: number, body: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  socket.write(
    `POST / HTTP/1.1\r\nhost: farm\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  return new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text)).on('error', reject)
  })
}

/** Passes on what comes, so many bytes at a time. */
async function inPieces(port: number, bytes: number): Promise<number> {
  const sockets = new Set<Socket>()
  const pass = async (from: Socket) => {
    const to = connectPlain(port, '127.0.0.1').setNoDelay(true)
    for (const socket of [from, to]) sockets.add(socket.on('error', () => {}))
    to.pipe(from)
    for await (const chunk of from) {
      for (let at = 0; at < chunk.length; at += bytes) {
        to.write(chunk.subarray(at, at + bytes))
        await setImmediate()
      }
    }
  }
  // The end of the test cuts it off.
  const server = createServer((from) => void pass(from).catch(() => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('a request is answered however large it is, and in whatever pieces it comes', async () => {
  const { port } = await listen()
  const body = 'x'.repeat(300_000)
  expect(await asked(port, body)).toMatch(/\r\n\r\n300000$/)
  expect(await asked(await inPieces(port, 1), 'x'.repeat(100))).toMatch(/\r\n\r\n100$/)
  expect(await asked(await inPieces(port, 1_000), body)).toMatch(/\r\n\r\n300000$/)
})

test('who says nothing, or half of a hello, has a connection no longer than a handshake may take', async () => {
  const { port, connections } = await listen({ handshakeWithinMs: 100 })
  const closed = ['', '\x16\x03\x01\x02\x00\x01'].map((begun) => {
    const socket = connectPlain(port, '127.0.0.1').on('error', () => {})
    socket.write(begun, 'latin1')
    return once(socket, 'close')
  })
  await Promise.all(closed)
  await expect.poll(() => connections()).toBe(0)
})

test('who goes before a word is forgotten at once', async () => {
  const { port, connections } = await listen()
  const ends = connectPlain(port, '127.0.0.1')
  ends.end()
  const resets = connectPlain(port, '127.0.0.1')
  await Promise.all([once(ends, 'close'), once(resets, 'connect')])
  await expect.poll(() => connections()).toBe(1)
  resets.resetAndDestroy()
  await expect.poll(() => connections()).toBe(0)
  expect(await asked(port, 'x')).toMatch(/^HTTP\/1.1 200 /)
})

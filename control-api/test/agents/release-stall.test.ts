// SPDX-License-Identifier: MIT
// Who does not read what it asked for keeps no turn.
import { once } from 'node:events'
import { truncateSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { createNodeReleases } from '../../src/agents/releases.ts'
import { tempDir } from '../helper.ts'

test('a connection that takes nothing is cut, and its turn is another’s', async () => {
  const path = join(tempDir(), 'large')
  writeFileSync(path, '')
  const size = 64 * 1024 * 1024
  truncateSync(path, size)
  const releases = createNodeReleases(
    { ...{ db: null as never, folder: null as never }, room: null as never, ahead: null as never },
    {
      ...{ atOnce: 1, perNode: 1, waitMs: 10_000, stallMs: 400 },
    },
  )
  const replyOf = (raw: ServerResponse) => {
    const reply = { raw, header: () => reply, send: (bytes: Readable) => bytes.pipe(raw) }
    return reply as unknown as FastifyReply
  }
  const looked = { now: 0, most: 0 }
  const server = createServer((_, raw) => {
    const find = async () => {
      looked.most = Math.max(looked.most, ++looked.now)
      raw.once('close', () => looked.now--)
      return { contents: [{ path, size }], from: 0 }
    }
    void releases.send(replyOf(raw), 'node', find)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const silent = connect(port, '127.0.0.1').on('error', () => {})
  silent.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  silent.pause()
  await once(server, 'request')
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  let read = 0
  for await (const chunk of answer.body ?? []) read += chunk.length
  expect(read).toBe(size)
  expect(releases.sentBytes()).toBeGreaterThan(size)
  // Nobody looks for what it asked for before its turn.
  expect(looked.most).toBe(1)
  silent.destroy()
})

// SPDX-License-Identifier: MIT
// Nodes with folders of very many files, and clients that ask for their lists.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNode, until } from './node.mjs'
import { RawClient, request } from './raw.mjs'

/** Where files are made twenty times as quickly as on a disk, if the system has it. */
const FAST = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
export const JSON_WANTED = { lines: ['Accept: application/json'] }
// As text of a page each of these bytes is four, and in the link three.
export const LONG = '<'.repeat(248)

/** A node with `count` empty files f000001, f000002 … in /many/, whose names end in `rest`. */
export async function startListing(t, { count, rest = '' }) {
  const root = mkdtempSync(join(FAST, 'farmstead-listings-'))
  t.after(() => rmSync(root, { recursive: true }))
  const node = await startNode(t, {
    files: { 'a.txt': 'alpha' },
    site: { root, directoryListing: { enabled: true, maxEntries: 200_000 } },
    config: {
      workers: 1,
      // A slow machine takes its time for lists as long as these, and so does the client that checks them.
      io: { timeoutSeconds: 300 },
      limits: { minBytesPerSecond: 0, writeSeconds: 300, keepAliveIdleSeconds: 300 },
    },
  })
  node.many = join(node.root, 'many')
  mkdirSync(node.many)
  execFileSync('sh', ['-c', `seq -f 'f%06.0f${rest}' 1 ${count} | xargs touch -d @1700000000`], {
    cwd: node.many,
  })
  return node
}

export const names = (text) =>
  [...text.matchAll(/<bdi>(f\d+)[^/]*<\/bdi>/g)].map(([, name]) => name)

export function checkNames(got, count) {
  assert.equal(got.length, count)
  const wrong = got.findIndex((name, i) => name !== `f${String(i + 1).padStart(6, '0')}`)
  assert.equal(wrong, -1, `${got[wrong]} is in place ${wrong + 1}`)
}

/** A client that has the first bytes of the list and takes no more. */
export async function beginning(node) {
  const client = await RawClient.connect(node.port)
  client.send(request('/many/'))
  await until(() => client.received > 0, 'the first bytes')
  client.socket.pause()
  return client
}

export async function theRest(client) {
  client.socket.resume()
  return (await client.response()).body
}

/** Asks for `path` and resets the connection when the first bytes of the list are there. */
export async function resetHttp1(node, path) {
  const client = await RawClient.connect(node.port)
  client.send(request(path))
  await until(() => client.received > 0, 'the first bytes')
  assert.match(client.chunks[0].toString('latin1'), /^HTTP\/1\.1 200 /)
  client.socket.resetAndDestroy()
}

export function resetHttp2(session, path) {
  const stream = session.request({ ':path': path })
  return new Promise((resolve, reject) => {
    stream.on('error', reject)
    stream.on('response', ({ ':status': status }) => {
      if (status !== 200) reject(new Error(`status ${status}`))
    })
    stream.once('data', () => stream.close(8))
    stream.on('close', resolve)
  })
}

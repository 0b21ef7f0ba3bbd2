// SPDX-License-Identifier: MIT
// Who is measured: our node, other builds of it (`name=path`), the peers, and the floor.
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../scripts/setup/problem.mjs'
import { CACHE_SECONDS, IDLE_SECONDS, MOST_REQUESTS, peersFrom } from './peers.mjs'

/** @typedef {import('./peers.mjs').Server} Server */

const config = (
  { dir, root, port, loops, connections, cachedFiles, certificate },
  { defersAccept = false, compresses = false, tries },
) => ({
  listen: [
    {
      address: '127.0.0.1',
      port,
      ...(defersAccept ? { deferAccept: 'always' } : {}),
      ...(certificate ? { tls: true } : {}),
    },
  ],
  workers: loops,
  limits: {
    connections,
    keepAliveRequests: MOST_REQUESTS,
    keepAliveIdleSeconds: IDLE_SECONDS,
  },
  statCache: { engine: 'ttl', ttlMillis: 1000 * CACHE_SECONDS, maxEntries: 250_000 },
  fileCache: { maxOpenFiles: cachedFiles },
  ...(compresses ? { compression: { cacheFolder: join(dir, 'copies') } } : {}),
  errorLog: { level: 'warn' },
  sites: [
    {
      hosts: ['*'],
      root,
      ...(certificate ? { certificates: [certificate] } : {}),
      ...(tries ? { tryFiles: [{ candidates: tries }] } : {}),
    },
  ],
})

/**
 * Runs a copy: the servers' user may not get into the checkout, and a build that goes on meanwhile
 * changes nothing.
 * @param {string} name @param {string} binary @returns {Server}
 */
const ours = (name, binary) => ({
  name,
  kind: 'ours',
  protocols: ['http', 'https', 'h2', 'h2c'],
  version: () =>
    `build ${createHash('sha256').update(readFileSync(binary)).digest('hex').slice(0, 8)}`,
  command: (setting, prepared) => {
    const file = join(setting.dir, 'config.json')
    const program = join(setting.dir, 'farmstead-node')
    writeFileSync(file, JSON.stringify(config(setting, prepared), null, 2))
    copyFileSync(binary, program)
    return [program, 'serve', '--config', file]
  },
})

const REASONS = { 200: 'OK', 206: 'Partial Content', 304: 'Not Modified' }

/** A response's head as a server would send it, no longer than it must be. */
function headOf({ status, expect = {} }, sent) {
  const fields = {
    Date: new Date().toUTCString(),
    Server: 'floor',
    ...(status === 304 ? {} : { 'Content-Type': 'text/html', 'Content-Length': sent.length }),
    'Last-Modified': new Date(0).toUTCString(),
    ...expect,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} ${REASONS[status]}\r\n${lines.join('')}\r\n`)
}

/** @param {string} binary @returns {Server} */
const floor = (binary) => ({
  name: 'floor',
  kind: 'floor',
  protocols: ['http'],
  version: () => 'a bare epoll loop',
  command: ({ dir, port, loops }, { defersAccept, floor: { answers, bodyFiles, closes } }) => {
    const files = answers.flatMap((answer, i) => {
      const file = join(dir, `${i}.answer`)
      const sent = answer.sent ?? answer.body
      writeFileSync(file, Buffer.concat([headOf(answer, sent), ...(bodyFiles ? [] : [sent])]))
      return bodyFiles ? [file, bodyFiles[i]] : [file]
    })
    const flags = { '-b': bodyFiles, '-c': closes, '-d': defersAccept }
    const options = Object.keys(flags).filter((flag) => flags[flag])
    return [binary, ...options, String(port), String(loops), ...files]
  },
})

/**
 * @param {string[]} wanted names, or `name=path` for another build of our node
 * @param {{ node: string, floor: string, caddy: string }} binaries
 * @returns {Server[]}
 */
export function chooseServers(wanted, binaries) {
  const known = [ours('farmstead', binaries.node), ...peersFrom(binaries), floor(binaries.floor)]
  const names = known.map(({ name }) => name)
  return (wanted.length ? wanted : names).map((word) => {
    const [name, binary] = word.split('=')
    if (binary) return ours(name, binary)
    const server = known.find((one) => one.name === name)
    if (server) return server
    throw new Problem(
      `There is no server "${word}": choose of ${names.join(', ')}, or name=PATH for another build of farmstead-node.`,
    )
  })
}

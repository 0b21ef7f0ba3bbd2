// SPDX-License-Identifier: MIT
// The programs that ask: wrk; h2load, which speaks HTTP/2; and tls_load, which resumes TLS sessions.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const wrkFolder = fileURLToPath(new URL('wrk', import.meta.url))
const WRK_TIMEOUT_SECONDS = 10
const ENDS_WITHIN_MS = 15_000

/** All clients of TLS offer the same and nothing else, whichever ciphers a server would prefer. */
const CIPHER = 'TLS_AES_128_GCM_SHA256'
const GROUP = 'X25519'
const OPENSSL_CONFIG = `openssl_conf = all
[all]
ssl_conf = ssl
[ssl]
system_default = offer
[offer]
MinProtocol = TLSv1.3
Ciphersuites = ${CIPHER}
Groups = ${GROUP}
`

/** @param {string} dir where the run keeps its files */
export function offerTheSame(dir) {
  const path = join(dir, 'openssl-client.cnf')
  writeFileSync(path, OPENSSL_CONFIG)
  return { OPENSSL_CONF: path }
}

/**
 * @typedef {object} Client
 * @property {number} seconds may be a fraction
 * @property {number[]} cores
 * @property {{ tlsLoad: string, holder: string }} programs
 * @property {Record<string, string>} env
 * @property {number} [niceness]
 *
 * @typedef {object} Found times in microseconds; null: the program does not say
 * @property {number} requests
 * @property {number} bytes
 * @property {number} microseconds
 * @property {number | null} p50
 * @property {number | null} p99
 * @property {number} max
 * @property {Record<string, number>} errors
 */

/** @param {string[]} args @param {Client} client @param {number} [interruptAfter] seconds */
async function outputOf(args, { seconds, cores, env, niceness = 0 }, interruptAfter) {
  const placed = ['-n', String(niceness), 'taskset', '-c', cores.join(','), ...args]
  const child = spawn('nice', placed, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const late = setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + ENDS_WITHIN_MS)
  const enough = interruptAfter
    ? setTimeout(() => child.kill('SIGINT'), interruptAfter * 1000)
    : undefined
  let output = ''
  const take = (chunk) => {
    output += chunk
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  await once(child, 'close')
  clearTimeout(late)
  clearTimeout(enough)
  return output
}

/** @returns {Found} */
function saidJson(output) {
  const said = /^bench-json (.*)$/m.exec(output)?.[1]
  if (!said) throw new Error(`the client did not say what it found:\n${output}`)
  return JSON.parse(said)
}

/** Of whole seconds only; it is interrupted in the middle of one. */
async function wrk({ port, headers, where }, { connections, protocol }, client) {
  const { seconds, cores, env } = client
  const { script = 'report', scriptArgs = [], path } = where.prepared
  const args = [
    ...['wrk', '-t', String(Math.min(cores.length, connections)), '-c', String(connections)],
    ...['-d', `${Math.ceil(seconds)}s`, '--timeout', `${WRK_TIMEOUT_SECONDS}s`],
    ...['-s', `${wrkFolder}/${script}.lua`],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    `${protocol}://127.0.0.1:${port}${path}`,
    ...['--', ...scriptArgs.map(String)],
  ]
  const withLua = { ...client, env: { ...env, LUA_PATH: `${wrkFolder}/?.lua;;` } }
  return saidJson(await outputOf(args, withLua, Number.isInteger(seconds) ? undefined : seconds))
}

async function tlsLoad({ port, where }, { connections, resumes }, client) {
  const { seconds, cores, programs } = client
  const args = [port, seconds, connections, where.prepared.path, resumes ? 'resume' : 'full']
  return saidJson(await outputOf([programs.tlsLoad, ...args, ...cores].map(String), client))
}

const UNITS = { us: 1, ms: 1e3, s: 1e6, m: 60e6 }

/** @param {string} [text] "1.25ms" */
function microseconds(text = '') {
  const [, number, unit] = /^([\d.]+)(us|ms|s|m)$/.exec(text) ?? []
  return Math.round(Number(number ?? 0) * (UNITS[unit] ?? 0))
}

/** What h2load prints. It tells no percentiles. @param {string} output @returns {Found} */
export function readH2load(output) {
  const number = (pattern) => Number(pattern.exec(output)?.[1] ?? 0)
  const finished = /^finished in (\S+), ([\d.]+) req\/s/m.exec(output)
  if (!finished) throw new Error(`h2load did not say what it found:\n${output}`)
  const [, , max] = /^time for request: +(\S+) +(\S+)/m.exec(output) ?? []
  return {
    requests: number(/^requests: .* (\d+) succeeded/m),
    bytes: number(/^traffic: \S+ \((\d+)\) total/m),
    microseconds: microseconds(finished[1]),
    p50: null,
    p99: null,
    max: microseconds(max),
    errors: { failed: number(/^requests: .* (\d+) failed/m) },
  }
}

async function h2load({ port, where }, { connections, protocol, streams }, client) {
  const { seconds, cores } = client
  const { prepared, dir } = where
  const origin = `${protocol === 'h2' ? 'https' : 'http'}://127.0.0.1:${port}`
  const list = join(dir, 'h2load-paths')
  writeFileSync(list, (prepared.paths ?? [prepared.path]).map((path) => origin + path).join('\n'))
  const args = [
    ...['h2load', '-t', Math.min(cores.length, connections), '-c', connections, '-m', streams],
    ...['-D', `${Math.round(seconds * 1000)}ms`, '--npn-list=h2', `--tls13-ciphers=${CIPHER}`],
    ...[`--groups=${GROUP}`, '-i', list],
  ]
  return readH2load(await outputOf(args.map(String), client))
}

const clients = { wrk, tls_load: tlsLoad, h2load }

/**
 * @param {import('./instance.mjs').Instance} instance
 * @param {import('./loads.mjs').Load} load
 * @param {Client} client
 * @returns {Promise<Found>}
 */
export const runClient = (instance, load, client) =>
  clients[load.client ?? 'wrk'](instance, { protocol: 'http', ...load }, client)

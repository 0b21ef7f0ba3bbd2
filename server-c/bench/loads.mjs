// SPDX-License-Identifier: MIT
// What is asked of the servers. A load makes its files, says what wrk does, which answers are right
// (each server must give them before it is measured), and what the floor sends.
import { gzipSync } from 'node:zlib'
import { secureLoads } from './secure-loads.mjs'
import { bigPath, fileBody, filePath, KIB, MIB, mixPath, PER_FOLDER } from './site.mjs'

/**
 * @typedef {object} Answer what a path is to be answered with
 * @property {string} path
 * @property {Record<string, string>} [headers] of the request
 * @property {number} status
 * @property {Buffer} body once decoded
 * @property {Buffer} [sent] by the floor, where that is not the body
 * @property {Record<string, string>} [expect] headers of the answer
 *
 * @typedef {object} Prepared
 * @property {string} path the client's
 * @property {string} [script] in wrk/, when not one path only
 * @property {(string | number)[]} [scriptArgs]
 * @property {string[]} [paths] h2load's, when not one path only
 * @property {Record<string, string>} [headers] of every request
 * @property {boolean} [defersAccept] servers that can, accept with the first bytes
 * @property {boolean} [compresses] servers compress files themselves; the first answers may be as they are
 * @property {string[]} [tries] what is looked for in place of the path, as our tryFiles says it
 * @property {boolean} [sendsEtag] If-None-Match with the server's own ETag in every request
 * @property {Answer[]} answers
 * @property {{ answers: Answer[], bodyFiles?: string[], closes?: boolean }} [floor] none where it takes no part
 *
 * @typedef {object} Load
 * @property {string} name
 * @property {string} title
 * @property {number} connections
 * @property {'http' | 'https' | 'h2' | 'h2c'} [protocol] http unless said; h2 is over TLS, h2c by prior knowledge
 * @property {'ec' | 'rsa'} [certificate] the key's kind, with TLS
 * @property {'wrk' | 'tls_load' | 'h2load'} [client] wrk unless said
 * @property {boolean} [resumes] tls_load's sessions
 * @property {number} [streams] h2load's, of each connection
 * @property {number} [storm] connections beside that make full handshakes without a pause
 * @property {number} [idle] connections that are held beside
 * @property {number} [warmUp] times as long as usual
 * @property {boolean} [loops] one loop against two, ours and the floor only
 * @property {(site: import('./site.mjs').Site, scale: number) => Prepared} prepare
 */

const ok = (path, body, more = {}) => ({ path, status: 200, body, ...more })

function page(site, name, bytes, more = {}) {
  const { urlPath, body } = site.page(name, bytes)
  const answers = [ok(urlPath, body)]
  return { path: urlPath, answers, floor: { answers }, ...more }
}

const scaled = (count, scale) => Math.max(2, Math.round(count * scale))

/** 4 KB each, any as likely as any other. */
function manyFiles(folder, wanted) {
  return (site, scale) => {
    const count = scaled(wanted, scale)
    site.many(folder, count)
    const answers = Array.from({ length: 20 }, (_, i) => Math.floor((i * (count - 1)) / 19)).map(
      (n) => ok(filePath(folder, n), fileBody(n)),
    )
    return {
      path: filePath(folder, 0),
      script: 'files',
      scriptArgs: [folder, count, PER_FOLDER],
      answers,
      floor: { answers: answers.slice(0, 1) },
    }
  }
}

function mix(site) {
  const bodies = site.mix(150)
  const answers = bodies.map((body, i) => ok(mixPath(i), body))
  return {
    path: mixPath(0),
    script: 'mix',
    scriptArgs: [bodies.length],
    answers,
    floor: { answers },
  }
}

function notModified(site) {
  const { urlPath, body } = site.page('4k', 4 * KIB)
  const plain = ok(urlPath, body)
  const answer = { path: urlPath, status: 304, body: Buffer.alloc(0) }
  return {
    path: urlPath,
    sendsEtag: true,
    answers: [plain, answer],
    floor: { answers: [{ ...answer, expect: { ETag: '"floor"' } }] },
  }
}

const BIG_FILES = 8

function bigFiles(site, scale) {
  const bodies = site.big(BIG_FILES, Math.round(10 * MIB * Math.max(scale, 0.1)))
  const answers = bodies.map((body, i) => ok(bigPath(i), body))
  return {
    path: bigPath(0),
    script: 'big',
    scriptArgs: [bodies.length],
    answers,
    floor: { answers, bodyFiles: bodies.map((_, i) => site.path(bigPath(i))) },
  }
}

const RANGE_BYTES = 64 * KIB

function ranges(site, scale) {
  const bodies = site.big(BIG_FILES, Math.round(10 * MIB * Math.max(scale, 0.1)))
  const size = bodies[0].length
  const answers = [0, 12345, size - RANGE_BYTES].map((from, i) => ({
    path: bigPath(i),
    headers: { Range: `bytes=${from}-${from + RANGE_BYTES - 1}` },
    status: 206,
    body: bodies[i].subarray(from, from + RANGE_BYTES),
    expect: { 'Content-Range': `bytes ${from}-${from + RANGE_BYTES - 1}/${size}` },
  }))
  return {
    path: bigPath(0),
    script: 'ranges',
    scriptArgs: [bodies.length, size, RANGE_BYTES],
    answers,
    floor: { answers: answers.slice(0, 1) },
  }
}

function gzip(site) {
  const { urlPath, body, gzipped } = site.page('gzip', 66636, { gzip: true })
  const headers = { 'Accept-Encoding': 'gzip' }
  const compressed = {
    path: urlPath,
    headers,
    status: 200,
    body,
    expect: { 'Content-Encoding': 'gzip' },
  }
  return {
    path: urlPath,
    headers,
    answers: [ok(urlPath, body), compressed],
    floor: { answers: [{ ...compressed, sent: gzipped }] },
  }
}

/** The same page without a copy beside it. */
function compress(site) {
  const { urlPath, body } = site.page('compress', 66636)
  const headers = { 'Accept-Encoding': 'gzip' }
  const expect = { 'Content-Encoding': 'gzip' }
  const compressed = { path: urlPath, headers, status: 200, body, expect }
  return {
    path: urlPath,
    headers,
    compresses: true,
    answers: [ok(urlPath, body), compressed],
    floor: { answers: [{ ...compressed, sent: gzipSync(body, { level: 9 }) }] },
  }
}

const APP = ['{path}', '/try/page.html']
const CLEAN = ['{path}', '{path}.html']

/** The file of `4k` under a path at which there is none. @param {string} path @param {string[]} tries */
const elsewhere = (path, tries) => (site) => {
  const { urlPath, body } = site.page('try', 4 * KIB)
  const answers = [ok(path, body)]
  return { path, tries, answers: [ok(urlPath, body), ...answers], floor: { answers } }
}

function connect(site) {
  const headers = { Connection: 'close' }
  const { path, answers } = page(site, '4k', 4 * KIB)
  const closing = answers.map((answer) => ({ ...answer, headers }))
  return {
    path,
    headers,
    answers: closing,
    floor: { answers: closing.map((answer) => ({ ...answer, expect: headers })), closes: true },
  }
}

/** @type {Load[]} */
const plainLoads = [
  {
    name: '4k',
    title: '4 KB, keep-alive, 64 connections',
    connections: 64,
    prepare: (site) => page(site, '4k', 4 * KIB),
  },
  {
    name: '449',
    title: '449 bytes over 1,000 connections (the 2005 test)',
    connections: 1000,
    prepare: (site) => page(site, '449', 449),
  },
  {
    name: 'page',
    title: 'a page of 66,636 bytes, 30 at a time (the 2010 test)',
    connections: 30,
    prepare: (site) => page(site, 'page', 66636),
  },
  {
    name: 'mix',
    title: '150 files by popularity, 16 bytes to 0.25 MB, 64 connections (the 2009 test)',
    connections: 64,
    prepare: mix,
  },
  {
    name: '12k',
    title: '12,000 files of 4 KB, 64 connections',
    connections: 64,
    warmUp: 4,
    prepare: manyFiles('12k', 12_000),
  },
  {
    name: '200k',
    title: '200,000 files of 4 KB, 64 connections',
    connections: 64,
    warmUp: 8,
    prepare: manyFiles('200k', 200_000),
  },
  {
    name: 'connect',
    title: 'a connection per request, 4 KB, 64 at a time',
    connections: 64,
    prepare: connect,
  },
  {
    name: 'connect-deferred',
    title: 'the same, accepted with the first bytes by all that can (TCP_DEFER_ACCEPT)',
    connections: 64,
    prepare: (site) => ({ ...connect(site), defersAccept: true }),
  },
  { name: '304', title: '304 Not Modified, 64 connections', connections: 64, prepare: notModified },
  {
    name: '10m',
    title: '8 files of 10 MB, 16 connections',
    connections: 16,
    prepare: bigFiles,
  },
  {
    name: 'range',
    title: 'ranges of 64 KB anywhere in 8 files of 10 MB, 64 connections',
    connections: 64,
    prepare: ranges,
  },
  {
    name: 'idle',
    title: '10,000 idle keep-alive connections beside 4 KB over 64',
    connections: 64,
    idle: 10_000,
    prepare: (site) => page(site, '4k', 4 * KIB),
  },
  {
    name: 'gzip',
    title: 'a page of 66,636 bytes with its gzip copy, 64 connections',
    connections: 64,
    prepare: gzip,
  },
  {
    name: 'compress',
    title: 'a page of 66,636 bytes that the server compresses itself, 64 connections',
    connections: 64,
    prepare: compress,
  },
  {
    name: 'try-app',
    title: 'a route of a single-page app, 4 KB, 64 connections',
    connections: 64,
    prepare: elsewhere('/try/users/7', APP),
  },
  {
    name: 'try-clean',
    title: 'a page at its address without .html, 4 KB, 64 connections',
    connections: 64,
    prepare: elsewhere('/try/page', CLEAN),
  },
  {
    name: 'loops',
    title: 'two loops on two cores against one, 4 KB over 64 connections',
    connections: 64,
    loops: true,
    prepare: (site) => page(site, '4k', 4 * KIB),
  },
]

/** @type {Load[]} */
export const loads = [...plainLoads, ...secureLoads]

export const loadNames = loads.map(({ name }) => name)

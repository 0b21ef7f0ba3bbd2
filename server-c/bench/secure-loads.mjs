// SPDX-License-Identifier: MIT
// What is asked over TLS and HTTP/2. TLS is 1.3 with one cipher (clients.mjs); apache, nginx-push and
// the floor take no part.
import { chance, KIB, MIB, mixPath } from './site.mjs'

const ok = (path, body, more = {}) => ({ path, status: 200, body, ...more })

function small(site) {
  const { urlPath, body } = site.page('4k', 4 * KIB)
  return { path: urlPath, answers: [ok(urlPath, body)] }
}

function closing(site) {
  const { path, answers } = small(site)
  const headers = { Connection: 'close' }
  return { path, headers, answers: answers.map((answer) => ({ ...answer, headers })) }
}

const big = (site, scale) => {
  const bodies = site.big(8, Math.round(10 * MIB * Math.max(scale, 0.1)))
  return {
    path: '/big/0.bin',
    script: 'big',
    scriptArgs: [bodies.length],
    answers: bodies.map((body, i) => ok(`/big/${i}.bin`, body)),
  }
}

const DRAWS = 20_000
const DRAW_SEED = 20050312

/** Ranks by popularity, as wrk/mix.lua draws them. @param {number} count */
function drawn(count) {
  const random = chance(DRAW_SEED)
  const untilRank = []
  let total = 0
  for (let rank = 1; rank <= count; rank++) {
    total += 1 / rank
    untilRank.push(total)
  }
  return Array.from({ length: DRAWS }, () => {
    const at = random() * total
    return untilRank.findIndex((until) => until >= at)
  })
}

function mix(site) {
  const bodies = site.mix(150)
  return {
    path: mixPath(0),
    paths: drawn(bodies.length).map(mixPath),
    answers: bodies.map((body, i) => ok(mixPath(i), body)),
  }
}

/** A hot file asked for at a leisurely pace. */
const HOT_PAUSE_MS = 10
const paced = (site) => ({ ...small(site), script: 'paced', scriptArgs: [HOT_PAUSE_MS] })

const overTls = { protocol: 'https', certificate: 'ec', connections: 64 }
const handshakes = { ...overTls, client: 'tls_load', prepare: closing }
const storm = { ...overTls, connections: 16, storm: 64, prepare: paced }
const http2 = { client: 'h2load', connections: 16, streams: 32, certificate: 'ec' }

/** @type {import('./loads.mjs').Load[]} */
export const secureLoads = [
  {
    ...overTls,
    name: 'tls-4k',
    title: '4 KB over TLS, keep-alive, 64 connections',
    prepare: small,
  },
  {
    ...overTls,
    name: 'tls-10m',
    title: '8 files of 10 MB over TLS, 16 connections',
    connections: 16,
    prepare: big,
  },
  {
    ...handshakes,
    name: 'tls-handshake',
    title: 'a full handshake per request (ECDSA P-256), 4 KB, 64 at a time',
  },
  {
    ...handshakes,
    name: 'tls-handshake-rsa',
    title: 'a full handshake per request (RSA 2048), 4 KB, 64 at a time',
    certificate: 'rsa',
  },
  {
    ...handshakes,
    name: 'tls-resume',
    title: 'a resumed session per request, 4 KB, 64 at a time',
    resumes: true,
  },
  {
    ...handshakes,
    name: 'tls-two-loops',
    title: 'full handshakes (ECDSA P-256): two loops on two cores against one, 64 at a time',
    loops: true,
  },
  {
    ...overTls,
    name: 'tls-idle',
    title: '2,000 idle keep-alive connections over TLS beside 4 KB over 64',
    idle: 2000,
    prepare: small,
  },
  {
    ...storm,
    name: 'tls-storm',
    title: '4 KB over 16 kept connections beside full handshakes (ECDSA P-256), 64 at a time',
  },
  {
    ...storm,
    name: 'tls-storm-rsa',
    title: '4 KB over 16 kept connections beside full handshakes (RSA 2048), 64 at a time',
    certificate: 'rsa',
  },
  {
    ...http2,
    name: 'h2-4k',
    title: '4 KB over HTTP/2 and TLS, 16 connections with 32 streams',
    protocol: 'h2',
    prepare: small,
  },
  {
    ...http2,
    name: 'h2-mix',
    title: '150 files by popularity over HTTP/2 and TLS, 16 connections with 32 streams',
    protocol: 'h2',
    prepare: mix,
  },
  {
    ...http2,
    name: 'h2c-4k',
    title: '4 KB over HTTP/2 by prior knowledge, 16 connections with 32 streams',
    protocol: 'h2c',
    prepare: small,
  },
  {
    ...http2,
    name: 'h2c-mix',
    title: '150 files by popularity over HTTP/2 by prior knowledge, 16 connections with 32 streams',
    protocol: 'h2c',
    prepare: mix,
  },
]

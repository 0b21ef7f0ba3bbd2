// SPDX-License-Identifier: MIT
// Everything at once: a node with every feature, clients that send all kinds of requests and break
// off at any time, files and configs that change under them, and a disk that is slow and fails. What
// must hold then: no finding of a sanitizer, a clean end, and each whole answer is right: never
// another file's bytes, never those of two versions, never what a rule forbids.
//
//   FARMSTEAD_CHAOS_SECONDS=300 FARMSTEAD_CHAOS_SEED=7 node --test test/system/96_chaos.test.mjs
import assert from 'node:assert/strict'
import { createHmac, randomInt } from 'node:crypto'
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { badDisk } from '../support/bad-disk.mjs'
import { checkPage, content, LINE, Memory, Random } from '../support/chaos.mjs'
import { startNode, tempFolder, until } from '../support/node.mjs'
import { RawClient } from '../support/raw.mjs'

const seconds = Number(process.env.FARMSTEAD_CHAOS_SECONDS ?? 8)
const seed = Number(process.env.FARMSTEAD_CHAOS_SEED ?? randomInt(1e9))
const CLIENTS = 14
const LINGER_MS = 2000 // what the node gives a client to notice the end
const SECRET = 'a secret of enough bytes'

// All of "sesame"; the costs are 4 and 8.
const QUICK = '$2b$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq'
const SLOW = '$2b$08$KBCwKxOzLha2MUDgW0PjXe3MUKuKyukhzrZlDKrv84frQOu9aja3u'
const basic = (user, password) =>
  `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const PASSWORDS = [basic('zoe', 'sesame'), basic('yan', 'sesame')]
const GUESSES = [basic('zoe', 'Sesame'), basic('eve', 'sesame'), basic('', ''), 'Authorization: x']

// --- the site ------------------------------------------------------------------------------------

// The lines each has at least; it may have a few more in a version.
const FILES = {
  's0.txt': 1,
  's1.txt': 20,
  's2.txt': 300,
  'm0.bin': 2000,
  'm1.bin': 9000,
  'b0.bin': 24_000,
  'j0.js': 400,
  'j0.js.br': 100,
  'j0.js.gz': 120,
  'app.html': 10,
  'dir/index.html': 12,
  'dir/index.html.br': 6,
  'list/one.txt': 2,
  'in/p.txt': 30,
  'in/m.bin': 3000,
  'in/index.html': 6,
  'paid/f.txt': 15,
  'deny/x.txt': 5,
  'al/x.txt': 25,
  'gone.txt': 8,
  'slow-read-0.txt': 50,
  'slow-read-1.bin': 4000,
  'slow-open-0.txt': 7,
  'eio-read.txt': 9,
  'eio-late.bin': 20_000,
  'err/404.html': 3,
  'err/401.html': 4,
  'err/503.html': 200,
  'err/4xx.html': 5,
}

class Site {
  constructor(root, random, memory) {
    this.root = root
    this.random = random
    this.memory = memory
    this.version = 0
    for (const name of Object.keys(FILES)) this.renew(name)
    this.grow()
  }

  path(name) {
    return join(this.root, name)
  }

  /** Another version takes the name at once. */
  renew(name) {
    const version = ++this.version
    const bytes = content(name, version, FILES[name] + this.random.below(3))
    const temporary = join(dirname(this.root), 'next')
    this.memory.wrote(name, version, bytes.length)
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(temporary, bytes)
    renameSync(temporary, this.path(name))
  }

  /** A file that grows and shrinks in place: any length, but always the same bytes. */
  grow() {
    const fd = openSync(this.path('grows.bin'), 'a')
    const from = this.lines ?? 0
    this.lines = from + 1 + this.random.below(3000)
    writeSync(fd, content('grows.bin', 1, this.lines - from, from))
    closeSync(fd)
  }

  shrink() {
    const fd = openSync(this.path('grows.bin'), 'r+')
    this.lines = this.random.below(this.lines)
    ftruncateSync(fd, this.lines * LINE)
    closeSync(fd)
  }

  /** A folder becomes a file, and the other way round. */
  morph() {
    rmSync(this.path('morph'), { recursive: true, force: true })
    if (this.random.chance(0.5)) writeFileSync(this.path('morph'), content('morph', 1, 2))
    else mkdirSync(this.path('morph'))
  }

  mutate() {
    const { random } = this
    const names = Object.keys(FILES)
    const acts = [
      () => this.renew(random.pick(names)),
      () => this.renew(random.pick(names)),
      () => this.renew('s1.txt'),
      () => rmSync(this.path('gone.txt'), { force: true }),
      () => this.grow(),
      () => this.shrink(),
      () => this.morph(),
      () => writeFileSync(this.path(`list/${random.below(30)}.txt`), 'x'),
      () => rmSync(this.path(`list/${random.below(30)}.txt`), { force: true }),
    ]
    random.pick(acts)()
  }
}

function mutateUsers(file, random) {
  const good = `zoe:${random.chance(0.5) ? QUICK : SLOW}\nyan:${SLOW}\n`
  const acts = [
    () => writeFileSync(file, good),
    () => writeFileSync(file, good),
    () => rmSync(file, { force: true }),
    () => writeFileSync(file, `${good}no user\n`),
    () => {
      writeFileSync(`${file}.next`, good)
      renameSync(`${file}.next`, file)
    },
  ]
  random.pick(acts)()
}

// --- configs -------------------------------------------------------------------------------------

/** Rules that forbid something are in each of them. */
function siteOf(hosts, where, random) {
  const errorPages = { 404: '/err/404.html', 401: '/err/401.html', 503: '/err/503.html' }
  return {
    hosts,
    root: where.root,
    index: ['index.html'],
    etagInode: random.chance(0.3),
    directoryListing: { enabled: random.chance(0.7), maxEntries: 1 + random.below(20) },
    precompressed: random.pick([['br', 'gzip'], ['gzip'], []]),
    aliases: [{ path: '/alias/', folder: join(where.root, 'al') }],
    redirects: [{ match: '^/old/(.*)$', to: '/new/$1', status: 301 }],
    rewrites: [{ match: '^/app(/.*)?$', to: '/app.html' }],
    errorPages: random.pick([errorPages, { ...errorPages, '4xx': '/err/4xx.html' }, {}]),
    access: [{ action: 'deny', paths: ['/deny/**'] }],
    auth: [
      { paths: ['/in/m*'], realm: 'one', file: where.users, users: ['zoe'] },
      { paths: ['/in/*.html'], realm: 'pages', file: where.users },
      { paths: ['/in/**'], realm: 'all', file: where.users },
    ],
    signedUrls: [{ paths: ['/paid/**'], secretFile: where.secret }],
    hotlink: [{ paths: ['*.bin'], hosts: ['friend.test'] }],
    headers: [
      { action: 'set', name: 'X-Frame-Options', value: 'DENY', types: ['text/html'] },
      { action: 'remove', name: 'Last-Modified', paths: ['/s*'] },
      { action: 'add', name: 'X-Chaos', value: 'y'.repeat(random.below(300)), statuses: ['4xx'] },
    ].slice(random.below(3)),
    expires: random.chance(0.5) ? [{ types: ['text/*'], maxAgeSeconds: 60 }] : [],
  }
}

function configOf(node, where, random, extraPort) {
  const listen = [{ address: '127.0.0.1', port: 0 }]
  if (random.chance(0.5)) listen.push({ address: '127.0.0.1', port: extraPort })
  return {
    listen,
    workers: 1 + random.below(3),
    admin: node.config.admin,
    limits: {
      keepAliveRequests: random.pick([2, 4000]),
      bodyBytes: random.pick([0, 65536]),
      connectionsPerAddress: random.pick([0, 1000]),
    },
    statCache: random.pick([
      { engine: 'off' },
      { ttlMillis: 30 },
      { ttlMillis: 400, maxEntries: 16 },
      { engine: 'inotify' },
      { engine: 'inotify', ttlMillis: 30, maxWatches: 3 },
    ]),
    fileCache: random.pick([
      { maxBytes: 30_000, maxFileBytes: 30_000, maxOpenFiles: 16 },
      { maxBytes: 0, maxFileBytes: 0 },
      { maxBytes: 200_000, maxFileBytes: 2000 },
      {},
    ]),
    io: {
      readThreads: 1 + random.below(3),
      statThreads: 1 + random.below(3),
      queueLength: 16,
      chunkBytes: random.pick([4096, 262144]),
    },
    accessLog: random.chance(0.5) ? { path: join(where.folder, 'access.log'), format: 'json' } : {},
    sites: [
      siteOf(['a.test'], where, random),
      {
        ...siteOf(['b.test'], where, random),
        bytesPerSecond: 4_000_000,
        connectionBytesPerSecond: random.pick([0, 1_000_000]),
      },
    ],
  }
}

// --- requests ------------------------------------------------------------------------------------

const sign = (path, key = SECRET, expires = 4_000_000_000) =>
  `${path}?expires=${expires}&signature=${createHmac('sha256', key)
    .update(`${path}\n${expires}`)
    .digest('base64url')}`

/** `names`: whose bytes a success may have; `may`: other statuses; `breaks`: it may be cut off. */
const file = (name, more = {}) => ({ target: `/${name}`, names: [name], may: [], ...more })
const coded = (name, more = {}) => ({
  ...file(name, more),
  codings: { br: `${name}.br`, gzip: `${name}.gz` },
})
const refused = (target, ...may) => ({ target, names: [], may })
const unsent = { names: [], may: [404, 400, 301] }

const TARGETS = [
  file('s0.txt'),
  file('s1.txt'),
  file('s2.txt'),
  file('m0.bin'),
  file('m1.bin'),
  file('b0.bin'),
  coded('j0.js'),
  coded('j0.js'),
  coded('dir/index.html', { target: '/dir/' }),
  coded('dir/index.html'),
  file('j0.js.br'),
  file('app.html', { target: '/app/any' }),
  file('al/x.txt', { target: '/alias/x.txt' }),
  file('paid/f.txt', { target: sign('/paid/f.txt') }),
  file('gone.txt', { may: [404] }),
  file('grows.bin', { may: [404, 503], breaks: true }),
  file('morph', { may: [404, 301, 403] }),
  file('slow-read-0.txt'),
  file('slow-read-1.bin'),
  file('slow-open-0.txt'),
  file('eio-read.txt', { may: [500] }),
  file('eio-late.bin', { breaks: true }),
  refused('/list', 301, 404),
  refused('/old/x', 301),
  refused('/deny/x.txt', 403),
  refused('/./deny//x.txt', 403),
  refused('/paid/f.txt', 403),
  refused(sign('/paid/f.txt', 'another key here'), 403),
  refused(sign('/paid/f.txt', SECRET, 1), 410),
  refused('/missing', 404),
  refused('/err/../missing/', 404),
  refused('/s0.txt/', 404),
  refused('/%zz', 400),
  { target: '/list/', ...unsent, isListing: true },
  { target: '/in/', names: ['in/index.html'], may: [401], isClosed: true },
  { target: '/in/p.txt', names: ['in/p.txt'], may: [401], isClosed: true },
  { target: '/in/m.bin', names: ['in/m.bin'], may: [401], isClosed: true },
]

/** Header lines that ask for a part, or for nothing when it is known. */
function partLines(random, tag) {
  const from = random.below(3000)
  return random.pick([
    [`Range: bytes=${from}-${from + 200 + random.below(2000)}`],
    [`Range: bytes=${from}-${from + 300},${from + 9000}-${from + 9900},-200`],
    ['Range: bytes=99999999-'],
    [`If-None-Match: ${tag}`],
    [`If-Match: ${tag}`],
    [`If-Range: ${tag}`, `Range: bytes=${from}-${from + 500}`],
    ['If-Modified-Since: Sat, 21 Nov 2099 00:00:00 GMT'],
  ])
}

function passwordLine(random, wanted) {
  if (wanted.isClosed && random.chance(0.6)) return random.pick(PASSWORDS)
  return random.pick(GUESSES)
}

/** One request, and what decides what is to come of it. */
function makeRequest(random, tags) {
  const wanted = random.pick(TARGETS)
  const method = random.chance(0.75)
    ? 'GET'
    : random.pick(['HEAD', 'HEAD', 'HEAD', 'OPTIONS', 'POST', 'BREW'])
  const host = random.chance(0.05) ? 'nobody.test' : random.pick(['a.test', 'a.test', 'b.test'])
  const version = random.chance(0.9) ? '1.1' : '1.0'
  const lines = [`Host: ${host}`]
  const isPart = random.chance(0.25)
  let body = ''

  if (isPart) lines.push(...partLines(random, tags.get(wanted.target) ?? '"x"'))
  if (wanted.codings || random.chance(0.2))
    lines.push(`Accept-Encoding: ${random.pick(['br', 'gzip', 'br, gzip', 'identity', '*'])}`)
  const password = wanted.isClosed || random.chance(0.05) ? passwordLine(random, wanted) : null
  if (password) lines.push(password)
  if (random.chance(0.1)) lines.push('Referer: https://thief.test/page')
  if (wanted.isListing && random.chance(0.5)) lines.push('Accept: application/json')
  if (version === '1.0' && random.chance(0.5)) lines.push('Connection: keep-alive')
  else if (random.chance(0.05)) lines.push('Connection: close')
  if (random.chance(0.1)) {
    body = 'b'.repeat(random.pick([1, 100, 3000]))
    lines.push(`Content-Length: ${body.length}`)
    if (random.chance(0.2)) lines.push('Expect: 100-continue')
  } else if (version === '1.1' && random.chance(0.03)) {
    body = '3\r\nabc\r\n0\r\n\r\n'
    lines.push('Transfer-Encoding: chunked')
  }
  const head = `${method} ${wanted.target} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`
  const closes = / close/.test(head) || (version === '1.0' && !/keep-alive/.test(head))
  return {
    wanted,
    method,
    closes,
    host,
    isPart,
    password,
    bytes: head + body,
    hasReferer: /Referer/.test(head),
  }
}

// --- answers -------------------------------------------------------------------------------------

function allowed({ wanted, method, host, isPart, hasReferer }) {
  if (host === 'nobody.test') return [421]
  if (method === 'BREW') return [501]
  if (method === 'POST') return [405]
  if (method === 'OPTIONS') return [204]
  const statuses = [503, ...wanted.may]
  if (wanted.names.length > 0 || wanted.isListing) statuses.push(200)
  if (wanted.names.length > 0 && isPart) statuses.push(206, 304, 412, 416)
  if (wanted.isListing && isPart) statuses.push(412)
  if (hasReferer && wanted.target.includes('.bin')) statuses.push(403)
  return statuses
}

function checkListing(answer) {
  if (answer.headers['content-type'] !== 'application/json') {
    assert.match(answer.text, /^<!doctype html>[\s\S]*<\/html>\n$/i)
    return
  }
  const { path, entries } = JSON.parse(answer.text)
  assert.equal(path, '/list/')
  for (const { name } of entries) assert.match(name, /^\w+\.txt$/)
}

function checkAnswer(request, answer, { memory, tags }) {
  const { wanted, method, password } = request
  assert.ok(allowed(request).includes(answer.status), `the status ${answer.status}`)
  if (wanted.isClosed && [200, 206, 304].includes(answer.status) && method !== 'OPTIONS')
    assert.ok(PASSWORDS.includes(password), 'nobody is let in without a password')
  if (method === 'HEAD' || answer.status === 304 || answer.status === 204) return
  if (answer.status !== 200 && answer.status !== 206) {
    checkPage(answer)
    return
  }
  if (wanted.isListing) {
    checkListing(answer)
    return
  }
  const coding = answer.headers['content-encoding']
  memory.checkFile(answer, coding ? [wanted.codings[coding]] : wanted.names)
  if (answer.headers.etag) tags.set(wanted.target, answer.headers.etag)
}

// --- clients -------------------------------------------------------------------------------------

async function sendInPieces(client, bytes, random) {
  let at = 0
  while (at < bytes.length && !client.ended) {
    const end = random.chance(0.5) ? bytes.length : at + 1 + random.below(bytes.length - at)
    client.send(bytes.slice(at, end))
    at = end
    if (at < bytes.length) await sleep(random.below(15))
  }
}

/** Whoever is just sending learns of it as EPIPE. */
const wasReset = ({ code }) => code === 'ECONNRESET' || code === 'EPIPE'

/**
 * Who sends on long after the last response (RFC 9112 9.6) may be told so by a reset while it writes,
 * and Node.js then drops what had been received. A client on a busy machine may be so late.
 */
const wasLate = ({ error, connectedAt }) =>
  error?.syscall === 'write' && wasReset(error) && Date.now() - connectedAt > LINGER_MS

/** Reads an answer to each request, up to the one that is said to be the last. */
async function readAnswers(client, requests, world) {
  const { random, counts } = world
  for (const request of requests) {
    if (random.chance(0.05)) {
      client.socket.pause()
      await sleep(random.below(300))
      client.socket.resume()
    }
    let answer
    try {
      answer = await client.response({ isHead: request.method === 'HEAD' })
      if (!answer.complete) {
        counts.cut++
        assert.ok(
          request.wanted.breaks || wasLate(client),
          `a whole answer, not ${answer.body.length} bytes and then ${client.error ?? 'an end'}`,
        )
        return
      }
      checkAnswer(request, answer, world)
    } catch (error) {
      if (request.wanted.breaks && (wasReset(error) || /closed without/.test(error.message))) {
        counts.cut++
        return
      }
      // A connection may have come to a listener that is just being closed.
      const isFirst = request === requests[0]
      const hadNoListener = isFirst && world.isReloadedAfter(client.connectedAt)
      if (wasReset(error) && (hadNoListener || wasLate(client))) {
        counts.lost++
        return
      }
      throw new Error(
        `seed ${world.seed}: ${error.message}, to ${JSON.stringify(request.bytes)}, ${requests.indexOf(request) + 1} of ${requests.length}: ${answer?.head}`,
        { cause: error },
      )
    }
    counts[answer.status] = (counts[answer.status] ?? 0) + 1
    if (answer.headers.connection === 'close') return
  }
}

async function breakOff(client, random) {
  await sleep(random.below(random.pick([2, 20, 150])))
  random.pick([
    () => client.socket.resetAndDestroy(),
    () => client.socket.resetAndDestroy(),
    () => client.socket.destroy(),
    () => client.socket.end(),
  ])()
  await sleep(random.below(30))
}

async function visit(port, world) {
  const { random, tags } = world
  const made = Array.from({ length: 1 + random.below(5) }, () => makeRequest(random, tags))
  const manner = random.next()
  // Who sends on behind the request that is to be the last (RFC 9112 9.6) may get a reset, and that
  // takes answers with it that were on their way.
  const last = made.findIndex((request) => request.closes)
  const requests = manner < 0.3 || last < 0 ? made : made.slice(0, last + 1)
  const bytes = requests.map((request) => request.bytes).join('')
  const client = await RawClient.connect(port).catch(() => null)

  if (!client) return
  try {
    if (manner < 0.1) {
      client.send(bytes.slice(0, random.below(bytes.length)))
      await breakOff(client, random)
    } else if (manner < 0.3) {
      client.send(bytes)
      await breakOff(client, random)
    } else {
      const sent = sendInPieces(client, bytes, random)
      if (manner < 0.45) sent.then(() => client.socket.end())
      await readAnswers(client, requests, world)
      await sent
    }
  } finally {
    client.close()
  }
}

// --- all of it -----------------------------------------------------------------------------------

async function setUp(t, random, memory) {
  const folder = tempFolder(t)
  const where = { folder, root: join(folder, 'www') }
  where.users = join(folder, 'users')
  where.secret = join(folder, 'secret')
  writeFileSync(where.secret, SECRET, { mode: 0o600 })
  mutateUsers(where.users, new Random(0))
  mkdirSync(where.root)
  const site = new Site(where.root, random, memory)
  const admin = { address: '127.0.0.1', port: 0 }
  const extraPort = await freePort()
  const config = configOf({ config: { admin } }, where, random, extraPort)
  const node = await startNode(t, { config, wrap: badDisk() })
  return { node, site, where, extraPort }
}

test(`clients, files and configs change at any time (seed ${seed})`, async (t) => {
  const random = new Random(seed)
  const memory = new Memory()
  const { node, site, where, extraPort } = await setUp(t, random, memory)
  const counts = { cut: 0, lost: 0 }
  const end = Date.now() + seconds * 1000
  let reloads = 0
  let lastReload = 0 // when it was over; Infinity while one is under way, however long it takes
  let failed = false
  const goesOn = () => Date.now() < end && !failed
  // However long ago: a client that is slow to send notices late.
  const isReloadedAfter = (at) => lastReload > at - 1000

  const mutator = async () => {
    const own = new Random(seed + 1)
    for (let i = 0; goesOn(); i++) {
      await sleep(own.below(20))
      site.mutate()
      if (i % 10 === 0) mutateUsers(where.users, own)
      if (i % 30 !== 29) continue
      mutateUsers(where.users, new Random(0)) // a config is not taken without its files
      lastReload = Number.POSITIVE_INFINITY
      assert.ok(await node.reload(configOf(node, where, own, extraPort)), node.log.slice(-2000))
      lastReload = Date.now()
      reloads++
    }
  }
  const client = async (index) => {
    const own = new Random(seed + 1000 + index)
    const world = { random: own, memory, tags: new Map(), counts, isReloadedAfter, seed }
    while (goesOn()) await visit(own.chance(0.9) ? node.port : extraPort, world)
  }
  const all = [mutator(), ...Array.from({ length: CLIENTS }, (_, i) => client(i))]
  for (const one of all)
    one.catch(() => {
      failed = true
    })
  const results = await Promise.allSettled(all)
  t.diagnostic(`seed ${seed}, ${reloads} reloads, answers: ${JSON.stringify(counts)}`)
  const failures = results.flatMap(({ reason }) => reason ?? [])
  if (failures.length > 0)
    t.diagnostic(`why connections ended: ${JSON.stringify((await node.status()).connectionEnds)}`)
  for (const failure of failures) throw failure

  await until(async () => (await node.status()).gauges.openConnections === 0, 'no connection')
  for (const { counters } of (await node.status()).series) {
    const { responses2xx, responses3xx, responses4xx, responses5xx } = counters
    assert.equal(counters.requests, responses2xx + responses3xx + responses4xx + responses5xx)
  }
  assert.equal(await node.stop(), 0)
})

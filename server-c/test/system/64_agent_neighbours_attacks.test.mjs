// SPDX-License-Identifier: MIT
// Who is not of the farm, or was not let by the control plane, gets nothing of a node that gives; who is slow or asks for too
// much loses the connection, and the node serves on.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { FakeCa } from '../support/fake-ca.mjs'
import { keySha256 } from '../support/fake-neighbours.mjs'
import { gauge, neighbourFarm, saidGiving } from '../support/neighbour-farm.mjs'
import { until } from '../support/node.mjs'
import { read } from '../support/released-farm.mjs'

/** All that comes until the end; what broke off is in `error`. */
async function exchange(socket, bytes) {
  const chunks = []
  let error = null
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', (found) => {
    error = found.code ?? found.message
  })
  if (bytes) socket.write(bytes)
  await new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', resolve)))
  const all = Buffer.concat(chunks)
  const at = all.indexOf('\r\n\r\n')
  const head = all.subarray(0, Math.max(at, 0)).toString()
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    head,
    body: all.subarray(at + 4),
    error,
  }
}

/** Threads of the node that each have one. */
function connectionsOf(node) {
  const threads = `/proc/${node.servingPid}/task`
  const names = readdirSync(threads).map((id) => readFileSync(`${threads}/${id}/comm`, 'utf8'))
  return names.filter((name) => name === 'neighbour\n').length
}

async function givingFarm(t, files, bounds = {}) {
  const farm = await neighbourFarm(t)
  const { giver, neighbours, port, ca } = farm
  Object.assign(neighbours.bounds, bounds)
  const www = giver.releases.keep('www', files)
  // Whoever compares what lies on the disk would take marks off that tests have made.
  await giver.serve(www, 'r', { releases: { scrubBytesPerSecond: 0 } })
  await giver.control.until('it gives', () => saidGiving(giver.control)?.holds.length)
  const own = await ca.serverOfANode()
  const open = ({ key, cert } = own, more = {}) =>
    connectTls({ port, host: '127.0.0.1', key, cert, rejectUnauthorized: false, ...more })
  const requestOf = (paths, { manifest = www.manifestSha256, pass, lines = '' } = {}) => {
    const body = paths.map((path) => `${path}\n`).join('')
    const shown = pass ?? neighbours.pass(www.manifestSha256, keySha256(own.cert))
    return `POST /neighbour/v1/${manifest} HTTP/1.1\r\nHost: a\r\nFarmstead-Pass: ${shown}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${lines}\r\n${body}`
  }
  /** Again where a busy machine took longer than the node waits for anybody. */
  const ask = async (paths, options = {}) => {
    let answer = { status: 0 }
    for (let tries = 0; tries < 10 && [0, 503].includes(answer.status); tries++) {
      answer = await exchange(open(options.as), requestOf(paths, options))
    }
    return answer
  }
  const serves = async () => assert.equal((await read(giver.node, '/')).status, 200)
  return { ...farm, www, own, open, ask, requestOf, serves }
}

describe('a node that gives to its neighbours', { concurrency: 3 }, () => {
  test('gives what is asked for, in that order, and from where', async (t) => {
    const { ask } = await givingFarm(t, { a: 'first', 'b/c': 'second', empty: '' })
    assert.equal(`${(await ask(['a', 'empty', 'b/c'])).body}`, 'firstsecond')
    assert.equal(`${(await ask(['b/c', 'a'])).body}`, 'secondfirst')
    const part = await ask(['b/c'], { lines: 'Range: bytes=3-\r\n' })
    assert.deepEqual([part.status, `${part.body}`], [206, 'ond'])
    assert.match(part.head, /Content-Range: bytes 3-5\/6/)
  })

  test('shakes hands with nodes of the farm alone', async (t) => {
    const { open, requestOf, ca, port, giver, serves } = await givingFarm(t, { 'index.html': 'x' })
    const theirs = await FakeCa.make('Theirs')
    const strangers = {
      'no certificate': {},
      'another authority': await theirs.serverOfANode(),
      "the control plane's": await ca.server(),
      'one that is over': await ca.server({ usage: '1.3.6.1.5.5.7.3.2', from: -3, until: -1 }),
      'one that is not good yet': await ca.server({
        usage: '1.3.6.1.5.5.7.3.2',
        from: 1,
        until: 3,
      }),
    }
    for (const [name, stranger] of Object.entries(strangers)) {
      const { status, body } = await exchange(open(stranger), requestOf(['index.html']))
      assert.deepEqual([status, body.length], [0, 0], name)
    }
    const { error } = await exchange(open(undefined, { maxVersion: 'TLSv1.2' }), '')
    assert.ok(error, 'TLS 1.2')
    const plain = await exchange(connectTcp(port, '127.0.0.1'), 'GET / HTTP/1.1\r\n\r\n')
    assert.equal(plain.status, 0)
    await giver.control.until('it counts', () => gauge(giver.control, 'neighbourRefusals') >= 7)
    assert.equal(gauge(giver.control, 'neighbourGivenBytes'), 0)
    await serves()
  })

  test('believes a pass for this key, this release and this hour', async (t) => {
    const { ask, www, own, neighbours, giver, ca } = await givingFarm(t, { a: 'first' })
    const other = giver.releases.keep('www', { a: 'second' })
    await giver.serve(other)
    const key = keySha256(own.cert)
    const pass = neighbours.pass(www.manifestSha256, key)
    const { privateKey } = generateKeyPairSync('ed25519')
    const wrong = {
      'none at all': ' ',
      noise: 'x',
      'one that is over': neighbours.pass(www.manifestSha256, key, { seconds: -2 }),
      'one for a day': neighbours.pass(www.manifestSha256, key, { seconds: 86_400 }),
      'one for another release': neighbours.pass(other.manifestSha256, key),
      "one for another node's key": neighbours.pass(
        www.manifestSha256,
        keySha256((await ca.serverOfANode()).cert),
      ),
      'one that somebody else has signed': neighbours.pass(www.manifestSha256, key, {
        by: privateKey,
      }),
      'one that was changed': pass.replace(/\.\d{10}\./, '.1999999999.'),
    }
    for (const [name, shown] of Object.entries(wrong)) {
      const { status, body } = await ask(['a'], { pass: shown })
      assert.equal(status, 403, `${name}: ${body}`)
      assert.doesNotMatch(`${body}`, /first/)
    }
    const stolen = await ask(['a'], { as: await ca.serverOfANode(), pass })
    assert.equal(stolen.status, 403)
    assert.equal((await ask(['a'], { manifest: other.manifestSha256 })).status, 403)
    assert.equal(`${(await ask(['a'], { pass })).body}`, 'first')
  })

  test('gives files of whole trees, and nothing else', async (t) => {
    const { ask, giver, www, own, neighbours } = await givingFarm(t, {
      a: 'first',
      link: { link: 'a' },
      folder: { link: 'b' },
      'b/c': 'second',
      marked: 'wrong',
    })
    const trees = join(giver.node.state, 'releases/trees')
    const marked = join(trees, www.manifestSha256, 'marked')
    chmodSync(marked, statSync(marked).mode | 0o1000)
    for (const path of ['link', 'folder/c', 'b', 'nothing', 'marked', 'a/b']) {
      assert.equal((await ask(['a', path])).status, 404, path)
    }
    for (const path of ['../confirmed.json', '/etc/passwd', 'b/../a', './a', '', 'a\0']) {
      assert.equal((await ask([path])).status, 400, path)
    }
    const half = 'ab'.repeat(32)
    mkdirSync(join(trees, `${half}.new`))
    writeFileSync(join(trees, `${half}.new`, 'a'), 'half')
    const pass = neighbours.pass(half, keySha256(own.cert))
    assert.equal((await ask(['a'], { manifest: half, pass })).status, 404)
    assert.equal((await ask(['a'], { manifest: `${half}.new`, pass })).status, 404)
    renameSync(join(trees, `${half}.new`), join(trees, half))
    assert.equal((await ask(['a'], { manifest: half, pass })).status, 200)
    for (const manifest of ['..', `../${half}`, '', half.toUpperCase()]) {
      assert.notEqual((await ask(['a'], { manifest, pass })).status, 200, manifest)
    }
  })

  test('refuses what is too much, and what is no request', async (t) => {
    const files = { a: 'first', 'index.html': 'x' }
    for (let i = 0; i < 3; i++) files[`${i}.bin`] = randomBytes(7 << 20)
    const { ask, open, serves } = await givingFarm(t, files)
    assert.equal((await ask(['0.bin', '1.bin', '2.bin'])).status, 400)
    assert.equal((await ask(Array(513).fill('a'))).status, 400)
    assert.equal((await ask(['0.bin', '1.bin'])).body.length, 14 << 20)
    assert.equal((await ask(['a'], { lines: 'Range: bytes=5-\r\n' })).status, 416)
    assert.equal((await ask(['a', 'a'], { lines: 'Range: bytes=1-\r\n' })).status, 400)
    assert.equal((await exchange(open(), `GET / HTTP/1.1\r\nHost: a\r\n\r\n`)).status, 404)
    assert.equal((await exchange(open(), `\r\n${'x'.repeat(9000)}`)).status >= 400, true)
    assert.equal((await exchange(open(), randomBytes(20_000))).status >= 400, true)
    await serves()
  })

  test('has eight places: a ninth is let go, and who says nothing leaves soon', async (t) => {
    const { open, requestOf, giver, port, ask, serves } = await givingFarm(t, { 'index.html': 'x' })
    let ninth = { status: 200 }
    // A busy machine may take so long that the eight have gone.
    for (let tries = 0; tries < 5 && ninth.status !== 0; tries++) {
      const began = performance.now()
      const sockets = Array.from({ length: 8 }, () => connectTcp(port, '127.0.0.1'))
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))
      const closed = sockets.map((socket) => exchange(socket, null))
      const areIn = () => connectionsOf(giver.node) === 8 || sockets.some((one) => one.closed)
      await until(areIn, 'eight are in')
      ninth = await exchange(open(), requestOf(['index.html']))
      await Promise.all(closed)
      assert.ok(performance.now() - began >= 2900)
    }
    assert.equal(ninth.status, 0)
    await giver.control.until('it counts', () => gauge(giver.control, 'neighbourRefusals') >= 9)
    assert.equal((await ask(['index.html'])).status, 200)
    await serves()
  })

  test('lets who writes byte by byte go, and who reads nothing', async (t) => {
    const { open, requestOf, giver, serves, ask } = await givingFarm(t, {
      'index.html': 'x',
      large: randomBytes(32 << 20),
    })
    const slow = open()
    const head = exchange(slow, 'POST /neigh')
    const dripping = setInterval(() => slow.writable && slow.write('b'), 200)
    const reader = open()
    reader.on('error', () => {})
    await once(reader, 'secureConnect')
    reader.pause()
    reader.write(requestOf(['large']))
    assert.equal((await head).status, 0)
    clearInterval(dripping)
    await giver.control.until('it is let go', () => connectionsOf(giver.node) === 0)
    reader.resume()
    await new Promise((resolve) => (reader.closed ? resolve() : reader.once('close', resolve)))
    assert.ok(reader.bytesRead < 32 << 20, `${reader.bytesRead} bytes`)
    assert.equal((await ask(['index.html'])).status, 200)
    await serves()
  })

  test('answers so many at once as the farm says, at its rate', async (t) => {
    const bytesPerSecond = 1 << 20
    const bounds = { atOnce: 1, maxBytesPerSecond: bytesPerSecond }
    const { open, requestOf } = await givingFarm(t, { large: randomBytes(2 << 20) }, bounds)
    const began = performance.now()
    const first = open()
    const answered = exchange(first, requestOf(['large']))
    await once(first, 'data')
    const second = await exchange(open(), requestOf(['large']))
    assert.equal(second.status, 503)
    assert.match(second.head, /Retry-After: \d/)
    assert.equal((await answered).body.length, 2 << 20)
    const seconds = (performance.now() - began) / 1000
    assert.ok(seconds > 1.8, `${seconds} s`)
  })
})

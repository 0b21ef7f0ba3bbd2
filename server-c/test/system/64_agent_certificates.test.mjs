// SPDX-License-Identifier: MIT
// Certificates that the control plane keeps: fetched before a config is acknowledged, changed and taken back with
// it, and nothing of a key anywhere but in its file.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { AgentNode } from '../support/agent-node.mjs'
import { FakeControlPlane } from '../support/fake-control-plane.mjs'
import { joinNodeFor } from '../support/joined-node.mjs'
import { until } from '../support/node.mjs'
import { Authority } from '../support/pki.mjs'
import { connectTls, tlsClient } from '../support/tls-node.mjs'

const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }

let folder, root, first, second, rsa
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'farmstead-certificates-'))
  root = new Authority(folder, 'root')
  first = root.issue(['a.example'], { file: 'first' })
  second = root.issue(['a.example'], { file: 'second' })
  rsa = root.issue(['a.example'], { file: 'rsa', kind: 'rsa' })
})
after(() => rmSync(folder, { recursive: true, force: true }))

const fingerprintOf = (pem) =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()
const fingerprintIn = ({ chainFile }) => fingerprintOf(readFileSync(chainFile, 'utf8'))
const secrets = () =>
  [first, second, rsa].map(({ keyFile }) => readFileSync(keyFile, 'utf8').split('\n')[1])

/** Certificates are kept at `control`; the node does not run yet. */
async function farm(t) {
  const { control, node } = await joinNodeFor(t)
  const tlsPort = await freePort()
  const config = (version, names = ['shop']) => {
    const made = node.config(version)
    made.listen.push({ address: '127.0.0.1', port: tlsPort, tls: true })
    made.sites[0].hosts = ['a.example', '*']
    made.sites[0].certificates = names.map((name) => ({ name }))
    return made
  }
  const at = (...names) => join(node.state, 'certificates', ...names)
  const versions = (name = 'shop') =>
    existsSync(at('.versions', name)) ? readdirSync(at('.versions', name)).sort() : []
  /** The one before is removed when the config is kept: a moment after that. */
  const untilAlone = (version) =>
    control.until(`version ${version} alone`, () => versions().join() === version)
  const untilConfirmed = ({ generation }) => node.untilConfirmed(generation)
  const nackOf = ({ generation }) =>
    control.until('nack', () => control.of('nack', generation)[0]?.body)

  /** What a client is shown. */
  async function shown() {
    const socket = await connectTls(tlsPort, { ca: root.pem })
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256.replaceAll(':', '').toLowerCase()
  }

  /** `version` of "shop" serves, confirmed. */
  async function serving(version, files, text = 'v1') {
    const list = [control.keepCertificate('shop', version, files)]
    const assigned = control.assign(config(text), {}, list)
    if (!node.pid) node.start()
    await untilConfirmed(assigned)
    assert.equal(await shown(), fingerprintIn(files))
    return list
  }

  async function ticket() {
    const socket = await connectTls(tlsPort, { ca: root.pem })
    const session = await socket.ticket
    socket.destroy()
    return session
  }
  async function resumes(session) {
    const socket = await connectTls(tlsPort, { ca: root.pem, session })
    const isReused = socket.isSessionReused()
    socket.destroy()
    return isReused ? 'resumed' : 'not resumed'
  }

  /** No line of a key was told or logged. */
  function assertKept() {
    const said = JSON.stringify(control.said) + node.log
    for (const secret of secrets()) assert.ok(!said.includes(secret))
    assert.ok(!said.includes('PRIVATE KEY'))
  }
  const looks = { at, versions, untilAlone, untilConfirmed, nackOf, shown, assertKept }
  return { control, node, tlsPort, config, serving, ticket, resumes, ...looks }
}

describe('certificates that the control plane keeps', { concurrency: 3 }, () => {
  test('a config that names one and speaks no TLS is confirmed, and shows it to nobody', async (t) => {
    const { control, node, config, untilConfirmed, shown } = await farm(t)
    const list = [control.keepCertificate('shop', 1, first)]
    const silent = config('v1')
    silent.listen.pop()
    const assigned = control.assign(silent, {}, list)
    node.start()
    await untilConfirmed(assigned)
    const { certificates } = control.of('confirm', assigned.generation).at(-1).body.effective
    assert.deepEqual(certificates, list)
    const report = await control.until('a report', () => control.of('report').at(-1)?.body)
    assert.deepEqual(report.certificates ?? [], [])
    // It is there when an address speaks TLS.
    await untilConfirmed(control.assign(config('v2'), {}, list))
    assert.equal(await shown(), fingerprintIn(first))
  })

  test('the first one is fetched before the ack, and read back', async (t) => {
    const { control, at, serving, assertKept } = await farm(t)
    const list = await serving(1, first)
    const order = control.said
      .map((one) => one.message)
      .filter((message) => ['certificates', 'ack', 'result', 'confirm'].includes(message))
    assert.deepEqual(order, ['certificates', 'ack', 'result', 'confirm'])
    assert.deepEqual(control.of('confirm')[0].body.effective.certificates, list)
    assert.deepEqual(control.of('result')[0].body.effective.certificates, list)
    const report = await control.until('what is shown', () =>
      control.of('report').find(({ body }) => body.certificates?.length),
    )
    const row = {
      fingerprintSha256: fingerprintIn(first),
      notAfterUnixMs: Date.parse(new X509Certificate(readFileSync(first.chainFile)).validTo),
    }
    assert.deepEqual(report.body.certificates, [
      { host: 'a.example', ...row },
      { host: '*', ...row },
    ])
    const count = control.of('report').length
    await control.until('more reports', () => control.of('report').length > count + 2)
    const told = control.of('report').filter(({ body }) => body.certificates?.length)
    assert.equal(told.length, 1, 'told once, not with every report')

    assert.equal(lstatSync(at()).mode & 0o777, 0o700)
    assert.equal(lstatSync(at('.versions', 'shop', '1')).mode & 0o777, 0o700)
    for (const file of ['key.pem', 'chain.pem'])
      assert.equal(lstatSync(at('shop', file)).mode & 0o777, 0o600)
    assert.equal(readlinkSync(at('shop')), '.versions/shop/1')
    assertKept()
  })

  test('a renewal is a new generation of the same config, and cuts nobody off', async (t) => {
    const { control, tlsPort, untilAlone, serving, assertKept } = await farm(t)
    await serving(1, first)
    const client = await tlsClient(tlsPort, { ca: root.pem })
    const list = await serving(2, second)
    client.send('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')
    assert.equal((await client.response()).status, 200)
    client.close()
    assert.deepEqual(control.of('confirm').at(-1).body.effective.certificates, list)
    await untilAlone('2')
    assertKept()
  })

  test('without a confirmation the node goes back, the certificate too', async (t) => {
    const { control, config, at, shown, serving } = await farm(t)
    const list = await serving(1, first)
    control.confirming = 'no'
    const next = [control.keepCertificate('shop', 2, second)]
    const { generation } = control.assign(config('v1'), { confirmWithinMs: 1000 }, next)
    await control.until('confirm', () => control.of('confirm', generation).length > 0)
    assert.equal(await shown(), fingerprintIn(second))
    const reverted = await control.until('reverted', () =>
      control.of('result', generation).find(({ body }) => body.outcome === 'reverted'),
    )
    assert.deepEqual(reverted.body.effective.certificates, list)
    assert.equal(await shown(), fingerprintIn(first))
    assert.equal(readlinkSync(at('shop')), '.versions/shop/1')
  })

  test('what is of no use is refused, and what ran serves on', async (t) => {
    const { control, config, versions, nackOf, shown, serving, assertKept } = await farm(t)
    await serving(1, first)
    const refused = async (files, overrides, code, sentence) => {
      const list = [control.keepCertificate('shop', 2, files, overrides)]
      const nack = await nackOf(control.assign(config('v2'), {}, list))
      assert.equal(nack.code, code)
      assert.match(nack.message, sentence)
      assert.equal(await shown(), fingerprintIn(first))
      assert.deepEqual(versions(), ['1'])
    }
    const key = readFileSync(first.keyFile, 'utf8')
    await refused(second, { key }, 'tls_material', /does not fit/)
    const chain = readFileSync(first.chainFile, 'utf8')
    await refused(second, { chain, key }, 'tls_material', /another fingerprint/)
    await refused(second, { chain: 'nothing' }, 'tls_material', /no certificate in PEM form/)
    await refused(second, { key: key.slice(0, 100) }, 'tls_material', /private key/)
    await refused(second, { version: 3 }, 'tls_material', /not the certificate and version/)
    control.faults.certificates = () => ({ raw: `{"key":${JSON.stringify(key)}` })
    await refused(second, {}, 'tls_material', /no JSON object/)
    control.faults.certificates = () => ({ raw: `{"chain":"${'x'.repeat(3_000_000)}"}` })
    await refused(second, {}, 'tls_material', /"name"|missing/)
    control.faults.certificates = () => ({ status: 403, code: 'needs_certificate' })
    await refused(second, {}, 'tls_material', /needs_certificate/)
    control.faults.certificates = () => ({ status: 404, code: 'no_such_certificate' })
    await refused(second, {}, 'content_missing', /no_such_certificate/)
    control.faults.certificates = () => 'drop'
    await refused(second, {}, 'content_missing', /version 2 of the certificate "shop"/)
    control.faults = {}
    const none = await nackOf(control.assign(config('v2')))
    assert.equal(none.code, 'tls_material')
    assert.match(none.message, /names the certificate "shop"/)
    assertKept()
    await serving(2, second, 'v2')
  })

  test('names that are paths, and more than there may be, are not taken at all', async (t) => {
    const { control, config, at, serving } = await farm(t)
    await serving(1, first)
    const fingerprintSha256 = fingerprintIn(second)
    const lists = [
      [{ name: '../../identity', version: 1, fingerprintSha256 }],
      [{ name: '.versions', version: 1, fingerprintSha256 }],
      [{ name: 'a/b', version: 1, fingerprintSha256 }],
      Array.from({ length: 2000 }, (_, i) => ({
        name: `c${String(i).padStart(4, '0')}`,
        version: 1,
        fingerprintSha256,
      })),
    ]
    control.answersBadly = true
    for (const list of lists) {
      const asked = control.wishes().length
      const { generation } = control.assign(config('v2'), {}, list)
      await control.until('asked again', () => control.wishes().length > asked)
      assert.deepEqual(control.of('ack', generation), [])
    }
    assert.deepEqual(readdirSync(at()).sort(), ['.versions', 'shop'])
    assert.equal(control.of('certificates').length, 1)
  })

  test('those that the config does not name are not fetched', async (t) => {
    const { control, node, config, untilConfirmed } = await farm(t)
    const list = [
      control.keepCertificate('other', 7, second),
      control.keepCertificate('shop', 1, first),
    ]
    node.start()
    await untilConfirmed(control.assign(config('v1'), {}, list))
    assert.deepEqual(
      control.of('certificates').map(({ body }) => body.which),
      ['shop/1'],
    )
  })

  test('a control plane that goes away in the middle is asked again by the next offer', async (t) => {
    const { control, config, untilConfirmed, shown, serving } = await farm(t)
    await serving(1, first)
    control.faults.certificates = () => 'hold'
    const list = [control.keepCertificate('shop', 2, second)]
    control.assign(config('v1'), {}, list)
    await control.until('asked', () => control.of('certificates').length === 2)
    await control.stop()
    assert.equal(await shown(), fingerprintIn(first))
    control.faults = {}
    await control.start()
    await control.until('nack', () => control.of('nack').length > 0)
    assert.equal(control.of('nack')[0].body.code, 'content_missing')
    await untilConfirmed(control.assign(config('v1'), {}, list))
    assert.equal(await shown(), fingerprintIn(second))
  })

  test('a start without a control plane serves what is in the state folder', async (t) => {
    const { control, node, shown, serving } = await farm(t)
    await serving(1, first)
    await serving(2, rsa)
    await node.stop()
    await control.stop()
    node.start()
    await node.untilVersion('v1')
    assert.equal(await shown(), fingerprintIn(rsa))
    await control.start()
  })

  test('killed at any step, the node starts with the confirmed one', async (t) => {
    const { control, node, config, versions, untilAlone, untilConfirmed, shown, serving } =
      await farm(t)
    await serving(1, first)
    const list = [control.keepCertificate('shop', 2, second)]
    const steps = {
      certificates: () => 'hold',
      ack: () => 'hold',
      result: () => 'hold',
      confirm: () => 'hold',
    }
    for (const [message, fault] of Object.entries(steps)) {
      control.faults = { [message]: fault }
      const seen = control.of(message).length
      if (message !== 'certificates') {
        // The version is on the disk by now, so it is not asked for again.
        assert.deepEqual(versions(), message === 'ack' ? ['1'] : ['1', '2'])
      }
      control.assign(config('v1'), {}, list)
      await control.until(message, () => control.of(message).length > seen)
      const pids = [node.pid, node.servingPid]
      process.kill(pids[0], 'SIGKILL')
      process.kill(pids[1], 'SIGKILL')
      await node.stop('SIGKILL')
      await control.stop()
      node.start()
      await node.untilVersion('v1')
      assert.equal(await shown(), fingerprintIn(first), `killed at ${message}`)
      control.faults = {}
      await control.start()
    }
    await untilConfirmed(control.assign(config('v1'), {}, list))
    assert.equal(await shown(), fingerprintIn(second))
    await untilAlone('2')
  })

  test('a damaged version on the disk is fetched again', async (t) => {
    const { control, at, serving } = await farm(t)
    await serving(1, first)
    writeFileSync(at('.versions', 'shop', '1', 'key.pem'), 'gone')
    const asked = control.of('certificates').length
    await serving(1, first, 'v2')
    assert.equal(control.of('certificates').length, asked + 1)
  })

  test('a session begun at one node is resumed at another, by the keys that both were given', async (t) => {
    const { control, node, config, serving, ticket, resumes } = await farm(t)
    const list = await serving(1, first)
    await control.until('it has keys', () => control.of('ticket-keys').length === 1)
    await until(async () => (await resumes(await ticket())) === 'resumed', 'a ticket by these keys')
    const session = await ticket()
    await node.stop()
    const other = await AgentNode.join(control)
    t.after(() => other.dispose())
    const its = config('v1')
    its.sites[0].root = other.root
    control.assign(its, {}, list)
    other.start()
    await control.until('the other has keys', () => control.of('ticket-keys').length === 2)
    await until(async () => (await resumes(session)) === 'resumed', 'resumed at the other')
    const told = JSON.stringify(control.said) + node.log + other.log
    assert.ok(!told.includes(control.ticketKeys.keys[0].slice(0, 40)))
  })

  test('keys of tickets that are none leave the node with its own', async (t) => {
    const { control, serving, ticket, resumes } = await farm(t)
    control.answersBadly = true
    control.ticketKeys = { keys: ['AAAA'], refreshAfterMs: 1000 }
    await serving(1, first)
    await control.until('it has asked', () => control.of('ticket-keys').length > 0)
    assert.equal(await resumes(await ticket()), 'resumed')
  })

  test('what root fetched belongs to the user whom the node becomes', needsRoot, async (t) => {
    const { control, node, config, at, untilAlone, untilConfirmed, shown } = await farm(t)
    chmodSync(node.dir, 0o755)
    const made = { ...config('v1'), process: { user: 'nobody' } }
    const list = [control.keepCertificate('shop', 1, first)]
    node.start()
    await untilConfirmed(control.assign(made, {}, list))
    assert.equal(await shown(), fingerprintIn(first))
    const uid = Number(execFileSync('id', ['-u', 'nobody']).toString())
    for (const path of [at(), at('shop'), at('.versions', 'shop', '1', 'key.pem')])
      assert.equal(lstatSync(path).uid, uid, path)
    await untilConfirmed(control.assign(made, {}, [control.keepCertificate('shop', 2, second)]))
    assert.equal(await shown(), fingerprintIn(second))
    await untilAlone('2')
  })

  test('over plain HTTP no key is asked for', async (t) => {
    const { config } = await farm(t)
    const plain = await new FakeControlPlane({ isPlain: true }).start()
    const other = await AgentNode.join(plain)
    t.after(async () => {
      await other.dispose()
      await plain.stop()
      assert.deepEqual(plain.violations, [])
    })
    other.start()
    const made = config('v1')
    made.sites[0].root = other.root
    const { generation } = plain.assign(made, {}, [plain.keepCertificate('shop', 1, first)])
    const nack = await plain.until('nack', () => plain.of('nack', generation)[0]?.body)
    assert.equal(nack.code, 'tls_material')
    assert.match(nack.message, /not given over plain HTTP/)
    assert.deepEqual(plain.of('certificates'), [])
    assert.deepEqual(plain.of('ticket-keys'), [])
  })

  test('a disk that takes no more refuses, and serves on', async (t) => {
    const { control, config, at, nackOf, shown, serving } = await farm(t)
    await serving(1, first)
    writeFileSync(at('.versions', 'blog'), 'in the way of the folder')
    const list = [control.keepCertificate('blog', 1, second)]
    const nack = await nackOf(control.assign(config('v1', ['blog']), {}, list))
    assert.equal(nack.code, 'resource_limit')
    assert.match(nack.message, /version 1 of the certificate "blog": cannot write it/)
    assert.equal(await shown(), fingerprintIn(first))
  })
})

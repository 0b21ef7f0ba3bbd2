// SPDX-License-Identifier: MIT
// A node's certificate in the course of time: renewed, expired, revoked, and a CA that is replaced.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../support/agent-node.mjs'
import { FakeCa, fingerprint256 } from '../support/fake-ca.mjs'
import { joinNodeFor } from '../support/joined-node.mjs'

const LATER_MS = 1_000_000_000

/** The first that is: what was said has the status 0 until it has its answer. */
const answered = (said) => said.find(({ status }) => status !== 0)

/** A node that has joined and does not run yet. */
async function joined(t) {
  const { control, node } = await joinNodeFor(t)
  const identity = () => JSON.parse(readFileSync(join(node.state, 'identity.json'), 'utf8'))
  return {
    control,
    node,
    identity,
    ownFingerprint: () => fingerprint256(identity().certificate),
    async serveFirst() {
      const { generation } = control.assign(node.config('v1'))
      node.start()
      await node.untilVersion('v1')
      await node.untilConfirmed(generation)
    },
    rejoin(token = control.makeToken()) {
      return run('join', control.url, '--token', token, '--state', node.state, '--rejoin')
    },
    /** Renewal is due at once, and then not for long. */
    renewNow() {
      control.identities.renewAfterMs = 0
      control.faults.renew = () => {
        control.identities.renewAfterMs = LATER_MS
      }
    },
  }
}

describe('an identity in the course of time', { concurrency: 4 }, () => {
  test('a certificate is renewed with a new key, and the old one is not used again', async (t) => {
    const { control, node, identity, ownFingerprint, serveFirst, renewNow } = await joined(t)
    const before = identity()
    renewNow()
    await serveFirst()
    await control.until('a new certificate in use', () =>
      control.said.some(
        ({ certificate }) =>
          certificate === ownFingerprint() &&
          ownFingerprint() !== fingerprint256(before.certificate),
      ),
    )
    const after = identity()
    assert.notEqual(after.privateKey, before.privateKey)
    assert.equal(after.nodeId, before.nodeId)
    assert.equal(control.of('renew').length, 1)
    assert.ok(!JSON.stringify(control.of('renew')).includes('PRIVATE KEY'))
    const reports = () =>
      control.of('report').filter(({ certificate }) => certificate === ownFingerprint())
    await control.until('reports with it', () => reports().length > 2)
    const { generation } = control.assign(node.config('v2'))
    await node.untilVersion('v2')
    const talk = [...control.of('ack', generation), ...control.of('confirm', generation)]
    for (const { certificate } of talk) assert.equal(certificate, ownFingerprint())
    assert.doesNotMatch(node.log, /revoked/, 'what was under way with the old one is asked again')
    assert.equal(await node.stop(), 0)
    const hellos = control.of('hello').length
    node.start()
    const hello = await control.until('hello', () => answered(control.of('hello').slice(hellos)))
    assert.equal(hello.certificate, ownFingerprint())
    assert.equal(hello.status, 200)
  })

  test('a lost answer to renew costs nothing but another request', async (t) => {
    const { control, ownFingerprint, serveFirst, renewNow } = await joined(t)
    const before = ownFingerprint()
    const requests = new Set()
    renewNow()
    const answer = control.faults.renew
    control.faults.renew = ({ csr }) => (requests.add(csr).size <= 2 ? 'lose' : answer())
    await serveFirst()
    await control.until('a new certificate', () => ownFingerprint() !== before)
    assert.equal(requests.size, 3, 'each time for a new key')
    await control.until(
      'in use',
      () => control.of('report').at(-1)?.certificate === ownFingerprint(),
    )
  })

  test('an answer that does not fit is not used, and not asked for in a tight loop', async (t) => {
    const { control, node, ownFingerprint, serveFirst } = await joined(t)
    control.identities.renewAfterMs = 0
    control.faults.renew = () => ({
      raw: '{"certificate":"","caCertificates":"","renewAfterMs":0}',
    })
    await serveFirst()
    await control.until('a line', () => /certificate is not renewed/.test(node.log))
    const asked = control.of('renew').length
    const before = ownFingerprint()
    await sleep(1500)
    assert.equal(control.of('renew').length, asked)
    assert.equal(ownFingerprint(), before)
    const reports = control.of('report').length
    await control.until('reports are taken as before', () =>
      control
        .of('report')
        .slice(reports)
        .some(({ status }) => status === 200),
    )
  })

  test('a node whose certificate has expired serves on, says so, and comes back', async (t) => {
    const { control, node, serveFirst, rejoin } = await joined(t)
    await serveFirst()
    await node.stop()
    control.identities.nodeLife = { from: -30, until: -0.001 }
    assert.equal((await rejoin()).code, 0)
    control.identities.nodeLife = { from: -30, until: 30 }
    node.start()
    await node.untilVersion('v1')
    await control.until('401', () => control.of('hello').at(-1)?.status === 401)
    await control.until('a line', () => /certificate has expired .*--rejoin/.test(node.log))
    const said = control.said.length
    await sleep(1000)
    assert.equal(control.said.length, said, 'asks no more than once a minute')
    assert.equal(await node.version(), 'v1')
    await node.stop()
    const back = await rejoin()
    assert.equal(back.code, 0, back.stderr)
    node.start()
    await node.untilVersion('v1')
    await control.until('hello', () => control.of('hello').at(-1)?.status === 200)
  })

  test('a token for this very node keeps its name and what it has seen', async (t) => {
    const { control, node, identity, serveFirst, rejoin } = await joined(t)
    await serveFirst()
    const later = control.assign(node.config('v2')).generation
    await node.untilVersion('v2')
    await node.untilConfirmed(later)
    await node.stop()
    control.revokeAll()
    const { nodeId, name, privateKey } = identity()
    const token = control.makeToken({ nodeId, name })
    const back = await rejoin(token)
    assert.equal(back.code, 0, back.stderr)
    assert.equal(identity().nodeId, nodeId)
    assert.notEqual(identity().privateKey, privateKey)
    const hellos = control.of('hello').length
    node.start()
    await node.untilVersion('v2')
    const hello = await control.until('hello', () => answered(control.of('hello').slice(hellos)))
    assert.equal(hello.body.fences.maxGeneration, later)
    assert.equal(hello.status, 200)
  })

  test('a new CA is learned from the old one', async (t) => {
    const { control, identity, serveFirst } = await joined(t)
    await serveFirst()
    const { identities } = control
    const next = await FakeCa.make('The next CA')
    const hellos = control.of('hello').length
    await control.stop()
    identities.authorities.unshift(next)
    await control.start()
    await control.until('hello', () => control.of('hello').length > hellos)
    await control.until('kept', () => identity().caCertificates === identities.caCertificates)
    await control.stop()
    identities.server = await next.server()
    await control.start()
    const reports = control.of('report').length
    await control.until('one that is answered', () =>
      control
        .of('report')
        .slice(reports)
        .some(({ status }) => status === 200),
    )
  })
})

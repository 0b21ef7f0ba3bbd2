// SPDX-License-Identifier: MIT
// Who believes whom: joining over TLS, and every way in which somebody else must not be believed.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { AgentNode, run } from '../support/agent-node.mjs'
import { FakeCa } from '../support/fake-ca.mjs'
import { FakeControlPlane } from '../support/fake-control-plane.mjs'
import { Certificates } from '../support/fake-identities.mjs'

let control
let dir
before(async () => {
  control = await new FakeControlPlane().start()
  dir = mkdtempSync(join(tmpdir(), 'farmstead-tls-'))
})
after(async () => {
  await control.stop()
  rmSync(dir, { recursive: true, force: true })
  assert.deepEqual(control.violations, [])
})

let folders = 0
const newState = () => join(dir, `state-${folders++}`)
const joinAt = (url, token, state = newState(), ...more) =>
  run('join', url, '--token', token, '--state', state, ...more)
const identityIn = (state) => JSON.parse(readFileSync(join(state, 'identity.json'), 'utf8'))

/** A control plane that says and serves what `change` makes of its certificates. */
async function another(change) {
  const other = new FakeControlPlane()
  other.identities = await Certificates.make()
  await change(other.identities)
  return other.start()
}

test('join believes the fingerprint, and makes a key that stays on the machine', async () => {
  const state = newState()
  const { code, stdout, stderr } = await joinAt(control.url, control.makeToken(), state)
  assert.equal(stderr, '')
  assert.equal(code, 0)
  assert.match(stdout, /^joined https:\S+ as /)
  assert.equal(statSync(state).mode & 0o777, 0o700)
  assert.equal(statSync(join(state, 'identity.json')).mode & 0o777, 0o600)
  const identity = identityIn(state)
  assert.deepEqual(Object.keys(identity).sort(), [
    ...['caCertificates', 'certificate', 'controlPlaneId', 'controlPlaneUrl', 'insecureHttp'],
    ...['name', 'nodeId', 'privateKey'],
  ])
  assert.equal(identity.caCertificates, control.identities.caCertificates)
  assert.deepEqual(
    control.said.map(({ message }) => message),
    ['ca', 'enrol'],
  )
  const said = JSON.stringify(control.said)
  assert.ok(!said.includes('PRIVATE KEY'))
  assert.match(control.of('enrol')[0].body.token, /^fst_[0-9a-f]+$/, 'without the fingerprint')
  assert.ok(!existsSync(join(state, 'enrol.json')), 'no second copy of the key')
})

test('another CA than the token names is not told the token', async () => {
  const impostor = await another(() => {})
  const { code, stderr } = await joinAt(impostor.url, control.makeToken())
  await impostor.stop()
  assert.equal(code, 1)
  assert.match(stderr, /is not the control plane that made this token: .*The token was not sent/)
  assert.deepEqual(impostor.of('enrol'), [])
})

test('who sits between cannot add a CA of his own', async () => {
  const impostor = await another(async (identities) => {
    const theirs = await FakeCa.make('Between')
    identities.authorities = [theirs, control.identities.authorities[0]]
    identities.server = await theirs.server()
  })
  const { code, stderr } = await joinAt(impostor.url, control.makeToken())
  await impostor.stop()
  assert.equal(code, 1)
  assert.match(stderr, /no control plane at https:\S+: .*certificate/)
  assert.equal(impostor.of('ca').length, 1)
  assert.deepEqual(impostor.of('enrol'), [])
})

test('a token without a fingerprint opens no connection to an https address', async () => {
  const before = control.said.length
  const [secret] = control.makeToken().split('.')
  const { code, stderr } = await joinAt(control.url, secret)
  assert.equal(code, 1)
  assert.match(stderr, /carries no fingerprint/)
  const cut = await joinAt(control.url, `${secret}.abc`)
  assert.equal(cut.code, 2)
  assert.match(cut.stderr, /copy it whole/)
  assert.equal(control.said.length, before)
})

test('a certificate for nodes does not make a control plane', async () => {
  const impostor = await another(async (identities) => {
    identities.authorities = control.identities.authorities
    identities.server = await identities.authorities[0].serverOfANode()
  })
  const { code, stderr } = await joinAt(impostor.url, control.makeToken())
  await impostor.stop()
  assert.equal(code, 1)
  assert.match(stderr, /unsupported certificate purpose|unsuitable certificate purpose/)
  assert.deepEqual(impostor.of('enrol'), [])
})

test('a certificate that is not good yet is put down to the clock', async () => {
  const early = await another(async (identities) => {
    identities.authorities = control.identities.authorities
    identities.server = await identities.authorities[0].server({ from: 1, until: 30 })
  })
  const { code, stderr } = await joinAt(early.url, control.makeToken())
  await early.stop()
  assert.equal(code, 1)
  assert.match(stderr, /not yet valid.*is this machine's clock right\?/)
})

test('an answer to enrol that was lost does not lose the token', async () => {
  const state = newState()
  const token = control.makeToken()
  control.faults.enrol = () => 'lose'
  const lost = await joinAt(control.url, token, state)
  control.faults = {}
  assert.equal(lost.code, 1)
  assert.match(lost.stderr, /the token is not lost: run the same command again/)
  assert.ok(!existsSync(state), 'no folder that is no node')
  assert.equal(statSync(`${state}.joining`).mode & 0o777, 0o700)
  const [first] = control.of('enrol').slice(-1)
  const again = await joinAt(control.url, token, state)
  assert.equal(again.code, 0, again.stderr)
  assert.equal(identityIn(state).name, first.body.name)
  assert.ok(!existsSync(`${state}.joining`))
  assert.equal((await joinAt(control.url, token)).code, 1, 'another machine comes too late')
})

test('a refused join leaves nothing behind', async () => {
  const state = newState()
  control.faults.enrol = () => ({ status: 403, code: 'token_expired' })
  assert.equal((await joinAt(control.url, control.makeToken(), state)).code, 1)
  control.faults = {}
  assert.ok(!existsSync(state) && !existsSync(`${state}.joining`))
})

test("this system's list of authorities has no say", async (t) => {
  const authority = await FakeCa.make('A public CA')
  const impostor = await another(async (identities) => {
    identities.authorities = control.identities.authorities
    identities.server = await authority.server()
  })
  const list = join(dir, 'certs')
  mkdirSync(list)
  writeFileSync(join(list, 'public.pem'), authority.pem)
  writeFileSync(join(list, 'ca-certificates.crt'), authority.pem)
  execFileSync('openssl', ['rehash', list])
  const script = 'mount --bind "$1" /etc/ssl/certs && shift && exec "$@"'
  const inside = ['-m', ...(process.getuid() === 0 ? [] : ['-r']), 'sh', '-c', script, 'sh', list]
  if (spawnSync('unshare', [...inside, 'true']).status !== 0) {
    await impostor.stop()
    t.skip('no mount namespace to be had')
    return
  }
  // Whoever asks as most programs do is led astray: the list is in force.
  const verify = ['openssl', 'verify', '-CApath', '/etc/ssl/certs', '-purpose', 'sslserver']
  const certificate = join(dir, 'server.pem')
  writeFileSync(certificate, impostor.identities.server.cert)
  const believed = spawnSync('unshare', [...inside, ...verify, certificate])
  const wrapped = { wrap: ['unshare', ...inside] }
  const token = control.makeToken()
  const joined = await run(wrapped, 'join', impostor.url, '--token', token, '--state', newState())
  await impostor.stop()
  assert.equal(believed.status, 0, believed.stderr.toString())
  assert.equal(joined.code, 1)
  assert.match(joined.stderr, /unable to get local issuer certificate|self.signed/)
  assert.deepEqual(impostor.of('enrol'), [])
})

test('a joined node believes its control plane only', async (t) => {
  const node = await AgentNode.join(control)
  t.after(() => node.dispose())
  const { generation } = control.assign(node.config('v1'))
  node.start()
  await node.untilVersion('v1')
  await node.untilConfirmed(generation)
  const { identities } = control
  const good = identities.server
  const theirs = await FakeCa.make('Theirs')
  for (const server of [await identities.authorities[0].serverOfANode(), await theirs.server()]) {
    await node.stop()
    await control.stop()
    identities.server = server
    const before = control.said.length
    const log = node.log.length
    await control.start()
    node.start()
    await control.until('an outage', () => /certificate/.test(node.log.slice(log)))
    assert.equal(control.said.length, before, 'says nothing')
    await node.untilVersion('v1')
  }
  await control.stop()
  identities.server = good
  await control.start()
  const hellos = control.of('hello').length
  await control.until('a hello that is answered', () =>
    control
      .of('hello')
      .slice(hellos)
      .some(({ status }) => status === 200),
  )
})

test('nobody is believed at an address of nobody', async () => {
  const { code, stderr } = await joinAt(
    `https://127.0.0.1:${await freePort()}`,
    control.makeToken(),
  )
  assert.equal(code, 1)
  assert.match(stderr, /no control plane at https:\S+: /)
})

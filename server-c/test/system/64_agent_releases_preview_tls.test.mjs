// SPDX-License-Identifier: MIT
// Previews of releases over TLS: the name has the certificates of its site from the moment on that it is told, leads to HTTPS
// where the site does, and leaves nothing behind in a browser when it ends.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as plainly } from 'node:http'
import http2 from 'node:http2'
import { request as securely } from 'node:https'
import { before, describe, test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { policyFor, writePolicy } from '../../../scripts/testing/node-policy.mjs'
import { tempFolder, until } from '../support/node.mjs'
import { Authority } from '../support/pki.mjs'
import { releasedFarm } from '../support/released-farm.mjs'

const HOST = 'v2-www.edge-1.preview.example.org'
const SITE = 'www.example.org'
const KEY = 'the key of this preview'
const HOUR_MS = 3_600_000
const authorization = `Basic ${Buffer.from(`preview:${KEY}`).toString('base64')}`
const sha256 = (text) => createHash('sha256').update(text).digest('hex')

let root, own, previews, other
before((t) => {
  root = new Authority(tempFolder(t), 'root')
  own = root.issue([SITE])
  previews = root.issue(['*.edge-1.preview.example.org'])
  other = root.issue(['other.example'])
})

/** Both ports of a node whose second site is of the release; the first one is shown to who names none. */
async function tlsFarm(t, overrides = {}) {
  const farm = await releasedFarm(t)
  const { control, node, releases } = farm
  writePolicy(node.policy, policyFor(['/']))
  const tlsPort = await freePort()
  const listen = [
    { address: '127.0.0.1', port: node.port },
    { address: '127.0.0.1', port: tlsPort, tls: true },
  ]
  const site = {
    ...{ hosts: [SITE], release: 'www', certificates: [own, previews], redirectToHttps: true },
    ...{ hsts: { maxAgeSeconds: 31_536_000, includeSubDomains: true } },
    ...overrides,
  }
  const first = { hosts: ['other.example', '*'], release: 'other', certificates: [other] }
  const one = releases.keep('www', { 'index.html': 'one' })
  const elsewhere = releases.keep('other', { 'index.html': 'other' })
  const config = node.config('r')
  const whole = { ...config, listen, sites: [first, site], releases: { keep: 0 } }
  const { generation } = control.assign(whole, {}, undefined, [elsewhere, one])
  node.start()
  await node.untilConfirmed(generation)
  const two = releases.keep('www', { 'index.html': 'two' })
  const begin = () => {
    const id = 'preview_01jdq8z6v9k3m5n7p2r4t6w801'
    const { name, manifestSha256 } = two
    control.hold(two)
    control.preview({
      ...{ id, name, manifestSha256, host: HOST, keySha256: sha256(KEY), endsInMs: HOUR_MS },
    })
  }
  const ask = (host, headers = {}, more = {}) =>
    answerOf(securely, {
      ...{ host: '127.0.0.1', port: tlsPort, servername: host, ca: root.pem, agent: false },
      ...{ path: '/', headers: { host, ...headers }, ...more },
    })
  const untilSeen = (text) =>
    until(
      async () => (await ask(HOST, { authorization }).catch(() => null))?.text === text,
      `"${text}" is seen`,
      60_000,
    )
  return { ...farm, tlsPort, begin, ask, untilSeen }
}

const answerOf = (request, options) =>
  new Promise((resolve, reject) => {
    const asked = request(options, (answer) => {
      const shown = answer.socket.getPeerCertificate?.().subject?.CN
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => (text += part))
      answer.on('end', () =>
        resolve({ status: answer.statusCode, text, headers: answer.headers, shown }),
      )
    })
    asked.on('error', reject).end()
  })

describe('previews over TLS', { concurrency: 3 }, () => {
  test('are shown with the certificate that has their name, and ask for nothing in future', async (t) => {
    const { control, begin, ask, untilSeen, tlsPort } = await tlsFarm(t)
    assert.match((await ask(SITE)).headers['strict-transport-security'], /^max-age=31536000/)
    // Who calls a name of nobody's is shown the first site's, which has it not.
    await assert.rejects(ask(HOST), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    begin()
    await untilSeen('two')
    for (const headers of [{ authorization }, {}, { authorization: 'Basic eDp4' }]) {
      const seen = await ask(HOST, headers)
      assert.equal(seen.shown, '*.edge-1.preview.example.org')
      assert.equal(seen.status, headers.authorization === authorization ? 200 : 401)
      assert.equal(seen.headers['strict-transport-security'], undefined)
      assert.equal(seen.headers['cache-control'], 'private, no-store')
    }
    // Browsers use a connection for all names that its certificate has; another client may for any.
    const session = http2.connect(`https://127.0.0.1:${tlsPort}`, {
      ...{ servername: SITE, ca: root.pem },
    })
    t.after(() => session.destroy())
    const stream = session.request({ ':authority': HOST, ':path': '/', authorization })
    const [answer] = await Promise.all([
      new Promise((resolve) => stream.once('response', resolve)),
      stream.toArray(),
    ])
    assert.equal(answer[':status'], 200)
    assert.equal(answer['strict-transport-security'], undefined)
    const visitor = await ask(SITE, { authorization })
    assert.deepEqual([visitor.text, visitor.shown], ['one', SITE])
    control.preview()
    await until(
      async () => (await ask(HOST).catch(({ code }) => code)) === 'ERR_TLS_CERT_ALTNAME_INVALID',
      'it has ended',
      60_000,
    )
  })

  test('lead to HTTPS before anybody is asked for a password, and no cache keeps that', async (t) => {
    const { node, begin, untilSeen, tlsPort } = await tlsFarm(t)
    begin()
    await untilSeen('two')
    const options = { host: '127.0.0.1', port: node.port, path: '/a%20b?c=d', agent: false }
    const led = await answerOf(plainly, { ...options, headers: { host: HOST } })
    assert.equal(led.headers.location, `https://${HOST}:${tlsPort}/a%20b?c=d`)
    assert.equal(led.headers['www-authenticate'], undefined)
    assert.equal(led.headers['strict-transport-security'], undefined)
    assert.equal(led.headers['cache-control'], 'private, no-store')
    assert.equal(led.headers['x-robots-tag'], 'noindex, nofollow')
  })

  test('ask for the certificate of a client where the site does, and for the password as well', async (t) => {
    const client = root.issue(['somebody'])
    const mode = { clientCertificates: { mode: 'required', caFile: root.pemFile } }
    const { begin, ask } = await tlsFarm(t, mode)
    const known = { cert: readFileSync(client.chainFile), key: readFileSync(client.keyFile) }
    begin()
    await until(
      async () => (await ask(HOST, { authorization }, known).catch(() => null))?.text === 'two',
      'it is seen',
      60_000,
    )
    assert.equal((await ask(HOST, { authorization })).status, 403)
    assert.equal((await ask(HOST, {}, known)).status, 401)
    assert.equal((await ask(SITE, {}, known)).text, 'one')
    // A connection is for the site that its client named.
    const crossed = await ask(SITE, { host: HOST, authorization }, known)
    assert.equal(crossed.status, 421)
  })
})

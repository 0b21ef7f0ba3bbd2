// SPDX-License-Identifier: MIT
// The agents' listener as it is by default: real sockets, real TLS, a CA on the disk.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readProtocolSchemas } from '../../src/agent-protocol/message-types.ts'
import { makeCa, makeNodeCertificate, readRequest } from '../../src/ca/x509.ts'
import { openStore } from '../../src/db/open.ts'
import { createAjv } from '../../src/plugins/validation.ts'
import { isOnPostgres } from '../postgres.ts'
import { example, makeToken } from './node-client.ts'
import { ask, fetchCa, newKey } from './tls-joining.ts'
import { buildTls, joinNode, TlsNode } from './tls-node.ts'

const DAY_MS = 24 * 3600 * 1000
const answers = createAjv(false)
for (const schema of readProtocolSchemas().values()) answers.addSchema(schema)
const fits = (message: string, body: unknown) => {
  const name = `${message}.schema.json`
  if (!answers.validate(name, body)) throw new Error(`${name}: ${answers.errorsText()}`)
  return true
}

describe('a token', () => {
  test('is copied with the CA’s fingerprint, in a command that can be pasted', async () => {
    const service = await buildTls()
    const { secret, token, command } = await makeToken(service)
    const fingerprint = service.authority?.fingerprint() ?? ''
    expect(token).toBe(`${secret}.${fingerprint}`)
    expect(fingerprint).toMatch(/^[\w-]{43}$/)
    expect(command).toBe(
      `farmstead-node join https://control.example:9701 --token ${token} --state /var/lib/farmstead`,
    )
  })
})

describe('joining', () => {
  test('makes a node that is known by its certificate', async () => {
    const service = await buildTls()
    const node = await joinNode(service, { labels: { zone: 'north' } })
    const certificate = new X509Certificate(node.certified.cert)
    expect(certificate.subject).toBe(`CN=${node.id}`)
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    const hello = await node.hello()
    expect(hello.status).toBe(200)
    expect(fits('hello.response', hello.json)).toBe(true)
    expect(hello.json).toMatchObject({ caCertificates: node.certified.ca })
    const { json: view } = await service.admin
      .inject({ url: `/api/v1/nodes/${node.id}` })
      .then((response) => ({ json: response.json() }))
    expect(view).toMatchObject({
      connected: true,
      labels: { zone: 'north' },
      identity: {
        kind: 'certificate',
        state: 'good',
        serial: certificate.serialNumber,
        notAfter: certificate.validToDate.toISOString(),
      },
    })
  })

  test('answers as the protocol’s schemas say', async () => {
    const service = await buildTls()
    const ca = await ask(service.port, 'ca', null)
    expect(fits('ca.response', ca.json)).toBe(true)
    const { secret } = await makeToken(service)
    const { csr } = await newKey()
    const body = { ...example('enrol.request'), token: secret, csr }
    const { json } = await ask(service.port, 'enrol', body)
    expect(fits('enrol.response', json)).toBe(true)
    expect(json).not.toHaveProperty('credential')
    const twoThirds = 20 * DAY_MS
    expect(Math.abs(Number(json.renewAfterMs) - twoThirds)).toBeLessThanOrEqual(0.1 * twoThirds)
  })

  test('again with the same key is the same node, and no second use of the token', async () => {
    const service = await buildTls()
    const { token, id } = await makeToken(service)
    const key = await newKey()
    const first = await TlsNode.join(service, token, key)
    const second = await TlsNode.join(service, token, key)
    expect([second.id, second.name]).toEqual([first.id, first.name])
    expect((await second.hello()).status).toBe(200)
    await expect(TlsNode.join(service, token)).rejects.toThrow(/token_used/)
    const { items } = (await service.admin.inject({ url: '/api/v1/enrolment-tokens' })).json()
    expect(items.find((one: { id: string }) => one.id === id).uses).toBe(1)
  })

  test('is refused without a certificate request, or with one that is not good', async () => {
    const service = await buildTls()
    const { secret } = await makeToken(service)
    const enrol = (changes: object) =>
      ask(service.port, 'enrol', { ...example('enrol.request'), token: secret, ...changes })
    expect((await enrol({})).json).toMatchObject({
      status: 400,
      code: 'invalid_message',
      detail: expect.stringMatching(/^\/csr: is missing/),
    })
    expect((await enrol({ csr: 'MIIB' })).json).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/^\/csr: is no PKCS#10/),
    })
    // Neither was a use.
    const { csr } = await newKey()
    expect((await enrol({ csr })).status).toBe(200)
  })

  test('asks for the CAs as often as it must, not for ever', async () => {
    const service = await buildTls()
    const statuses = new Set<number>()
    for (let i = 0; i < 61; i += 1) {
      statuses.add((await service.agents.inject({ url: '/agent/v1/ca' })).statusCode)
    }
    expect([...statuses]).toEqual([200, 429])
  })
})

describe('the listener', () => {
  test('stops though some have connected and say nothing, or half of a handshake', async () => {
    const service = await buildTls()
    const { server } = service.agents
    const sockets = ['', '\x16\x03\x01\x02\x00\x01'].map((begun) => {
      const socket = connectPlain(service.port, '127.0.0.1').on('error', () => {})
      socket.write(begun, 'latin1')
      onTestFinished(() => {
        socket.destroy()
      })
      return once(socket, 'close')
    })
    const connections = promisify(server.getConnections.bind(server))
    await expect.poll(() => connections()).toBe(2)
    const startedAt = performance.now()
    await service.close()
    await Promise.all(sockets)
    // The process ends itself by then, with an error; a handshake may take twice as long.
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })

  test.each(['hello', 'desired', 'ack', 'nack', 'result', 'confirm', 'report', 'renew', 'logs'])(
    'lets nobody say %s without a certificate',
    async (message) => {
      const service = await buildTls()
      const { status, json } = await ask(service.port, message, {})
      expect(status).toBe(401)
      expect(json).toMatchObject({ code: 'unknown_credential' })
      expect(fits('problem', json)).toBe(true)
    },
  )

  test('takes no secret in place of a certificate', async () => {
    const service = await buildTls()
    const node = await joinNode(service)
    await service.services.db
      .updateTable('nodes')
      .set({ credential_digest: 'a'.repeat(64) })
      .execute()
    const response = await service.agents.inject({
      method: 'POST',
      url: '/agent/v1/hello',
      headers: { authorization: `Bearer fsn_${'a'.repeat(43)}` },
      payload: { ...example<object>('hello.request.first'), nodeId: node.id },
    })
    expect(response.json()).toMatchObject({ status: 401, code: 'unknown_credential' })
  })

  test('takes no certificate of another CA, be it good or expired', async () => {
    const service = await buildTls()
    const node = await joinNode(service)
    for (const madeAtMs of [Date.now(), Date.now() - 40 * DAY_MS]) {
      const theirs = await makeCa(madeAtMs)
      const { key, csr } = await newKey()
      const forged = await makeNodeCertificate(theirs, {
        nodeId: node.id,
        key: await readRequest(csr),
        nowMs: madeAtMs,
      })
      const certified = { key, cert: forged.certificatePem, ca: node.certified.ca }
      const { json } = await node.say('hello', example('hello.request.first'), certified)
      expect(json).toMatchObject({ status: 401, code: 'unknown_credential' })
    }
  })

  test('takes a certificate that is younger than its database: an old one was restored', async () => {
    let now = Date.now() - 60_000
    const service = await buildTls({ now: () => now })
    const { db } = service.services
    const node = await joinNode(service)
    await node.hello()
    const backup = await db.selectFrom('node_certificates').selectAll().execute()
    now = Date.now()
    const old = node.certified
    node.certified = await node.renewed()
    await node.hello()
    await db.deleteFrom('node_certificates').execute()
    await db.insertInto('node_certificates').values(backup).execute()
    expect((await node.hello()).status).toBe(200)
    const refused = await node.say('hello', {}, old)
    expect(refused.json).toMatchObject({ status: 401, code: 'identity_revoked' })
    const url = `/api/v1/nodes/${node.id}`
    expect((await service.admin.inject({ url })).json().identity).toMatchObject({
      state: 'good',
      serial: new X509Certificate(node.certified.cert).serialNumber,
    })
  })

  test('takes no older one of ours that it has no record of, nor its own', async () => {
    let now = Date.now() - 60_000
    const service = await buildTls({ now: () => now })
    const { db } = service.services
    const node = await joinNode(service)
    const forgotten = node.certified
    await node.hello()
    now = Date.now()
    node.certified = await node.renewed()
    await node.hello()
    await db.deleteFrom('node_certificates').where('state', '=', 'replaced').execute()
    const refused = await node.say('hello', {}, forgotten)
    expect(refused.json).toMatchObject({ status: 401, code: 'identity_revoked' })
    const { key, cert } = service.authority?.serverContext() ?? { key: '', cert: '' }
    const own = await node.say('hello', {}, { key, cert, ca: node.certified.ca })
    expect(own.json).toMatchObject({ status: 401, code: 'identity_revoked' })
  })

  test('ends a node at once that was revoked by another process, whatever was read of it before', async () => {
    const service = await buildTls()
    const node = (await joinNode(service)).keepAlive()
    await node.hello()
    for (let i = 0; i < 3; i++) expect((await node.desired()).status).toBe(200)
    const { db: other } = await openStore(service.config)
    await other.updateTable('node_certificates').set({ state: 'revoked' }).execute()
    await other.destroy()
    // PostgreSQL tells of it, SQLite is asked.
    if (isOnPostgres) await expect.poll(async () => (await node.desired()).status).toBe(401)
    expect((await node.desired()).json).toMatchObject({ status: 401, code: 'identity_revoked' })
  })

  test('is known by what a node pins: a server certificate of that CA, good for nothing else', async () => {
    const service = await buildTls()
    const ca = await fetchCa(service.port, service.authority?.fingerprint() ?? '')
    const { socket, peer } = await ask(service.port, 'ca', null, { ca })
    expect(peer?.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(socket.getProtocol()).toBe('TLSv1.3')
    const other = (await makeCa(Date.now())).certificatePem
    await expect(ask(service.port, 'ca', null, { ca: other })).rejects.toThrow(
      /unable to verify|self.signed|certificate/i,
    )
  })

  test('speaks neither plain HTTP nor older TLS', async () => {
    const service = await buildTls()
    const plain = new Promise((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port: service.port, path: '/agent/v1/ca' }, resolve)
        .on('error', reject)
        .end()
    })
    await expect(plain).rejects.toThrow()
    const older = new Promise((resolve, reject) => {
      connect({
        host: '127.0.0.1',
        port: service.port,
        maxVersion: 'TLSv1.2',
        rejectUnauthorized: false,
      })
        .on('secureConnect', resolve)
        .on('error', reject)
    })
    await expect(older).rejects.toThrow(/protocol version|alert/i)
  })

  test('on plain HTTP has neither CA nor certificates to give', async () => {
    const service = await buildTls({
      config: { agentTransport: 'insecure-http', agentUrl: 'http://127.0.0.1:9701' },
    })
    const { secret, token, command } = await makeToken(service)
    expect(token).toBe(secret)
    expect(command).toContain('--insecure-http')
    const ca = await service.agents.inject({ url: '/agent/v1/ca' })
    expect(ca.json()).toMatchObject({ status: 404, code: 'not_found' })
    const payload = { ...example('enrol.request.csr'), token: secret }
    const enrolled = await service.agents.inject({
      method: 'POST',
      url: '/agent/v1/enrol',
      payload,
    })
    expect(fits('enrol.response', enrolled.json())).toBe(true)
    expect(enrolled.json()).toHaveProperty('credential')
    const headers = { authorization: `Bearer ${enrolled.json().credential}` }
    const renewal = await service.agents.inject({
      method: 'POST',
      url: '/agent/v1/renew',
      headers,
      payload: example('renew.request'),
    })
    expect(renewal.json()).toMatchObject({ status: 409, code: 'say_hello' })
  })
})

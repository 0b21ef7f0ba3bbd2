// SPDX-License-Identifier: MIT
// How an identity is renewed, ends, and comes back; and two processes that hold one.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { readProtocolSchemas } from '../../src/agent-protocol/message-types.ts'
import { createAjv } from '../../src/plugins/validation.ts'
import { assign, example, makeToken } from '../agents/node-client.ts'
import { ask } from '../agents/tls-joining.ts'
import { buildTls, joinNode, sharedTls, type TlsBuilt, TlsNode } from '../agents/tls-node.ts'

const DAY_MS = 24 * 3600 * 1000
/** Whoever moves a clock, changes the CA or counts certificates has a service of its own. */
const sharedService = sharedTls()
const answers = createAjv(false)
for (const schema of readProtocolSchemas().values()) answers.addSchema(schema)
const problem = (json: unknown) => {
  if (!answers.validate('problem.schema.json', json)) throw new Error(answers.errorsText())
  return (json as { code: string }).code
}
const show = async (service: Pick<TlsBuilt, 'admin'>, id: string) =>
  (await service.admin.inject({ url: `/api/v1/nodes/${id}` })).json()
const rejoin = async (service: TlsBuilt, nodeId: string) =>
  TlsNode.join(service, (await makeToken(service, { nodeId })).token)

describe('renewal', () => {
  test('leaves the old certificate good until the new one was used, then no longer', async () => {
    const service = await buildTls()
    const node = await joinNode(service)
    await node.hello()
    const old = { ...node.certified }
    const { answer, ...next } = await node.renewed()
    expect(answers.validate('renew.response.schema.json', answer.json)).toBe(true)
    expect((await node.hello()).status).toBe(200)
    node.certified = next
    expect((await node.hello()).status).toBe(200)
    const refused = await node.say('hello', example('hello.request.first'), old)
    expect([refused.status, problem(refused.json)]).toEqual([401, 'identity_revoked'])
    expect((await node.hello()).status).toBe(200)
  })

  test('may be asked for again when the answer was lost', async () => {
    const service = sharedService()
    const node = await joinNode(service)
    await node.hello()
    const lost = await node.renewed()
    node.certified = await node.renewed()
    expect((await node.hello()).status).toBe(200)
    expect((await node.say('report', {}, lost)).status).toBe(401)
  })

  test('is told by hello: two thirds of the life after the certificate was made', async () => {
    let now = Date.now()
    const service = await buildTls({ now: () => now })
    const node = await joinNode(service)
    const dueMs = async () => Number((await node.hello()).json.renewAfterMs)
    expect(Math.abs((await dueMs()) - 20 * DAY_MS)).toBeLessThanOrEqual(2 * DAY_MS)
    now += 10 * DAY_MS
    expect(Math.abs((await dueMs()) - 10 * DAY_MS)).toBeLessThanOrEqual(2 * DAY_MS)
    now += 15 * DAY_MS
    expect(await dueMs()).toBe(0)
  })

  test('is for who is good: not for a node that must say hello, nor without end', async () => {
    const service = await buildTls()
    const node = await joinNode(service)
    expect((await node.renewed()).answer.json).toMatchObject({ status: 409, code: 'say_hello' })
    await node.hello()
    const statuses = []
    for (let i = 0; i < 11; i += 1) statuses.push((await node.renewed()).answer.status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    const rows = await service.services.db
      .selectFrom('node_certificates')
      .where('state', '=', 'issued')
      .selectAll()
      .execute()
    expect(rows).toHaveLength(8)
  })
})

describe('an expired identity', () => {
  test('has its own answer, and one way back: a token for that node', async () => {
    // In the past, so that the certificate has really ended for everybody's clock.
    let now = Date.now() - 31 * DAY_MS
    const service = await buildTls({ now: () => now })
    const node = await joinNode(service)
    await node.hello()
    const given = await assign(service, { nodeId: node.id })
    now = Date.now()
    expect(new X509Certificate(node.certified.cert).validToDate.getTime()).toBeLessThan(now)
    for (const message of ['hello', 'desired', 'renew'] as const) {
      const { status, json } = await node.say(message, {})
      expect([status, problem(json)]).toEqual([401, 'identity_expired'])
    }
    service.fleet.cutOff(node.id)
    // The console's session has ended meanwhile too.
    service.admin = await service.as('admin')
    const expired = await show(service, node.id)
    expect(expired).toMatchObject({
      connected: false,
      identity: { state: 'expired', refused: { code: 'identity_expired' } },
      sync: { state: 'unknown', reason: expect.stringMatching(/has expired.*--rejoin/) },
    })

    const again = await rejoin(service, node.id)
    expect([again.id, again.name]).toEqual([node.id, node.name])
    expect((await again.hello()).status).toBe(200)
    const { json } = await again.desired()
    expect(json.assignment).toMatchObject({ generation: given.generation })
    expect((await assign(service, { nodeId: node.id })).generation).toBe(given.generation + 1)
    expect((await show(service, node.id)).identity).toMatchObject({ state: 'good', refused: null })
    expect(problem((await node.hello()).json)).toBe('identity_revoked')
  })
})

describe('revoking an identity', () => {
  test('ends the long poll and the connections, and every message after it', async () => {
    const service = sharedService()
    const node = (await joinNode(service)).keepAlive()
    const { socket } = await node.hello()
    const closed = once(socket, 'close')
    const poll = node.desired(20_000)
    await expect.poll(() => service.fleet.presence(node.id).connected).toBe(true)
    await sleep(50)
    const url = `/api/v1/nodes/${node.id}/identity`
    expect((await service.admin.inject({ method: 'DELETE', url })).statusCode).toBe(204)
    const answered = await poll
    expect([answered.status, problem(answered.json)]).toEqual([401, 'identity_revoked'])
    await closed
    expect(problem((await node.hello()).json)).toBe('identity_revoked')
    expect(await show(service, node.id)).toMatchObject({
      connected: false,
      identity: { kind: 'none', state: 'revoked' },
      sync: { state: 'unknown', reason: expect.stringMatching(/revoked/) },
    })
    expect((await (await rejoin(service, node.id)).hello()).status).toBe(200)
  })

  test('by decommissioning takes the tokens for its way back with it', async () => {
    const service = sharedService()
    const node = await joinNode(service)
    const { token } = await makeToken(service, { nodeId: node.id })
    const url = `/api/v1/nodes/${node.id}`
    expect((await service.admin.inject({ method: 'DELETE', url })).statusCode).toBe(204)
    expect(problem((await node.hello()).json)).toBe('identity_revoked')
    await expect(TlsNode.join(service, token)).rejects.toThrow(/token_invalid/)
  })

  test('needs a node, and the right to', async () => {
    const service = sharedService()
    const viewer = await service.as('viewer')
    const url = '/api/v1/nodes/node_01jd4q6v2m8w3x5y7z9abcdefg/identity'
    expect((await viewer.inject({ method: 'DELETE', url })).statusCode).toBe(403)
    expect((await service.admin.inject({ method: 'DELETE', url })).statusCode).toBe(404)
  })
})

describe('a token for a known node', () => {
  test('ends what the node was known by, at once', async () => {
    const service = sharedService()
    const node = await joinNode(service, { labels: { zone: 'north' } })
    await node.hello()
    const poll = node.desired(20_000)
    await sleep(50)
    const again = await rejoin(service, node.id)
    expect(problem((await poll).json)).toBe('identity_revoked')
    expect((await again.hello()).status).toBe(200)
    expect((await show(service, node.id)).labels).toEqual({ zone: 'north' })
  })

  test('says which node, and nothing else', async () => {
    const service = sharedService()
    const node = await joinNode(service)
    const make = (payload: object) =>
      service.admin.inject({ method: 'POST', url: '/api/v1/enrolment-tokens', payload })
    const bound = await make({ nodeId: node.id })
    expect(bound.json()).toMatchObject({
      nodeId: node.id,
      maxUses: 1,
      command: expect.stringMatching(/--rejoin$/),
    })
    for (const more of [{ labels: { zone: 'x' } }, { mergePatch: { a: 1 } }, { maxUses: 2 }]) {
      expect((await make({ nodeId: node.id, ...more })).statusCode).toBe(400)
    }
    const unknown = await make({ nodeId: 'node_01jd4q6v2m8w3x5y7z9abcdefg' })
    expect(unknown.json()).toMatchObject({ status: 404, code: 'node_not_found' })
  })
})

describe('two processes with one identity', () => {
  const cloned = async () => {
    const service = sharedService()
    const node = await joinNode(service)
    const copy = node.clone()
    await node.hello()
    await copy.hello({ hostname: 'copy.example.org' })
    // Once may have been held up on its way.
    expect((await node.hello()).json).toMatchObject({ status: 503, code: 'say_again' })
    return { service, node, copy }
  }
  const decide = (service: TlsBuilt, id: string, keep: string) =>
    service.admin.inject({
      method: 'POST',
      url: `/api/v1/nodes/${id}/clone`,
      payload: { keep },
    })

  test('are found when the first speaks again, and neither is given anything', async () => {
    const { service, node, copy } = await cloned()
    expect(problem((await node.desired()).json)).toBe('say_hello')
    const poll = copy.desired(20_000)
    await sleep(50)
    expect(problem((await node.hello()).json)).toBe('clone_detected')
    const answered = await poll
    expect([answered.status, problem(answered.json)]).toEqual([409, 'clone_detected'])
    await assign(service, { nodeId: node.id })
    for (const one of [node, copy]) {
      for (const answer of [
        one.hello(),
        one.desired(),
        one.report(),
        one.say('ack', example('ack.request')),
      ]) {
        expect(problem((await answer).json)).toBe('clone_detected')
      }
      expect((await one.renewed()).answer.status).toBe(409)
    }
    const view = await show(service, node.id)
    expect(view.sync).toMatchObject({
      state: 'out-of-sync',
      reason: expect.stringMatching(/Two processes/),
    })
    expect(view.clone).toMatchObject({ keep: null })
    const seen = view.clone.incarnations.map((one: { incarnation: string; hostname: string }) => [
      one.incarnation,
      one.hostname,
    ])
    expect(seen.sort()).toEqual(
      [
        [node.incarnation, 'edge-1.example.org'],
        [copy.incarnation, 'edge-1.example.org'],
      ].sort(),
    )
  })

  test('are one again when an operator keeps one, whose new key shuts the other out', async () => {
    const { service, node, copy } = await cloned()
    await node.hello()
    expect((await decide(service, node.id, 'f'.repeat(32))).json().code).toBe('unknown_incarnation')
    expect((await decide(service, node.id, copy.incarnation)).statusCode).toBe(204)
    expect((await show(service, node.id)).clone).toMatchObject({ keep: copy.incarnation })
    expect(problem((await node.hello()).json)).toBe('clone_detected')
    const kept = await copy.hello()
    expect([kept.status, kept.json.renewAfterMs]).toEqual([200, 0])
    expect((await node.renewed()).answer.status).toBe(409)
    copy.certified = await copy.renewed()
    expect((await copy.desired()).status).toBe(200)
    expect(problem((await node.hello()).json)).toBe('identity_revoked')
    expect((await show(service, node.id)).clone).toBeNull()
    expect(Number((await copy.hello()).json.renewAfterMs)).toBeGreaterThan(0)
  })

  test('are decided on by who may, where there is something to decide', async () => {
    const service = sharedService()
    const node = await joinNode(service)
    await node.hello()
    expect((await decide(service, node.id, node.incarnation)).json()).toMatchObject({
      status: 409,
      code: 'no_clone',
    })
    const missing = await decide(service, 'node_01jd4q6v2m8w3x5y7z9abcdefg', node.incarnation)
    expect(missing.statusCode).toBe(404)
    expect((await decide(service, node.id, 'x')).statusCode).toBe(400)
  })

  test('a certificate the other was given before the decision is worth nothing after it', async () => {
    const { service, node, copy } = await cloned()
    const early = await copy.renewed()
    expect(early.answer.status).toBe(200)
    await node.hello()
    expect(
      (
        await copy.say(
          'hello',
          { ...example('hello.request.first'), nodeId: node.id, incarnation: copy.incarnation },
          early,
        )
      ).status,
    ).toBe(409)
    expect((await decide(service, node.id, node.incarnation)).statusCode).toBe(204)
    copy.certified = early
    expect(problem((await copy.hello()).json)).toBe('identity_revoked')
    expect((await node.hello()).status).toBe(200)
  })

  test('are not seen in a node that restarts, however often', async () => {
    const service = sharedService()
    const node = await joinNode(service)
    for (let start = 0; start < 5; start += 1) {
      node.incarnation = String(start).repeat(32)
      expect((await node.hello()).status).toBe(200)
      expect((await node.hello()).status).toBe(200)
    }
    expect((await show(service, node.id)).clone).toBeNull()
  })
})

describe('rotation of the CA', () => {
  test('begun while the service runs reaches every node, and locks out none', async () => {
    const { beginRotation, finishRotation } = await import('../../src/ca/rotation.ts')
    const { laggards } = await import('../../src/node-identity/store/certificates.ts')
    const service = await buildTls()
    const { authority } = service
    if (!authority) throw new Error('no authority')
    const node = await joinNode(service)
    await node.hello()
    const old = authority.fingerprint()
    const where = { dataDir: service.config.dataDir, now: Date.now }
    const missing = () =>
      laggards(service.services.db, {
        caSha256: authority.status().ca.sha256,
        bundle: authority.bundle().digest,
        nowMs: Date.now(),
      })

    const poll = node.desired(20_000)
    await sleep(50)
    const next = await beginRotation(where)
    await authority.refresh()
    // Who waits hears of it; a token made now still names what the listener shows.
    expect(problem((await poll).json)).toBe('say_hello')
    expect(authority.fingerprint()).toBe(old)
    expect(await missing()).toEqual({ untold: ['edge-1'], outgoing: ['edge-1'] })

    const told = await node.hello()
    expect(Number(told.json.renewAfterMs)).toBeLessThanOrEqual(60_000)
    expect(await missing()).toEqual({ untold: [], outgoing: ['edge-1'] })
    expect(() =>
      finishRotation(service.config.dataDir, { untold: [], outgoing: ['edge-1'] }, false),
    ).toThrow(/1 node\(s\) do not have the new CA yet: edge-1/)
    node.certified = await node.renewed()
    expect((await node.desired()).status).toBe(200)
    expect(await missing()).toEqual({ untold: [], outgoing: [] })

    finishRotation(service.config.dataDir, await missing(), false)
    await authority.refresh()
    expect(authority.fingerprint()).toBe(next)
    // The listener's certificate is the new CA's by now, and the node knows that one.
    expect(problem((await node.desired()).json)).toBe('say_hello')
    expect((await node.hello()).status).toBe(200)
    expect((await node.desired()).status).toBe(200)
    expect((await joinNode(service)).name).toBe('edge-1-2')
  })

  test('that is forced ends the identities of the old CA', async () => {
    const { beginRotation, finishRotation } = await import('../../src/ca/rotation.ts')
    const service = await buildTls()
    const node = await joinNode(service)
    await node.hello()
    const { dataDir } = service.config
    await beginRotation({ dataDir, now: Date.now })
    finishRotation(dataDir, { untold: ['edge-1'], outgoing: [] }, true)
    await service.authority?.refresh()
    await expect(node.hello()).rejects.toThrow(/certificate|verify/i)
    const { key, cert } = node.certified
    const unverified = await ask(service.port, 'hello', {}, { key, cert })
    expect(problem(unverified.json)).toBe('identity_revoked')
  })
})

describe('the listener’s own certificate', () => {
  test('is made anew in its last third, without a connection being dropped', async () => {
    let now = Date.now()
    const service = await buildTls({ now: () => now })
    const node = (await joinNode(service)).keepAlive()
    const { socket, peer } = await node.hello()
    const serial = peer?.serialNumber
    expect(serial).toMatch(/^[0-9A-F]{32}$/)
    now += 240 * DAY_MS
    await service.authority?.refresh()
    const same = await ask(service.port, 'ca', null)
    expect(same.peer?.serialNumber).toBe(serial)
    now += 10 * DAY_MS
    await service.authority?.refresh()
    // Not verified here: by this machine's clock it is not good yet.
    const fresh = await ask(service.port, 'ca', null)
    expect(fresh.peer?.verify(new X509Certificate(node.certified.ca).publicKey)).toBe(true)
    expect(fresh.peer?.serialNumber).not.toBe(serial)
    // The one that stood goes on: the node's certificate has ended by now, which is what it is told.
    const still = await node.hello()
    expect(still.socket).toBe(socket)
    expect(problem(still.json)).toBe('identity_expired')
  })
})

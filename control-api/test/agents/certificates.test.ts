// SPDX-License-Identifier: MIT
// Certificates on their way to a node: named by what it is to run, given with their keys to that node alone, and read back.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { contentDigest, contentId } from '../../src/agent-protocol/content.ts'
import { readProtocolSchemas } from '../../src/agent-protocol/message-types.ts'
import type { DesiredResponse } from '../../src/agent-protocol/messages.gen.ts'
import { sha256 } from '../../src/base/ids.ts'
import { ENCRYPTS_MS } from '../../src/certificates/ticket-keys.ts'
import { MAX_CHALLENGES } from '../../src/fleet/challenges.ts'
import { createAjv } from '../../src/plugins/validation.ts'
import { makeChain } from '../certificates/make.ts'
import { type Built, build } from '../helper.ts'
import { about, assign, DIGEST, enrolNode, example } from './node-client.ts'
import { ask } from './tls-joining.ts'
import { buildTls, joinNode, type TlsNode } from './tls-node.ts'

const answers = createAjv(false)
for (const schema of readProtocolSchemas().values()) answers.addSchema(schema)
const fits = (message: string, body: unknown) => {
  const name = `${message}.schema.json`
  if (!answers.validate(name, body)) throw new Error(`${name}: ${answers.errorsText()}`)
  return true
}

async function upload({ admin }: Built, name: string, hosts = ['shop.example']) {
  const pair = await makeChain(hosts)
  const payload = { name, chain: pair.chain, key: pair.key }
  const made = await admin.inject({ method: 'POST', url: '/api/v1/certificates', payload })
  expect(made.statusCode, made.body).toBe(201)
  const { fingerprint } = made.json().latestVersion
  return { ...pair, given: { name, version: 1, fingerprintSha256: fingerprint as string } }
}
type Given = Awaited<ReturnType<typeof upload>>['given']

const give = (service: Built, nodeId: string, certificates: readonly Given[], text = '{}') =>
  service.services.write((unit) =>
    service.assignments.assign(unit, {
      ...{ nodeId, rolloutId: null, config: 'default', version: 1, text, group: 'default' },
      ...{ configDigest: DIGEST, certificates, digest: contentDigest(DIGEST, certificates) },
    }),
  )
const fetchFrom = (service: { port: number }, node: TlsNode, path: string) =>
  ask(service.port, path, null, node.certified)

describe('a certificate', () => {
  test('is named by what a node is to run, and given to it with its key', async () => {
    const service = await buildTls()
    const node = await joinNode(service)
    await node.hello()
    const { given, chain, key } = await upload(service, 'shop')
    await give(service, node.id, [given])
    const { json } = await node.desired()
    expect(fits('desired.response', json)).toBe(true)
    const { assignment } = json as DesiredResponse
    expect(assignment?.release).toMatchObject({ configDigest: DIGEST, certificates: [given] })
    const fetched = await fetchFrom(service, node, 'certificates/shop/1')
    expect(fetched.status).toBe(200)
    expect(fits('certificate.response', fetched.json)).toBe(true)
    expect(fetched.json).toEqual({ ...given, chain, key })
    const { items } = (
      await service.admin.inject({ url: '/api/v1/audit?kind=node&action=certificate-fetched' })
    ).json()
    expect(items).toMatchObject([{ object: node.id, by: 'nodes' }])
    const { data } = (await service.admin.inject({ url: `/api/v1/audit/${items[0].id}` })).json()
    expect(data).toEqual(given)
  })

  test('is not given to another node, in another version, or once nothing names it any more', async () => {
    const service = await buildTls()
    const [node, other] = [await joinNode(service), await joinNode(service)]
    for (const one of [node, other]) await one.hello()
    const { given } = await upload(service, 'shop')
    await upload(service, 'secret')
    await give(service, node.id, [given])
    const refused = async (who: TlsNode, path: string) => {
      const { status, json } = await fetchFrom(service, who, path)
      expect(fits('problem', json)).toBe(true)
      return [status, json.code]
    }
    const none = [404, 'no_such_certificate']
    expect(await refused(other, 'certificates/shop/1')).toEqual(none)
    for (const path of [
      'shop/2',
      'shop/0',
      'shop/x',
      'secret/1',
      'shop/1e0',
      '%2e%2e%2fshop/1',
      'shop%00/1',
    ]) {
      expect(await refused(node, `certificates/${path}`), path).toEqual(none)
    }
    // What it kept since names none: it cannot go back to the one before.
    const { offerId, generation } = await give(service, node.id, [])
    await sql`update assignments set state = 'confirmed' where generation = ${generation}`.execute(
      service.services.db,
    )
    expect(offerId).toMatch(/^offer_/)
    expect(await refused(node, 'certificates/shop/1')).toEqual(none)
  })

  test('is given while the node may go back to the config that names it', async () => {
    const service = await buildTls()
    const node = await joinNode(service)
    await node.hello()
    const { given } = await upload(service, 'shop')
    await give(service, node.id, [given])
    await sql`update assignments set state = 'confirmed'`.execute(service.services.db)
    await give(service, node.id, [])
    expect((await fetchFrom(service, node, 'certificates/shop/1')).status).toBe(200)
  })

  test('is not given over plain HTTP, nor to who shows no certificate', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    const { given } = await upload(service, 'shop')
    await give(service, node.id, [given])
    for (const path of ['certificates/shop/1', 'ticket-keys']) {
      const url = `/agent/v1/${path}`
      const headers = { authorization: `Bearer ${node.credential}` }
      const plain = await service.agents.inject({ url, headers })
      expect(plain.json()).toMatchObject({ status: 403, code: 'needs_certificate' })
      expect((await service.agents.inject({ url })).statusCode).toBe(401)
    }
  })
})

describe('what runs', () => {
  test('is what was given when config and certificates are, and not with the config alone', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    const { given } = await upload(service, 'shop')
    const offered = await give(service, node.id, [given])
    const said = about(offered)
    // It speaks of the config by its own digest.
    expect((await node.say('ack', said.ack)).statusCode).toBe(200)
    expect((await node.say('result', said.applied)).statusCode).toBe(200)
    const without = await node.say('confirm', said.confirm)
    expect(without.json()).toMatchObject({ confirmed: false })
    const other = { ...given, fingerprintSha256: sha256('another') }
    const withOther = { ...said.confirm.effective, certificates: [other] }
    expect(
      (await node.say('confirm', { ...said.confirm, effective: withOther })).json().confirmed,
    ).toBe(false)
    const effective = { ...said.confirm.effective, certificates: [given] }
    expect((await node.say('confirm', { ...said.confirm, effective })).json().confirmed).toBe(true)
    await node.report({ effective })
    expect((await node.show()).sync).toMatchObject({ state: 'in-sync' })
    // A start that lost it is seen as such.
    await node.report({ effective: { ...effective, certificates: [] } })
    expect((await node.show()).sync.state).not.toBe('in-sync')
  })

  test('of a node that never heard of certificates is as it was', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    const said = about(await assign(service, { nodeId: node.id }))
    expect((await node.offer()).release).not.toHaveProperty('certificates')
    for (const message of ['ack', 'confirm'] as const) await node.say(message, said[message])
    await node.report({ effective: said.confirm.effective })
    expect((await node.show()).sync).toMatchObject({ state: 'in-sync' })
    expect((await node.show()).certificates).toEqual([])
  })

  test('is shown by host, with the version it is of', async () => {
    const service = await build()
    const node = await enrolNode(service, { labels: { zone: 'eu' } })
    await node.hello()
    const { given } = await upload(service, 'shop')
    const certificates = [
      {
        host: 'shop.example',
        fingerprintSha256: given.fingerprintSha256,
        notAfterUnixMs: 1_800_000_000_000,
      },
      { host: '*', fingerprintSha256: sha256('a file'), notAfterUnixMs: 1_700_000_000_000 },
    ]
    await node.report({ certificates })
    const { certificates: shown } = await node.show()
    expect(shown).toMatchObject([
      { host: '*', certificate: null, notAfter: '2023-11-14T22:13:20.000Z', state: 'expired' },
      {
        host: 'shop.example',
        certificate: { name: 'shop', version: 1, latestVersion: 1 },
        state: 'good',
        fingerprint: given.fingerprintSha256,
      },
    ])
    const served = async (client: Built['admin']) =>
      (await client.inject({ url: '/api/v1/certificates/shop/served' })).json().items
    expect(await served(service.admin)).toMatchObject([
      { node: { id: node.id }, host: 'shop.example', version: 1 },
    ])
    const operator = await service.as('operator')
    await sql`update users set scope = 'zone=us' where username = 'test-operator'`.execute(
      service.services.db,
    )
    expect(await served(operator)).toEqual([])
    // Left out: as before. Said again: keeps its time. Another list takes its place.
    await node.report({})
    await node.report({ certificates })
    expect((await node.show()).certificates).toEqual(shown)
    await node.report({ certificates: [] })
    expect((await node.show()).certificates).toEqual([])
  })
})

describe('keys of session tickets', () => {
  test('are the same on nodes of one group, others in another, and turn every twelve hours', async () => {
    let now = Date.now()
    const service = await buildTls({ now: () => now })
    const nodes = [await joinNode(service), await joinNode(service), await joinNode(service)]
    for (const [i, node] of nodes.entries()) {
      await node.hello()
      await service.services.write((unit) =>
        service.assignments.assign(unit, {
          ...{ nodeId: node.id, rolloutId: null, config: 'default', version: 1, text: '{}' },
          ...{ digest: DIGEST, group: i === 2 ? 'eu' : 'default' },
        }),
      )
    }
    const keysOf = async (node: TlsNode | undefined) => {
      if (!node) throw new Error('no node')
      const { status, json } = await fetchFrom(service, node, 'ticket-keys')
      expect(status).toBe(200)
      expect(fits('ticket-keys.response', json)).toBe(true)
      return json as { keys: string[]; refreshAfterMs: number }
    }
    const [one, two, other] = [
      await keysOf(nodes[0]),
      await keysOf(nodes[1]),
      await keysOf(nodes[2]),
    ]
    expect(one.keys).toHaveLength(2)
    expect(new Set([...one.keys, ...other.keys]).size).toBe(4)
    expect(two.keys).toEqual(one.keys)
    expect(one.refreshAfterMs).toBeLessThanOrEqual(3_600_000)
    const { rows } = await sql<{ key: string }>`select key from ticket_keys`.execute(
      service.services.db,
    )
    for (const { key } of rows) expect(key).toMatch(/^box1\./)
    now += ENCRYPTS_MS
    const later = await keysOf(nodes[0])
    // What comes next was known before it encrypts; what encrypted before still decrypts.
    expect(later.keys.slice(0, 2)).toEqual([one.keys[1], one.keys[0]])
    now += ENCRYPTS_MS
    expect((await keysOf(nodes[0])).keys).not.toContain(one.keys[0])
    expect(
      (
        await sql<{
          n: number
        }>`select count(*) as n from ticket_keys where group_name = 'default'`.execute(
          service.services.db,
        )
      ).rows,
    ).toEqual([{ n: 3 }])
  })
})

describe('challenges', () => {
  const challenge = {
    ...{ host: 'shop.example', token: 'tokenA', keyAuthorization: 'tokenA.thumb' },
    lifeMs: 600_000,
  }
  test('come at once to nodes that can answer them, and are read back', async () => {
    const service = await build()
    const [able, old] = [await enrolNode(service), await enrolNode(service)]
    for (const node of [able, old]) await node.hello()
    const ask = (challenges: string[]) =>
      able.say('desired', { ...example('desired.request'), have: null, waitMs: 20_000, challenges })
    const waiting = ask([])
    await sleep(50)
    expect(service.challenges.put([challenge])).toBe(true)
    const told = (await waiting).json()
    expect(fits('desired.response', told)).toBe(true)
    expect(told.challenges).toMatchObject([
      { host: 'shop.example', token: 'tokenA', keyAuthorization: 'tokenA.thumb' },
    ])
    expect(told.challenges[0].endsInMs).toBeLessThanOrEqual(600_000)
    expect(service.challenges.answersOf(able.id)).toEqual(new Set())
    const next = ask(['tokenA'])
    await expect.poll(() => service.challenges.answersOf(able.id)).toEqual(new Set(['tokenA']))
    service.challenges.remove(['tokenA'])
    expect((await next).json().challenges).toEqual([])
    // Who does not say what it answers is told nothing.
    service.challenges.put([challenge])
    expect((await old.desired(null)).json()).toEqual({ assignment: null })
    const token = (at: number) => ({ ...challenge, token: `token${at}` })
    const tooMany = Array.from({ length: MAX_CHALLENGES }, (_, at) => token(at))
    expect(service.challenges.put(tooMany)).toBe(false)
    expect(service.challenges.put([...tooMany.slice(1), challenge])).toBe(true)
  })
})

test('a digest of content is of config and certificates, in whatever order', () => {
  const [a, b] = ['a', 'b'].map((name) => ({ name, version: 1, fingerprintSha256: sha256(name) }))
  if (!a || !b) throw new Error()
  expect(contentDigest(DIGEST)).toBe(DIGEST)
  expect(contentDigest(DIGEST, [a, b])).toBe(contentDigest(DIGEST, [b, a]))
  expect(contentDigest(DIGEST, [a])).not.toBe(contentDigest(DIGEST, [{ ...a, version: 2 }]))
  expect(contentDigest(DIGEST, [a])).not.toBe(contentDigest(DIGEST, [b]))
  expect(contentId('x')).toBe(sha256('x'))
  expect(contentId('x', [a])).not.toBe(contentId('x', [b]))
})

// SPDX-License-Identifier: MIT
// Nodes that give each other releases, as the control plane's side of it speaks: over real TLS.
import { createPublicKey, randomBytes, verify, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readProtocolSchemas } from '../../src/agent-protocol/message-types.ts'
import type { ReleasesNeighboursResponse } from '../../src/agent-protocol/messages.gen.ts'
import { sha256 } from '../../src/base/ids.ts'
import { SIGNS_MS } from '../../src/neighbours/keys.ts'
import { createAjv } from '../../src/plugins/validation.ts'
import { push } from '../features/releases/pushing.ts'
import { assign } from './node-client.ts'
import { buildTls, joinNode, type TlsBuilt, type TlsNode } from './tls-node.ts'

const FILES = { 'index.html': '<h1>one</h1>' }
const URL = '/api/v1/neighbours'
const ON = { zoneLabel: 'zone', acrossZones: false, maxBytesPerSecond: null, atOnce: 4 }
const answers = createAjv(false)
for (const schema of readProtocolSchemas().values()) answers.addSchema(schema)
const fits = (message: string, body: unknown) => {
  const name = `${message}.schema.json`
  if (!answers.validate(name, body)) throw new Error(`${name}: ${answers.errorsText()}`)
  return true
}

async function turn(service: TlsBuilt, changes: object = {}) {
  const { headers } = await service.admin.inject({ url: URL })
  const { statusCode, body } = await service.admin.inject({
    ...{ method: 'PUT', url: URL, headers: { 'if-match': String(headers.etag) } },
    payload: { ...ON, ...changes },
  })
  if (statusCode !== 200) throw new Error(body)
}

async function farmOf(...zones: string[]) {
  let nowMs = Date.now()
  const service = await buildTls({ now: () => nowMs })
  const manifest = await push(service.admin, 'www', FILES, null)
  await turn(service)
  const nodes: TlsNode[] = []
  for (const zone of zones) {
    const node = await joinNode(service, { labels: { zone } })
    await node.hello()
    const release = { name: 'www', number: 1, manifestSha256: manifest }
    await assign(service, { nodeId: node.id, releases: [release] })
    nodes.push(node)
  }
  return {
    ...{ service, manifest, nodes },
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}
const addressOf = (node: TlsNode) => `10.0.0.${Number.parseInt(node.id.slice(-1), 36) + 1}:8444`
const gives = (node: TlsNode, holds: string[]) =>
  node.report({ neighbours: { address: addressOf(node), holds } })
const ask = async (node: TlsNode, manifestSha256: string, changes: object = {}) => {
  const { incarnation } = node
  const body = { incarnation, manifestSha256, state: 'wanted', ...changes }
  const { status, json } = await node.say('releases/neighbours', body)
  if (status === 200) fits('releases-neighbours.response', json)
  return { status, json: json as unknown as ReleasesNeighboursResponse & { code?: string } }
}
const keyOf = ({ certified }: TlsNode) =>
  sha256(new X509Certificate(certified.cert).publicKey.export({ format: 'der', type: 'spki' }))
const RAW_KEY = Buffer.from('302a300506032b6570032100', 'hex')
const publicKey = (hex: string) =>
  createPublicKey({
    ...{ key: Buffer.concat([RAW_KEY, Buffer.from(hex, 'hex')]), format: 'der', type: 'spki' },
  })
const isSigned = (pass: string, hex: string) => {
  const at = pass.lastIndexOf('.')
  const text = Buffer.from(`farmstead neighbour pass ${pass.slice(0, at)}`)
  return verify(null, text, publicKey(hex), Buffer.from(pass.slice(at + 1), 'hex'))
}

describe('a node that lacks a release', () => {
  test('fetches it when it is the first of its zone; the next waits, and is named who has it', async () => {
    const { manifest, nodes } = await farmOf('a', 'a')
    const [first, second] = nodes as [TlsNode, TlsNode]
    await gives(first, [])
    expect((await ask(first, manifest)).json).toEqual({ waitMs: 0, neighbours: [] })
    const waiting = (await ask(second, manifest)).json
    expect(waiting.neighbours).toEqual([])
    expect(waiting.waitMs).toBeGreaterThan(0)
    await ask(first, manifest, { state: 'held' })
    const { json } = await ask(second, manifest)
    const named = [{ address: addressOf(first), keySha256: keyOf(first) }]
    expect(json).toMatchObject({ waitMs: 0, neighbours: named })
  })

  test('gets a pass for its key and that release, for an hour, signed by a key that nodes are told', async () => {
    const { manifest, nodes } = await farmOf('a', 'a')
    const [giver, taker] = nodes as [TlsNode, TlsNode]
    await gives(giver, [manifest])
    const { pass = '' } = (await ask(taker, manifest)).json
    const [one, of, key, until = '', signature] = pass.split('.')
    expect([one, of, key]).toEqual(['1', manifest, keyOf(taker)])
    expect(signature).toHaveLength(128)
    expect(Math.abs(Number(until) - Date.now() / 1000 - 3600)).toBeLessThan(60)
    const { neighbours } = (await taker.hello()).json as { neighbours: { passKeys: string[] } }
    const signers = neighbours.passKeys.filter((hex) => isSigned(pass, hex))
    expect(signers).toHaveLength(1)
  })

  test('is told nothing of releases that are not its own', async () => {
    const { nodes } = await farmOf('a')
    const [node] = nodes as [TlsNode]
    const { status, json } = await ask(node, 'e'.repeat(64))
    expect([status, json.code]).toEqual([404, 'no_such_release'])
  })

  test('fetches it from the control plane without a zone, or when all is off', async () => {
    const { service, manifest, nodes } = await farmOf('a', 'a')
    const [giver, taker] = nodes as [TlsNode, TlsNode]
    await gives(giver, [manifest])
    await turn(service, { zoneLabel: 'rack' })
    expect((await ask(taker, manifest)).json).toEqual({ waitMs: 0, neighbours: [] })
    await turn(service, { zoneLabel: null })
    expect((await ask(taker, manifest)).json).toEqual({ waitMs: 0, neighbours: [] })
  })

  test('is not named one whose identity ended, nor one that is decommissioned', async () => {
    const { service, manifest, nodes } = await farmOf('a', 'a', 'a')
    const [revoked, gone, taker] = nodes as [TlsNode, TlsNode, TlsNode]
    await gives(revoked, [manifest])
    await gives(gone, [manifest])
    const identity = `/api/v1/nodes/${revoked.id}/identity`
    expect((await service.admin.inject({ method: 'DELETE', url: identity })).statusCode).toBe(204)
    const node = `/api/v1/nodes/${gone.id}`
    expect((await service.admin.inject({ method: 'DELETE', url: node })).statusCode).toBe(204)
    expect((await ask(taker, manifest)).json).toEqual({ waitMs: 0, neighbours: [] })
  })
})

describe('the rules', () => {
  test('come with hello, and with a report when they are others', async () => {
    const { service, nodes } = await farmOf('a')
    const [node] = nodes as [TlsNode]
    const rules = (await node.hello()).json.neighbours
    expect(rules).toMatchObject({ maxBytesPerSecond: 0, atOnce: 4 })
    expect((await node.report()).json).not.toHaveProperty('neighbours')
    await turn(service, { maxBytesPerSecond: 4_000_000, atOnce: 2 })
    const told = (await node.report()).json
    expect(told.neighbours).toMatchObject({ maxBytesPerSecond: 4_000_000, atOnce: 2 })
    expect(fits('report.response', told)).toBe(true)
    await turn(service, { zoneLabel: null })
    expect((await node.report()).json.neighbours).toBe(null)
    expect((await node.report()).json).not.toHaveProperty('neighbours')
    expect((await node.hello()).json).not.toHaveProperty('neighbours')
  })

  test('have another key each day, which was told before; turned off and on, all are new', async () => {
    const { service, nodes, pass } = await farmOf('a')
    const [node] = nodes as [TlsNode]
    const keys = async () =>
      ((await node.hello()).json.neighbours as { passKeys: string[] }).passKeys
    const old = await keys()
    await turn(service, { zoneLabel: null })
    await turn(service)
    const before = await keys()
    expect(before).toHaveLength(2)
    expect(before.filter((key) => old.includes(key))).toEqual([])
    pass(SIGNS_MS)
    const after = await keys()
    expect(after).toHaveLength(3)
    expect(after).toEqual(expect.arrayContaining(before))
  })
})

describe('a node that gave wrong bytes', () => {
  async function withLiar() {
    const farm = await farmOf('a', 'a', 'a')
    const [liar, taker, other] = farm.nodes as [TlsNode, TlsNode, TlsNode]
    await gives(liar, [farm.manifest])
    await ask(taker, farm.manifest)
    const failed = [{ keySha256: keyOf(liar), why: 'wrongBytes' }]
    await ask(taker, farm.manifest, { failed })
    return { ...farm, liar, taker, other }
  }

  test('is named no more, is shown, and is in the audit, until somebody has looked at it', async () => {
    const { service, manifest, liar, taker, other } = await withLiar()
    expect((await ask(other, manifest)).json.neighbours).toEqual([])
    const get = async (url: string) => (await service.admin.inject({ url })).json()
    const toldBy = { id: taker.id, name: taker.name }
    expect(await get(`/api/v1/nodes/${liar.id}/neighbour`)).toMatchObject({
      distrusted: { manifestSha256: manifest, toldBy },
    })
    const { distrusted } = await get(`${URL}/now`)
    expect(distrusted).toMatchObject([{ node: { id: liar.id, name: liar.name }, toldBy }])
    const { items } = await get(`/api/v1/audit?action=neighbour-distrusted`)
    expect(items).toMatchObject([{ object: liar.id, actor: taker.id }])
    const url = `/api/v1/nodes/${liar.id}/neighbour/distrust`
    expect((await service.admin.inject({ method: 'DELETE', url })).statusCode).toBe(204)
    await ask(taker, manifest, { state: 'held' })
    expect((await ask(other, manifest)).json.neighbours).toMatchObject([
      { address: addressOf(liar) },
    ])
  })

  test('is not named after a start either', async () => {
    const { service, liar } = await withLiar()
    await service.close()
    const again = await buildTls({ config: { dataDir: service.config.dataDir } })
    const { distrusted } = (await again.admin.inject({ url: `${URL}/now` })).json()
    expect(distrusted).toMatchObject([{ node: { id: liar.id } }])
  })

  test('is believed to have done so of three at most that one node tells on', async () => {
    const { service, manifest, nodes } = await farmOf('a', 'a', 'a', 'a', 'a')
    const [taker, ...givers] = nodes as [TlsNode, ...TlsNode[]]
    for (const giver of givers) await gives(giver, [manifest])
    await ask(taker, manifest)
    const failed = givers.map((giver) => ({ keySha256: keyOf(giver), why: 'wrongBytes' }))
    await ask(taker, manifest, { failed })
    const { distrusted } = (await service.admin.inject({ url: `${URL}/now` })).json()
    expect(distrusted).toHaveLength(3)
  })
})

test('on plain words: who asks with another incarnation is refused, and what is no message is, too', async () => {
  const { manifest, nodes } = await farmOf('a')
  const [node] = nodes as [TlsNode]
  expect((await ask(node, manifest, { incarnation: randomBytes(16).toString('hex') })).status).toBe(
    409,
  )
  expect((await ask(node, manifest, { state: 'x' })).status).toBe(400)
  expect((await ask(node, manifest, { failed: Array(5).fill({}) })).status).toBe(400)
})

// SPDX-License-Identifier: MIT
// A config that was changed on a node's machine: told, shown, kept or let go, never overwritten unasked.
import { describe, expect, test } from 'vitest'
import type { Effective, HelloRequest } from '../../src/agent-protocol/messages.gen.ts'
import { digestOf } from '../../src/features/configs/text/digest.ts'
import { parseConfigText } from '../../src/features/configs/text/text.ts'
import { about, assign, enrolNode, example, type TestNode } from '../agents/node-client.ts'
import { type Built, build, type Client } from '../helper.ts'

const textWith = (port: number, more = '') =>
  `{\n  // by hand\n  "listen": [{ "address": "127.0.0.1", "port": ${port} }],\n  "sites": [{ "hosts": ["*"], "root": "/tmp"${more} }]\n}\n`
const digestOfText = (text: string) => {
  const parsed = parseConfigText(text)
  if (!parsed.ok) throw new Error('does not parse')
  return digestOf(parsed.value)
}
const LOCAL = textWith(8080, ', "hiddenFiles": true')
const drift = { digest: digestOfText(LOCAL), text: LOCAL, isServed: true }
const bad = example<{ drift: NonNullable<HelloRequest['drift']> }>('report.request.drift').drift

const get = async (client: Client, url: string) => {
  const response = await client.inject({ url })
  return { status: response.statusCode, ...response.json() }
}
const decide = (client: Client, id: string, payload: object) =>
  client.inject({ method: 'POST', url: `/api/v1/nodes/${id}/drift`, payload })

async function version(service: Built, text: string, parent: number | null): Promise<number> {
  const response = await service.admin.inject({
    method: 'POST',
    url: '/api/v1/configs/default/versions',
    payload: { text, message: 'm', parent },
  })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json().number
}

/** A node that runs version 1 of "default", then another config that somebody wrote there. */
async function drifted(payload: Record<string, unknown> = {}, given = textWith(8080)) {
  const service = await build()
  await version(service, textWith(8080), null)
  const node = await enrolNode(service, payload)
  await node.hello()
  const digest = digestOfText(given)
  await assign(service, { nodeId: node.id, text: given, digest })
  const offer = about(await node.offer(), digest)
  await node.say('ack', offer.ack)
  await node.say('result', offer.applied)
  await node.say('confirm', offer.confirm)
  const effective: Effective = {
    ...example<{ effective: Effective }>('result.request').effective,
    digest: drift.digest,
    source: 'local',
  }
  await node.report({ effective, drift })
  return { service, node, effective }
}
const shown = (node: TestNode) => node.show()

describe('a local change', () => {
  test('is shown with its text, beside what the node was given', async () => {
    const { service, node } = await drifted()
    const view = await shown(node)
    expect(view.sync).toMatchObject({
      state: 'drift',
      effectiveSource: 'local',
      reason: expect.stringMatching(/changed on its machine, and it serves that.*adopt or discard/),
    })
    expect(view.drift).toEqual({
      digest: drift.digest,
      isServed: true,
      errors: [],
      since: expect.any(String),
      sizeBytes: LOCAL.length,
      decision: null,
    })
    const viewer = await service.as('viewer')
    expect(await get(viewer, `/api/v1/nodes/${node.id}/drift`)).toMatchObject({
      status: 200,
      digest: drift.digest,
      text: LOCAL,
      assignedText: textWith(8080),
    })
    const config = await get(viewer, `/api/v1/nodes/${node.id}/effective-config`)
    expect(config).toMatchObject({ text: LOCAL, desiredText: textWith(8080) })
  })

  test('is told whole once, then by its digest; an unknown digest makes the node say hello', async () => {
    const { node, effective } = await drifted()
    const known = await node.report({ effective, drift: { digest: drift.digest } })
    expect(known.statusCode).toBe(200)
    const other = await node.report({ effective, drift: { digest: bad.digest } })
    expect(other.json()).toMatchObject({ status: 409, code: 'say_hello' })
    await node.hello({ drift: bad, effective })
    expect((await shown(node)).drift).toMatchObject({
      digest: bad.digest,
      isServed: false,
      errors: [{ pointer: '/listen/0', line: 2, column: 28, code: 'syntax', hint: '' }],
    })
    expect((await shown(node)).sync.reason).toMatch(/into one with errors/)
    await node.report({ effective, drift: null })
    expect((await shown(node)).drift).toBeNull()
  })

  test('stands in a plan until somebody has decided', async () => {
    const { service, node } = await drifted()
    const isDrifted = async () => {
      const order = { method: 'POST' as const, url: '/api/v1/rollouts?dryRun=1' }
      const payload = { config: 'default', version: 1 }
      const plan = (await service.admin.inject({ ...order, payload })).json()
      return plan.nodes.items.map((planned: { isDrifted: boolean }) => planned.isDrifted)
    }
    expect(await isDrifted()).toEqual([true])
    await decide(service.admin, node.id, { action: 'discard', digest: drift.digest })
    expect(await isDrifted()).toEqual([false])
  })

  test('of an older node is not made up: what is left out says nothing', async () => {
    const { node, effective } = await drifted()
    expect((await node.report({ effective })).statusCode).toBe(200)
    expect((await shown(node)).drift).toMatchObject({ digest: drift.digest })
  })

  test('makes an event when it is new, not with every report', async () => {
    const { service, node, effective } = await drifted()
    await node.report({ effective, drift })
    await node.report({ effective, drift })
    const events = await service.services.db
      .selectFrom('events')
      .select('action')
      .where('action', 'like', 'drift%')
      .execute()
    expect(events).toEqual([{ action: 'drift' }])
  })
})

describe('deciding', () => {
  test('is for who may, about what is there, and about the change that was looked at', async () => {
    const { service, node } = await drifted()
    const discard = { action: 'discard', digest: drift.digest }
    expect((await decide(await service.as('viewer'), node.id, discard)).statusCode).toBe(403)
    expect((await decide(service.admin, node.id, { action: 'discard' })).statusCode).toBe(400)
    const missing = await decide(service.admin, 'node_01jd4q6v2m8w3x5y7z9abcdefg', discard)
    expect(missing.statusCode).toBe(404)
    const stale = await decide(service.admin, node.id, { ...discard, digest: bad.digest })
    expect(stale.json()).toMatchObject({
      status: 409,
      code: 'drift_changed',
      digest: drift.digest,
    })
    const other = await enrolNode(service)
    expect((await decide(service.admin, other.id, discard)).json().code).toBe('no_drift')
    const none = await get(service.admin, `/api/v1/nodes/${other.id}/drift`)
    expect(none).toMatchObject({ status: 409, code: 'no_drift' })
    const operator = await service.as('operator')
    const adopt = await decide(operator, node.id, { ...discard, action: 'adopt' })
    expect(adopt.json()).toMatchObject({
      status: 403,
      detail: expect.stringMatching(/configs:write/),
    })
  })

  test('nothing is replaced until then', async () => {
    const { service, node } = await drifted()
    await assign(service, { nodeId: node.id })
    expect(await node.offer()).not.toHaveProperty('replacesDrift')
  })

  test('to discard gives the node its version once more, and leave to replace just that change', async () => {
    const { service, node, effective } = await drifted()
    const waiting = node.desired({ generation: 1, digest: digestOfText(textWith(8080)) }, 20_000)
    const answer = await decide(await service.as('operator'), node.id, {
      action: 'discard',
      digest: drift.digest,
    })
    expect([answer.statusCode, answer.json()]).toEqual([200, { version: null }])
    const { assignment } = (await waiting).json()
    expect(assignment).toMatchObject({
      generation: 2,
      replacesDrift: drift.digest,
      release: { configText: textWith(8080) },
    })
    expect((await shown(node)).sync.state).toBe('applying')
    expect((await shown(node)).drift.decision).toMatchObject({
      action: 'discard',
      actor: 'test-operator',
    })
    // Somebody goes on typing: that was not decided on.
    await node.report({ effective, drift: bad })
    expect((await shown(node)).drift.decision).toBeNull()
    expect(await node.offer()).not.toHaveProperty('replacesDrift')
  })

  test('to adopt makes it the config’s newest version, which the next assignment may put there', async () => {
    const { service, node } = await drifted()
    const answer = await decide(service.admin, node.id, {
      action: 'adopt',
      digest: drift.digest,
      message: 'Listing, as Ana did it',
    })
    expect(answer.json()).toEqual({ version: { config: 'default', number: 2 } })
    expect(await get(service.admin, '/api/v1/configs/default/versions/2')).toMatchObject({
      text: LOCAL,
      source: 'drift',
      parent: 1,
      author: 'test-admin',
      message: 'Listing, as Ana did it',
    })
    await assign(service, { nodeId: node.id, text: LOCAL, digest: drift.digest, version: 2 })
    expect(await node.offer()).toMatchObject({ replacesDrift: drift.digest })
  })

  test('to adopt leaves out what differs on that node alone', async () => {
    const mergePatch = { listen: [{ address: '127.0.0.1', port: 8101 }], workers: 2 }
    const given = `{\n  "listen": [{ "address": "127.0.0.1", "port": 8101 }],\n  "sites": [{ "hosts": ["*"], "root": "/tmp" }],\n  "workers": 2\n}\n`
    const local = given.replace('"/tmp"', '"/tmp", "hiddenFiles": true')
    const { service, node, effective } = await drifted({ mergePatch }, given)
    const digest = digestOfText(local)
    const told = {
      effective: { ...effective, digest },
      drift: { digest, text: local, isServed: true },
    }
    await node.report(told)
    const answer = await decide(service.admin, node.id, { action: 'adopt', digest })
    expect(answer.json()).toEqual({ version: { config: 'default', number: 2 } })
    const { text } = await get(service.admin, '/api/v1/configs/default/versions/2')
    const parsed = parseConfigText(text)
    expect(parsed.ok && parsed.value).toEqual({
      listen: [{ address: '127.0.0.1', port: 8080 }],
      sites: [{ hosts: ['*'], root: '/tmp', hiddenFiles: true }],
    })
  })

  test('to adopt what has errors is refused with them', async () => {
    const { service, node, effective } = await drifted()
    await node.report({ effective, drift: bad })
    const answer = await decide(service.admin, node.id, { action: 'adopt', digest: bad.digest })
    expect(answer.statusCode).toBe(422)
    expect(answer.json().errors[0]).toMatchObject({ line: 2 })
    expect((await shown(node)).drift.decision).toBeNull()
  })
})

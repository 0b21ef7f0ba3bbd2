// SPDX-License-Identifier: MIT
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { printMessageTypes, readProtocolSchemas } from '../../src/agent-protocol/message-types.ts'
import type { DesiredResponse } from '../../src/agent-protocol/messages.gen.ts'
import { build, shared } from '../helper.ts'
import { effectiveOf, fits } from './message-bodies.ts'
import {
  about,
  assign,
  DIGEST,
  enrolNode,
  example,
  OTHER_DIGEST,
  post,
  type TestNode,
} from './node-client.ts'

/** Whoever ends it, counts what it wrote or listens on a port has one of its own. */
const sharedService = shared()

const SOURCE = resolve(import.meta.dirname, '../../src/agent-protocol/messages.gen.ts')

/** The status of the answer, over a real connection of that proxy. */
async function through(
  proxy: Agent,
  url: string,
  { credential }: TestNode,
  message: string,
  body: object,
): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${credential}` }
  const asked = request(`${url}/agent/v1/${message}`, { agent: proxy, method: 'POST', headers })
  asked.end(JSON.stringify(body))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode
}

test('the types of the messages are those of the schemas (else: npm run agent-types)', () => {
  expect(readFileSync(SOURCE, 'utf8')).toBe(printMessageTypes(readProtocolSchemas()))
})

test('a node for which nothing is released asks again and again without a word written', async () => {
  const service = await build()
  const node = await enrolNode(service)
  await node.hello()
  await node.desired(null)
  const other = new Sqlite(join(service.config.dataDir, 'control.db'))
  // Whoever would write now waits, and fails.
  other.exec('begin immediate')
  try {
    expect((await node.desired(null)).json()).toEqual({ assignment: null })
  } finally {
    other.exec('rollback')
    other.close()
  }
})

describe('the credential', () => {
  test.each(['hello', 'desired', 'ack', 'nack', 'result', 'confirm', 'report'])(
    'is needed for %s, before the message is looked at',
    async (message) => {
      const service = sharedService()
      const response = await post(service, message, {})
      expect(response.statusCode).toBe(401)
      expect(response.json()).toMatchObject({ code: 'unknown_credential' })
      expect(fits('problem', response.json())).toBe(true)
      const forged = await post(service, message, {}, `fsn_${'x'.repeat(43)}`)
      expect(forged.statusCode).toBe(401)
    },
  )

  test('is worth nothing once the node is decommissioned, and its waiting poll ends', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const poll = node.desired(null, 20_000)
    await expect.poll(() => service.fleet.presence(node.id).connected).toBe(true)
    const url = `/api/v1/nodes/${node.id}`
    expect((await service.admin.inject({ method: 'DELETE', url })).statusCode).toBe(204)
    expect((await poll).statusCode).toBe(401)
    expect((await node.hello()).statusCode).toBe(401)
    expect((await service.admin.inject({ url })).statusCode).toBe(404)
  })

  test('of one node ends no connection that a proxy uses for others, too', async () => {
    const service = await build()
    const url = await service.agents.listen({ host: '127.0.0.1', port: 0 })
    const proxy = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => proxy.destroy())
    const [gone, other] = [await enrolNode(service), await enrolNode(service)]
    const hello = (node: TestNode) => ({ ...example('hello.request.first'), nodeId: node.id })
    expect(await through(proxy, url, gone, 'hello', hello(gone))).toBe(200)
    expect(await through(proxy, url, other, 'hello', hello(other))).toBe(200)
    // Longer than what a node that is cut off is given to read its answer.
    const question = { ...example('desired.request'), have: null, waitMs: 1_000 }
    const poll = through(proxy, url, other, 'desired', question)
    await service.admin.inject({ method: 'DELETE', url: `/api/v1/nodes/${gone.id}` })
    expect(await poll).toBe(200)
  })

  test('does not open the API, nor a session the agents’ messages', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    const headers = { authorization: `Bearer ${node.credential}` }
    expect((await service.app.inject({ url: '/api/v1/nodes', headers })).statusCode).toBe(401)
    const response = await service.agents.inject({
      method: 'POST',
      url: '/agent/v1/hello',
      payload: {},
      headers: { cookie: service.admin.cookie },
    })
    expect(response.statusCode).toBe(401)
  })
})

describe('hello', () => {
  test('answers with protocol, epoch and intervals', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    const response = await node.hello()
    expect(response.statusCode).toBe(200)
    expect(fits('hello.response', response.json())).toBe(true)
    expect(response.json()).toMatchObject({
      protocol: 1,
      controlPlaneId: service.services.controlPlaneId,
      epoch: 1,
    })
    expect(await node.show()).toMatchObject({
      connected: true,
      version: '0.1.0',
      hostname: 'edge-1.example.org',
      sync: { state: 'waiting' },
    })
  })

  test('refuses a node id that is not the credential’s', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    const other = await enrolNode(service)
    const response = await node.hello({ nodeId: other.id })
    expect(response.json()).toMatchObject({ status: 400, code: 'invalid_message' })
  })

  test('tells a node without a common protocol to be upgraded', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    const response = await node.hello({ protocol: { min: 7, max: 9 } })
    expect(response.json()).toMatchObject({ status: 426, code: 'needs_upgrade' })
  })

  test('shows a node that obeyed a newer control plane as out of sync, with the reason', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello({ fences: { maxEpoch: 3, maxGeneration: 9 } })
    const { sync } = await node.show()
    expect(sync.state).toBe('out-of-sync')
    expect(sync.reason).toMatch(/epoch 3/)
    expect((await assign(service, { nodeId: node.id })).generation).toBe(10)
  })

  test('is newer than the result it carries', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    await assign(service, { nodeId: node.id })
    const { applied } = about(await node.offer())
    await node.hello({ effective: effectiveOf(1, OTHER_DIGEST), lastResult: applied as never })
    expect((await node.show()).sync.effective).toMatchObject({ digest: OTHER_DIGEST })
  })

  test('with a fence that leaves no room above it does not stop assignments', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello({ fences: { maxEpoch: 1, maxGeneration: Number.MAX_SAFE_INTEGER } })
    const first = await assign(service, { nodeId: node.id })
    const second = await assign(service, { nodeId: node.id })
    expect(Number.isSafeInteger(second.generation)).toBe(true)
    expect(second.generation).toBe(first.generation + 1)
  })

  test('in an endless loop is slowed down, for that node alone', async () => {
    const service = sharedService()
    const [node, other] = [await enrolNode(service), await enrolNode(service)]
    const answers: number[] = []
    for (let i = 0; i < 601; i++) answers.push((await node.say('hello', {})).statusCode)
    expect(answers.slice(0, 600).every((status) => status === 400)).toBe(true)
    const response = await node.hello()
    expect(response.json()).toMatchObject({ status: 429, code: 'too_many_requests' })
    expect((await other.hello()).statusCode).toBe(200)
    expect((await node.desired(null)).json()).toMatchObject({ code: 'say_hello' })
  })

  test('is asked for when another start of the node speaks', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    expect((await node.desired(null)).json()).toMatchObject({ status: 409, code: 'say_hello' })
    await node.hello()
    expect((await node.desired(null)).statusCode).toBe(200)
    const restarted = await node.report({ incarnation: 'f'.repeat(32) })
    expect(restarted.json()).toMatchObject({ status: 409, code: 'say_hello' })
  })
})

describe('desired', () => {
  test('answers nothing new when the wait is over', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const started = performance.now()
    const response = await node.desired(null, 200)
    expect(response.json()).toEqual({ assignment: null })
    expect(performance.now() - started).toBeGreaterThanOrEqual(190)
  })

  test('answers at once with what the node has not answered yet', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const { generation, offerId } = await assign(service, { nodeId: node.id, text: '{ /* b */ }' })
    const response = await node.desired(null, 20_000)
    expect(fits('desired.response', response.json())).toBe(true)
    expect(response.json<DesiredResponse>().assignment).toMatchObject({
      generation,
      offerId,
      epoch: 1,
      release: { configDigest: DIGEST, configText: '{ /* b */ }' },
    })
    const again = await node.desired({ generation, digest: DIGEST })
    expect(again.json()).toEqual({ assignment: null })
  })

  test('does not offer again what a node went back from, which then started without any config', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const first = await assign(service, { nodeId: node.id })
    await node.say('ack', about(first).ack)
    await node.say('result', about(first).reverted)
    expect((await node.desired(null)).json()).toEqual({ assignment: null })
    const { generation } = await assign(service, { nodeId: node.id, text: '{"n": 2}', version: 2 })
    expect((await node.offer()).generation).toBe(generation)
  })

  test('does not offer again what the node refused, though it keeps no mark of that', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const refused = await assign(service, { nodeId: node.id })
    const { nack } = about(refused)
    await node.say('nack', { ...nack, code: 'epoch_fenced', maxEpoch: 4, maxGeneration: 1 })
    expect((await node.desired(null)).json()).toEqual({ assignment: null })
    const next = await assign(service, { nodeId: node.id })
    expect((await node.desired(null)).json().assignment.offerId).toBe(next.offerId)
  })

  test('wakes a waiting node within 100 ms of the assignment', async () => {
    const service = await build()
    await service.agents.listen({ host: '127.0.0.1', port: 0 })
    const address = service.agents.server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const node = await enrolNode(service)
    await node.hello()
    const poll = (have: { generation: number; digest: string } | null) =>
      fetch(`http://127.0.0.1:${address.port}/agent/v1/desired`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${node.credential}` },
        body: JSON.stringify({
          bootId: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
          incarnation: '00112233445566778899aabbccddeeff',
          have,
          waitMs: 20_000,
        }),
      })
    // The best of a few: a busy machine may hold any one of them up, a missing wake-up holds up all.
    let best = Number.POSITIVE_INFINITY
    for (let generation = 1; generation <= 5; generation++) {
      const waiting = poll(generation === 1 ? null : { generation: generation - 1, digest: DIGEST })
      await sleep(150)
      const started = performance.now()
      await assign(service, { nodeId: node.id })
      const answer = (await (await waiting).json()) as DesiredResponse
      best = Math.min(best, performance.now() - started)
      expect(answer.assignment?.generation).toBe(generation)
    }
    expect(best).toBeLessThan(100)
  })

  test('ends a poll that asks for less than it may when it says, and not before', async () => {
    const node = await enrolNode(sharedService())
    await node.hello()
    const started = performance.now()
    const answer = await node.desired(null, 1_500)
    expect(answer.json()).toEqual({ assignment: null })
    // Of the clock that timers have, which counts whole milliseconds.
    expect(performance.now() - started).toBeGreaterThan(1_495)
  })

  test('is released when the node hangs up, and when the service stops', async () => {
    const service = await build()
    await service.agents.listen({ host: '127.0.0.1', port: 0 })
    const address = service.agents.server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const node = await enrolNode(service)
    await node.hello()
    const poll = (signal: AbortSignal | null) =>
      fetch(`http://127.0.0.1:${address.port}/agent/v1/desired`, {
        method: 'POST',
        signal,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${node.credential}` },
        body: JSON.stringify({
          bootId: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
          incarnation: '00112233445566778899aabbccddeeff',
          have: null,
          waitMs: 20_000,
        }),
      })
    const begun = vi.spyOn(service.fleet, 'wait')
    const abort = new AbortController()
    const abandoned = poll(abort.signal).catch(() => 'aborted')
    await expect.poll(() => begun).toHaveBeenCalledTimes(1)
    abort.abort()
    expect(await abandoned).toBe('aborted')
    const waiting = poll(null)
    await expect.poll(() => begun).toHaveBeenCalledTimes(2)
    const started = performance.now()
    await service.close()
    expect(await (await waiting).json()).toEqual({ assignment: null })
    // As the process does before it ends itself; the poll would have waited four times as long.
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test('has one poll per node: a newer one ends the older', async () => {
    const service = sharedService()
    const node = await enrolNode(service)
    await node.hello()
    const older = node.desired(null, 20_000)
    await sleep(50)
    const newer = node.desired(null, 20_000)
    expect((await older).json()).toEqual({ assignment: null })
    await assign(service, { nodeId: node.id })
    expect((await newer).json().assignment).toMatchObject({ generation: 1 })
  })
})

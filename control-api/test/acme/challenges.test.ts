// SPDX-License-Identifier: MIT
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import type { LiveChallenge } from '../../src/acme/challenges.ts'
import { createDnsWebhook } from '../../src/acme/dns-webhook.ts'
import { createHttpChallenges } from '../../src/acme/http-challenges.ts'
import { headersOf } from '../../src/features/webhooks/rules.ts'
import { send } from '../../src/features/webhooks/send.ts'
import { createGuard } from '../../src/features/webhooks/targets.ts'
import { Challenges, MAX_CHALLENGES } from '../../src/fleet/challenges.ts'

const challenge: LiveChallenge = {
  type: 'http-01',
  host: 'example.org',
  token: 'evaGxfADs6pSRb2LAv9IZ',
  keyAuthorization: 'evaGxfADs6pSRb2LAv9IZ.nP1qzpXGymHBrUEepNY9HCsQk7K8KhOypzEt62jcerQ',
}

const MINUTE_MS = 60_000

/** The nodes' side of Challenges is the real one; `answers` is a node saying what it answers. */
function farm(serving: readonly string[]) {
  const farmOf = { serving, connected: new Set(serving), nowMs: 0, wakes: 0 }
  const challenges = new Challenges({
    wakeAll: () => {
      farmOf.wakes += 1
    },
    monotonicMs: () => farmOf.nowMs,
  })
  const solver = createHttpChallenges({
    challenges,
    nodesServing: async () => new Set(farmOf.serving),
    connectedIds: () => [...farmOf.connected],
    isConnected: (nodeId) => farmOf.connected.has(nodeId),
    now: () => farmOf.nowMs,
    soonestMs: 500,
  })
  const answers = (nodeId: string, ...tokens: string[]) => challenges.heard(nodeId, tokens)
  return { farmOf, challenges, solver, answers }
}
const many = (count: number, prefix: string): LiveChallenge[] =>
  Array.from({ length: count }, (_, at) => ({ ...challenge, token: `${prefix}-${at}` }))

test('a token counts once every node that serves the name has said that it answers it', async () => {
  const { solver, challenges, answers, farmOf } = farm(['edge-1', 'edge-2'])
  expect(await solver.publish('order_1', [challenge])).toMatchObject({
    ready: false,
    waitingFor: ['edge-1', 'edge-2'],
  })
  expect(challenges.newsFor([])).toMatchObject([{ token: challenge.token, host: challenge.host }])
  answers('edge-1', challenge.token)
  answers('edge-2', 'another')
  expect(await solver.publish('order_1', [challenge])).toMatchObject({ waitingFor: ['edge-2'] })
  answers('edge-2', challenge.token)
  expect(await solver.publish('order_1', [challenge])).toEqual({ ready: true, without: [] })
  // Repeated, it wakes nobody.
  expect(farmOf.wakes).toBe(1)
})

test('a node that begins to serve the name meanwhile is waited for, too', async () => {
  const { solver, answers, farmOf } = farm(['edge-1'])
  answers('edge-1', challenge.token)
  expect(await solver.publish('order_1', [challenge])).toMatchObject({ ready: true })
  farmOf.serving = ['edge-1', 'edge-2']
  farmOf.connected.add('edge-2')
  expect(await solver.publish('order_1', [challenge])).toMatchObject({ waitingFor: ['edge-2'] })
})

test('a node that is not connected is waited for ten minutes, one that is an hour', async () => {
  const { solver, answers, farmOf } = farm(['edge-1', 'edge-2', 'edge-3'])
  farmOf.connected.delete('edge-2')
  await solver.publish('order_1', [challenge])
  answers('edge-1', challenge.token)
  farmOf.nowMs = 10 * MINUTE_MS - 1
  expect(await solver.publish('order_1', [challenge])).toMatchObject({
    waitingFor: ['edge-2', 'edge-3'],
    reason: '2 nodes that serve these names do not answer for the CA yet, 1 not connected',
  })
  farmOf.nowMs = 10 * MINUTE_MS
  expect(await solver.publish('order_1', [challenge])).toMatchObject({ waitingFor: ['edge-3'] })
  farmOf.nowMs = 60 * MINUTE_MS
  expect(await solver.publish('order_1', [challenge])).toEqual({
    ready: true,
    without: ['edge-2', 'edge-3'],
  })
})

test('the CA is not told while not one node answers, however long that takes', async () => {
  const { solver, farmOf } = farm(['edge-1'])
  await solver.publish('order_1', [challenge])
  farmOf.nowMs = 600 * MINUTE_MS
  expect(await solver.publish('order_1', [challenge])).toMatchObject({
    ready: false,
    reason: 'None of the nodes that serve these names answers',
  })
})

test('a name that no config has is answered by all who are connected, for any may be asked', async () => {
  const { solver, answers, farmOf } = farm([])
  expect(await solver.publish('order_1', [challenge])).toMatchObject({
    ready: false,
    reason: 'No node is connected that could answer for example.org',
  })
  farmOf.connected.add('edge-7')
  expect(await solver.publish('order_1', [challenge])).toMatchObject({ waitingFor: ['edge-7'] })
  answers('edge-7', challenge.token)
  expect(await solver.publish('order_1', [challenge])).toMatchObject({ ready: true })
})

test('what does not fit waits for others to end, and nobody who came later goes before it', async () => {
  const { solver, challenges, farmOf } = farm(['edge-1'])
  const half = many(MAX_CHALLENGES / 2, 'half')
  await solver.publish('order_1', half)
  const large = many(MAX_CHALLENGES, 'large')
  expect(await solver.publish('order_2', large)).toMatchObject({
    reason: expect.stringContaining('as nodes can hold'),
  })
  expect(await solver.publish('order_3', [challenge])).toMatchObject({
    reason: expect.stringContaining('as nodes can hold'),
  })
  // Who has them goes on.
  expect(await solver.publish('order_1', half)).toMatchObject({ waitingFor: ['edge-1'] })
  await solver.cleanUp('order_1', half)
  expect(await solver.publish('order_2', large)).toMatchObject({ waitingFor: ['edge-1'] })
  await solver.cleanUp('order_2', large)
  expect(await solver.publish('order_3', [challenge])).toMatchObject({ waitingFor: ['edge-1'] })
  expect(challenges.newsFor([])).toHaveLength(1)
  expect(farmOf.wakes).toBe(5)
})

test('what was cleaned up is forgotten by all, twice as well as once', async () => {
  const { solver, challenges, farmOf } = farm(['edge-1'])
  await solver.publish('order_1', [challenge])
  await solver.cleanUp('order_1', [challenge])
  await solver.cleanUp('order_1', [challenge])
  expect(challenges.newsFor([challenge.token])).toEqual([])
  expect(farmOf.wakes).toBe(2)
})

/** A program that keeps a zone, as the contract has it; its signature check is another's. */
async function dnsProgram(answers: number[]) {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const records = new Map<string, Set<string>>()
  const ids: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const { data } = new Webhook(secret).verify(text, {
      'webhook-id': String(request.headers['webhook-id']),
      'webhook-timestamp': String(request.headers['webhook-timestamp']),
      'webhook-signature': String(request.headers['webhook-signature']),
    }) as { data: { action: string; name: string; value: string } }
    ids.push(String(request.headers['webhook-id']))
    const values = records.get(data.name) ?? new Set()
    records.set(data.name, values)
    const wasThere = values.has(data.value)
    if (data.action === 'present') values.add(data.value)
    else values.delete(data.value)
    const isGone = data.action === 'cleanup' && !wasThere
    response.writeHead(answers.shift() ?? (isGone ? 404 : 200)).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const solver = createDnsWebhook({
    post: ({ id, body }) =>
      send({
        url: `http://127.0.0.1:${port}/`,
        headers: headersOf({ id, body, eventId: null, type: '' }, [secret], Date.now()),
        body,
        guard: createGuard(['127.0.0.0/8']),
        signal: new AbortController().signal,
      }),
  })
  return { solver, records, ids }
}
const dns = (keyAuthorization: string): LiveChallenge => ({
  ...challenge,
  type: 'dns-01',
  keyAuthorization,
})

test('a wildcard and its base name are two values of one record, and go one by one', async () => {
  const { solver, records } = await dnsProgram([])
  expect(await solver.publish('order_1', [dns('one')])).toEqual({ ready: true, without: [] })
  expect(await solver.publish('order_1', [dns('two')])).toEqual({ ready: true, without: [] })
  expect(records.get('_acme-challenge.example.org')).toEqual(new Set(['one', 'two']))
  await solver.cleanUp('order_1', [dns('one')])
  expect(records.get('_acme-challenge.example.org')).toEqual(new Set(['two']))
})

test('a record that is not everywhere is asked for again, under the same id', async () => {
  const { solver, ids } = await dnsProgram([202])
  expect(await solver.publish('order_1', [dns('one')])).toMatchObject({
    ready: false,
    reason: 'The record _acme-challenge.example.org is not everywhere yet',
    waitMs: 5000,
  })
  expect(await solver.publish('order_1', [dns('one')])).toEqual({ ready: true, without: [] })
  expect(new Set(ids).size).toBe(1)
})

test('what the program says no to is told; what is gone already was cleaned up', async () => {
  const { solver } = await dnsProgram([403, 500])
  expect(await solver.publish('order_1', [dns('one')])).toMatchObject({
    ready: false,
    reason: expect.stringContaining('could not be set: Answered 403'),
  })
  await expect(solver.cleanUp('order_1', [dns('one')])).rejects.toThrow(
    'could not be removed: Answered 500',
  )
  await solver.cleanUp('order_1', [dns('one')])
})

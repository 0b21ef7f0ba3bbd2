// SPDX-License-Identifier: MIT
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { createChallengeBoard } from '../../src/acme/challenge-board.ts'
import type { LiveChallenge } from '../../src/acme/challenges.ts'
import { createDnsWebhook } from '../../src/acme/dns-webhook.ts'
import { headersOf } from '../../src/features/webhooks/rules.ts'
import { send } from '../../src/features/webhooks/send.ts'
import { createGuard } from '../../src/features/webhooks/targets.ts'

const challenge: LiveChallenge = {
  type: 'http-01',
  host: 'example.org',
  token: 'evaGxfADs6pSRb2LAv9IZ',
  keyAuthorization: 'evaGxfADs6pSRb2LAv9IZ.nP1qzpXGymHBrUEepNY9HCsQk7K8KhOypzEt62jcerQ',
}

function board(serving: readonly string[]) {
  const woken: string[] = []
  let nodes = serving
  const { solver, liveFor, readBack } = createChallengeBoard({
    nodesServing: async () => nodes,
    wake: (ids) => woken.push(...ids),
  })
  const serveBy = (ids: readonly string[]) => {
    nodes = ids
  }
  return { solver, liveFor, readBack, woken, serveBy }
}

test('a token counts once every node that serves the name has read it back from itself', async () => {
  const { solver, liveFor, readBack, woken } = board(['edge-1', 'edge-2'])
  expect(await solver.publish(challenge)).toMatchObject({
    ready: false,
    waitingFor: ['edge-1', 'edge-2'],
  })
  expect(woken).toEqual(['edge-1', 'edge-2'])
  expect(liveFor('edge-2')).toEqual([challenge])
  expect(liveFor('edge-3')).toEqual([])
  readBack('edge-1', challenge.token, challenge.keyAuthorization)
  readBack('edge-2', challenge.token, 'Not found')
  expect(await solver.publish(challenge)).toMatchObject({ waitingFor: ['edge-2'] })
  readBack('edge-2', challenge.token, challenge.keyAuthorization)
  expect(await solver.publish(challenge)).toEqual({ ready: true })
  // Repeated, it wakes nobody who has it.
  expect(woken).toHaveLength(2)
})

test('a node that begins to serve the name meanwhile is waited for, too', async () => {
  const { solver, readBack, woken, serveBy } = board(['edge-1'])
  await solver.publish(challenge)
  readBack('edge-1', challenge.token, challenge.keyAuthorization)
  serveBy(['edge-1', 'edge-2'])
  expect(await solver.publish(challenge)).toMatchObject({ waitingFor: ['edge-2'] })
  expect(woken).toEqual(['edge-1', 'edge-2'])
})

test('a node that answers otherwise later has it no more', async () => {
  const { solver, readBack } = board(['edge-1'])
  await solver.publish(challenge)
  readBack('edge-1', challenge.token, challenge.keyAuthorization)
  readBack('edge-1', challenge.token, '')
  expect(await solver.publish(challenge)).toMatchObject({ waitingFor: ['edge-1'] })
})

test('a name that no node serves is not proven by HTTP-01, and that is said', async () => {
  const { solver } = board([])
  expect(await solver.publish(challenge)).toMatchObject({
    ready: false,
    reason: expect.stringContaining('No node serves example.org'),
  })
})

test('what was cleaned up is forgotten by all, twice as well as once', async () => {
  const { solver, liveFor, readBack, woken } = board(['edge-1'])
  await solver.publish(challenge)
  await solver.cleanUp(challenge)
  await solver.cleanUp(challenge)
  expect(liveFor('edge-1')).toEqual([])
  expect(woken).toEqual(['edge-1', 'edge-1'])
  readBack('edge-1', challenge.token, challenge.keyAuthorization)
  expect(liveFor('edge-1')).toEqual([])
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
  expect(await solver.publish(dns('one'))).toEqual({ ready: true })
  expect(await solver.publish(dns('two'))).toEqual({ ready: true })
  expect(records.get('_acme-challenge.example.org')).toEqual(new Set(['one', 'two']))
  await solver.cleanUp(dns('one'))
  expect(records.get('_acme-challenge.example.org')).toEqual(new Set(['two']))
})

test('a record that is not everywhere is asked for again, under the same id', async () => {
  const { solver, ids } = await dnsProgram([202])
  expect(await solver.publish(dns('one'))).toMatchObject({
    ready: false,
    reason: 'The record _acme-challenge.example.org is not everywhere yet',
    waitMs: 5000,
  })
  expect(await solver.publish(dns('one'))).toEqual({ ready: true })
  expect(new Set(ids).size).toBe(1)
})

test('what the program says no to is told; what is gone already was cleaned up', async () => {
  const { solver } = await dnsProgram([403, 500])
  expect(await solver.publish(dns('one'))).toMatchObject({
    ready: false,
    reason: expect.stringContaining('could not be set: Answered 403'),
  })
  await expect(solver.cleanUp(dns('one'))).rejects.toThrow('could not be removed: Answered 500')
  await solver.cleanUp(dns('one'))
})

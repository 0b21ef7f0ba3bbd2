// SPDX-License-Identifier: MIT
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Event } from '../../../src/audit/event.ts'
import type { Node } from '../../../src/features/nodes/schema.ts'
import { about, assign, enrolNode } from '../../agents/node-client.ts'
import { type Built, build, type Client, ORIGIN } from '../../helper.ts'

type Message = { id: string; event: string; data: string }

/** Reads a stream as a browser's EventSource does. */
async function open(service: Built, headers: Record<string, string> = {}, query = '') {
  const { server } = service.app
  if (!server.listening) await service.app.listen({ host: '127.0.0.1', port: 0 })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const response = await fetch(`http://127.0.0.1:${address.port}/api/v1/events${query}`, {
    headers: { cookie: service.admin.cookie, ...headers },
    signal: abort.signal,
  })
  const messages: Message[] = []
  const state = { ended: false, lastId: '' }
  const read = async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
        if (field('id')) state.lastId = field('id')
        if (field('data')) {
          messages.push({ id: field('id'), event: field('event'), data: field('data') })
        }
      }
    }
    state.ended = true
  }
  const reading = read().catch(() => {
    state.ended = true
  })
  return {
    response,
    messages,
    state,
    abort,
    reading,
    events: () =>
      messages.filter(({ event }) => event === '').map(({ data }) => JSON.parse(data) as Event),
  }
}

describe('GET /events', () => {
  test('needs a session and a number to resume from', async () => {
    const { anonymous, admin } = await build()
    expect((await anonymous.inject({ url: '/api/v1/events' })).statusCode).toBe(401)
    const headers = { 'last-event-id': 'yesterday' }
    expect((await admin.inject({ url: '/api/v1/events', headers })).statusCode).toBe(400)
  })

  test('tells what is committed, with durable ids, unbuffered by proxies', async () => {
    const service = await build()
    const stream = await open(service)
    expect(stream.response.headers.get('content-type')).toMatch('text/event-stream')
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no')
    expect(stream.response.headers.get('content-security-policy')).toMatch("default-src 'none'")
    const node = await enrolNode(service)
    await expect
      .poll(() => stream.events())
      .toContainEqual(expect.objectContaining({ kind: 'node', id: node.id, action: 'enrolled' }))
    const ids = stream.messages.map(({ id }) => Number(id))
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
  })

  test('replays what was missed after Last-Event-ID, each once and in order', async () => {
    const service = await build()
    const first = await open(service)
    await expect.poll(() => first.state.lastId).not.toBe('')
    first.abort.abort()
    const missed = [await enrolNode(service), await enrolNode(service), await enrolNode(service)]
    const second = await open(service, { 'last-event-id': first.state.lastId })
    const late = await enrolNode(service)
    await expect
      .poll(() =>
        second
          .events()
          .filter(({ action }) => action === 'enrolled')
          .map(({ id }) => id),
      )
      .toEqual([...missed, late].map(({ id }) => id))
  })

  test('begins as long ago as asked, each once and in order', async () => {
    let nowMs = Date.now()
    const service = await build({ now: () => nowMs })
    await enrolNode(service)
    nowMs += 10_000
    const missed = [await enrolNode(service), await enrolNode(service)]
    nowMs += 2000
    const streams = await Promise.all([
      open(service, {}, '?sinceSeconds=5'),
      open(service, {}, '?sinceSeconds=1'),
      open(service, { 'last-event-id': '999999' }, '?sinceSeconds=5'),
    ])
    const late = await enrolNode(service)
    const enrolled = (stream: (typeof streams)[number]) =>
      stream
        .events()
        .filter(({ action }) => action === 'enrolled')
        .map(({ id }) => id)
    const [since, none, exact] = streams
    await expect.poll(() => enrolled(since)).toEqual([...missed, late].map(({ id }) => id))
    await expect.poll(() => enrolled(none)).toEqual([late.id])
    await expect.poll(() => exact.messages[0]?.event).toBe('resync')
  })

  test('asks to fetch everything again when more was missed than is told', async () => {
    const service = await build()
    await service.services.write(async (unit) => {
      for (let i = 0; i < 1001; i++) await unit.emit({ kind: 'node', id: `${i}`, action: 'hello' })
    })
    const stream = await open(service, {}, '?sinceSeconds=60')
    await expect.poll(() => stream.messages.map(({ event }) => event)).toEqual(['resync'])
  })

  test('asks to fetch everything again when the id is not of this database', async () => {
    const service = await build()
    const stream = await open(service, { 'last-event-id': '999999' })
    await expect.poll(() => stream.messages.map(({ event }) => event)).toEqual(['resync'])
    const node = await enrolNode(service)
    await expect.poll(() => stream.events().some(({ id }) => id === node.id)).toBe(true)
  })

  test('says that measurements arrived, without storing it', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await node.hello()
    const stream = await open(service)
    await expect.poll(() => stream.state.lastId).not.toBe('')
    await node.report()
    await expect
      .poll(() => stream.events().find(({ kind }) => kind === 'metrics'))
      .toMatchObject({ id: node.id, action: 'recorded' })
    const stored = await service.services.db
      .selectFrom('events')
      .selectAll()
      .where('kind', '=', 'metrics')
      .execute()
    expect(stored).toEqual([])
  })

  test('ends with the session', async () => {
    const service = await build()
    const stream = await open(service)
    await service.admin.inject({
      method: 'DELETE',
      url: '/api/v1/session',
      headers: { origin: ORIGIN },
    })
    await expect.poll(() => stream.state.ended).toBe(true)
  })

  test('ends when the service stops, which does not take long', async () => {
    const service = await build()
    const stream = await open(service)
    const started = performance.now()
    await service.close()
    await stream.reading
    // As the process does before it ends itself; a stream has no end of its own.
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test('hears of what the operator’s commands wrote from another process', async () => {
    const service = await build()
    const stream = await open(service)
    await expect.poll(() => stream.state.lastId).not.toBe('')
    const { openServices } = await import('../../../src/process/services.ts')
    const other = await openServices(service.config)
    await other.write((unit) => unit.emit({ kind: 'config', id: 'default', action: 'released' }))
    await other.close()
    await expect.poll(() => stream.events().map(({ action }) => action)).toContain('released')
  })
})

describe('what an event about a node brings along', () => {
  const listed = async ({ admin }: Built): Promise<{ items: Node[]; revision: number }> =>
    (await admin.inject({ url: '/api/v1/nodes' })).json()
  const factsOf = ({ connected, lastSeenAt, sync }: Node) => {
    const { state, desired, acknowledged, effective } = sync
    return { connected, lastSeenAt, sync: { state, desired, acknowledged, effective } }
  }
  const shown = async (service: Built) => factsOf((await listed(service)).items[0] as Node)

  test('is how the list has it, and numbers say which of the two is newer', async () => {
    const nowMs = Date.now()
    const service = await build({ now: () => nowMs })
    const node = await enrolNode(service)
    const stream = await open(service)
    await expect.poll(() => stream.state.lastId).not.toBe('')
    const heard = async (action: string): Promise<{ number: number; event: Event }> => {
      const find = () =>
        stream.messages.find(({ data }) => (JSON.parse(data) as Event).action === action)
      await expect.poll(find).toBeDefined()
      return { number: Number(find()?.id), event: JSON.parse(find()?.data ?? '') }
    }
    const before = await listed(service)
    await node.hello()
    const hello = await heard('hello')
    expect(hello.event.node).toEqual(await shown(service))
    expect(hello.event.node).toMatchObject({ connected: true, sync: { state: 'waiting' } })
    await assign(service, { nodeId: node.id })
    const offered = await heard('offered')
    expect(offered.event.node).toEqual(await shown(service))
    expect(offered.event.node?.sync.desired?.version).toEqual({ config: 'default', number: 1 })
    const offer = about(await node.offer())
    for (const kind of ['ack', 'applied', 'confirm'] as const) {
      const path = kind === 'applied' ? 'result' : kind
      expect((await node.say(path, offer[kind])).statusCode, path).toBe(200)
    }
    const confirmed = await heard('confirmed')
    expect(confirmed.event.node).toEqual(await shown(service))
    expect(confirmed.event.node?.sync.state).toBe('in-sync')
    const after = await listed(service)
    expect(before.revision).toBeLessThan(hello.number)
    expect(hello.number).toBeLessThan(offered.number)
    expect(offered.number).toBeLessThan(confirmed.number)
    expect(after.revision).toBeGreaterThanOrEqual(confirmed.number)
    const one = (await service.admin.inject({ url: `/api/v1/nodes/${node.id}` })).json()
    expect(one.revision).toBeGreaterThanOrEqual(after.revision)
  })

  test('is left out of what was missed, and when more than a hundred nodes change at once', async () => {
    const service = await build()
    const nodes = await Promise.all(Array.from({ length: 2 }, () => enrolNode(service)))
    const ids = nodes.map(({ id }) => id)
    const change = (all: readonly string[], action: string) =>
      service.services.write((unit) =>
        unit.emitAll(all.map((id) => ({ kind: 'node' as const, id, action, actor: 'ana' }))),
      )
    await change(ids, 'missed')
    const stream = await open(service, { 'last-event-id': '0' })
    const facts = (action: string) =>
      stream
        .events()
        .filter((event) => event.action === action)
        .map(({ node }) => node !== undefined)
    await expect.poll(() => facts('missed')).toEqual([false, false])
    await change(ids, 'few')
    await expect.poll(() => facts('few')).toEqual([true, true])
    await sleep(1000)
    await change([...ids, ...Array.from({ length: 99 }, (_, i) => `node_${i}`)], 'many')
    await expect.poll(() => facts('many')).toHaveLength(101)
    expect(facts('many')).not.toContain(true)
    await sleep(1000)
    await change(ids, 'later')
    await expect.poll(() => facts('later')).toEqual([true, true])
  })
})

describe('the hub', () => {
  test('drops a client that does not read, and goes on for the others', async () => {
    const { SseHub } = await import('../../../src/plugins/sse.ts')
    const { createFastify } = await import('../../../src/http/create.ts')
    const hub = new SseHub({
      maxStreams: 2,
      maxPerCaller: 9,
      reserved: 0,
      maxBufferedBytes: 64 * 1024,
      heartbeatMs: 60_000,
    })
    const app = createFastify({ logLevel: 'silent', trustProxy: false, bodyLimit: 1024 })
    app.get('/', async (_request, reply) => {
      hub.open(reply, 'ana')
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(async () => {
      hub.close()
      await app.close()
    })
    const address = app.server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const { connect } = await import('node:net')
    const sockets = [0, 1, 2].map(() => connect(address.port, '127.0.0.1'))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => hub.size).toBe(2)
    const [lazy, eager, refused] = sockets
    let answer = ''
    refused?.on('data', (chunk) => {
      answer += chunk
    })
    await expect.poll(() => answer).toMatch(/^HTTP\/1.1 503/)
    lazy?.pause()
    eager?.resume()
    const data = 'x'.repeat(32 * 1024)
    for (let i = 0; i < 1000 && hub.size === 2; i += 1) {
      hub.broadcast({ data })
      await sleep(1)
    }
    expect(hub.size).toBe(1)
  })
})

describe('who has many streams open', () => {
  const open = (origin: string, client: Pick<Client, 'cookie'>, signal: AbortSignal) =>
    fetch(`${origin}/api/v1/events`, { headers: { cookie: client.cookie, origin: ORIGIN }, signal })

  test('is refused more, with when to come again; others are not', async () => {
    const service = await build()
    const origin = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const viewer = await service.as('viewer')
    const ended = new AbortController()
    onTestFinished(() => ended.abort())
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => open(origin, viewer, ended.signal)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(32)
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused?.status).toBe(429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused?.json()).toMatchObject({ code: 'too_many_own_streams' })
    expect((await open(origin, service.admin, ended.signal)).status).toBe(200)
  })

  test('does not get the last ones: they are for who has none', async () => {
    const { SseHub } = await import('../../../src/plugins/sse.ts')
    const { createFastify } = await import('../../../src/http/create.ts')
    const limits = { maxStreams: 4, maxPerCaller: 3, reserved: 2 }
    const hub = new SseHub({ ...limits, maxBufferedBytes: 1024, heartbeatMs: 60_000 })
    const app = createFastify({ logLevel: 'silent', trustProxy: false, bodyLimit: 1024 })
    app.get<{ Params: { caller: string } }>('/:caller', async ({ params }, reply) => {
      hub.open(reply, params.caller).setId(1)
    })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(async () => {
      hub.close()
      await app.close()
    })
    const ask = async (caller: string) => (await fetch(`${origin}/${caller}`)).status
    expect([await ask('ana'), await ask('ana'), await ask('ana')]).toEqual([200, 200, 503])
    expect([await ask('ben'), await ask('cem'), await ask('dua')]).toEqual([200, 200, 503])
  })
})

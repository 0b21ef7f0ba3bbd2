// SPDX-License-Identifier: MIT
// Overload is answered: what is too much waits or is refused.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { App } from '../../src/http/app-types.ts'
import { createFastify } from '../../src/http/create.ts'
import { problemsPlugin } from '../../src/http/problems.ts'
import {
  answerUnderPressure,
  BODIES,
  HEAVY,
  type Pace,
  takeTurns,
} from '../../src/plugins/turns.ts'
import { build, withToken } from '../helper.ts'

const MIB = 1024 * 1024

/** Each handler waits until the test lets it go. */
async function start(pace?: Pace) {
  const app = createFastify({ logLevel: 'silent', trustProxy: false, bodyLimit: 4 * MIB })
  await app.register(problemsPlugin, { invalidCode: 'invalid_request' })
  app.decorateRequest('user', null)
  app.addHook('onRequest', async (request) => {
    const id = String(request.headers['x-caller'] ?? '')
    if (id) request.user = { id } as typeof request.user
  })
  takeTurns(app, pace)
  const gates: (() => void)[] = []
  const entered = { count: 0, bytes: 0 }
  const changes = new EventTarget()
  const wait = async ({ body }: { body?: unknown }) => {
    entered.count++
    entered.bytes += JSON.stringify(body ?? '').length
    changes.dispatchEvent(new Event('entered'))
    await new Promise<void>((resolve) => gates.push(resolve))
    return {}
  }
  app.post('/heavy', { config: { heavy: true } }, wait)
  app.post('/body', wait)
  onTestFinished(async () => {
    for (const open of gates) open()
    await app.close()
  })
  const enteredBy = async (count: number) => {
    while (entered.count < count) await once(changes as never, 'entered')
  }
  return { app, gates, entered, enteredBy }
}

const settled = () => new Promise((done) => setTimeout(done, 0))

/** Sent now, not when it is waited for. */
const post = async (app: App, url: string, caller: string, payload: object = {}) =>
  await app.inject({ method: 'POST', url, headers: { 'x-caller': caller }, payload })

describe('what takes a core’s time', () => {
  test('is done some at once; of one caller few wait, and the others’ turn comes before', async () => {
    const { app, gates, entered, enteredBy } = await start()
    const most = HEAVY.perCaller + HEAVY.waitingPerCaller
    const greedy = Array.from({ length: most + 10 }, () => post(app, '/heavy', 'greedy'))
    const refused = await Promise.all(greedy.slice(most))
    for (const { statusCode, headers } of refused) {
      expect(statusCode).toBe(429)
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    expect(refused[0]?.json()).toMatchObject({ code: 'too_much_at_once' })
    await enteredBy(HEAVY.perCaller)
    expect(entered.count).toBe(HEAVY.perCaller)
    const other = post(app, '/heavy', 'other')
    await enteredBy(HEAVY.perCaller + 1)
    gates[HEAVY.perCaller]?.()
    expect((await other).statusCode).toBe(200)
    for (let i = 0; i < most + 1; i++) {
      await enteredBy(i + 1)
      gates[i]?.()
    }
    const statuses = (await Promise.all(greedy.slice(0, most))).map((one) => one.statusCode)
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('is refused with 503 to all when too many wait', async () => {
    const { app } = await start()
    const callers = Math.ceil(HEAVY.waiting / HEAVY.waitingPerCaller) + 1
    for (let i = 0; i < callers * HEAVY.waitingPerCaller + HEAVY.capacity; i++) {
      post(app, '/heavy', `caller ${i % callers}`)
    }
    const refused = await post(app, '/heavy', 'late')
    expect(refused.json()).toMatchObject({ status: 503, code: 'overloaded' })
    expect(refused.headers['retry-after']).toBe('5')
  })

  test('holds its turn until it is done, though its caller hung up', async () => {
    const { app, entered, enteredBy, gates } = await start()
    const port = await listen(app)
    for (let i = 0; i < HEAVY.perCaller; i++) {
      const socket = await open(port, '/heavy', 2)
      socket.write('{}')
      await enteredBy(i + 1)
      socket.destroy()
      await once(socket, 'close')
    }
    const next = post(app, '/heavy', 'hasty')
    const later = post(app, '/heavy', 'other')
    // Who came after is in; who came before is not.
    await enteredBy(HEAVY.perCaller + 1)
    gates[HEAVY.perCaller]?.()
    expect((await later).statusCode).toBe(200)
    expect(entered.count).toBe(HEAVY.perCaller + 1)
    gates[0]?.()
    await enteredBy(HEAVY.perCaller + 2)
    gates[HEAVY.perCaller + 1]?.()
    expect((await next).statusCode).toBe(200)
  })
})

describe('who sends nothing', () => {
  test('holds no place of what takes a core’s time', async () => {
    const { app, gates, enteredBy } = await start()
    const port = await listen(app)
    const slow = await Promise.all(
      Array.from({ length: HEAVY.capacity }, (_, i) => open(port, '/heavy', 100, `slow ${i % 2}`)),
    )
    for (const socket of slow) await new Promise((done) => socket.write('{', done))
    await connectionsOf(app, HEAVY.capacity)
    const other = post(app, '/heavy', 'other')
    await enteredBy(1)
    gates[0]?.()
    expect((await other).statusCode).toBe(200)
    for (const socket of slow) socket.destroy()
  })

  test('is told so soon, and the bytes that were announced are free again', async () => {
    const { app, gates, enteredBy } = await start({ graceMs: 200, bytesPerSecond: 1024 })
    const port = await listen(app)
    const length = 4 * MIB
    const ofOne = BODIES.perCaller / length
    const slow = Array.from({ length: BODIES.capacity / length }, (_, i) =>
      answerTo(open(port, '/body', length, `slow ${Math.floor(i / ofOne)}`)),
    )
    const other = post(app, '/body', 'other', { text: 'x'.repeat(MIB) })
    await enteredBy(1)
    gates[0]?.()
    expect((await other).statusCode).toBe(200)
    for (const answer of await Promise.all(slow)) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /)
      expect(answer).toContain('"code":"body_too_slow"')
    }
  })

  test('is not who sends slowly, but sends', async () => {
    const { app, gates, enteredBy } = await start({ graceMs: 200, bytesPerSecond: 1024 })
    const port = await listen(app)
    const text = JSON.stringify({ text: 'x'.repeat(40_000) })
    const socket = await open(port, '/body', text.length)
    const answer = answerTo(Promise.resolve(socket))
    const parts = 10
    const size = Math.ceil(text.length / parts)
    for (let i = 0; i < parts; i++) {
      socket.write(text.slice(i * size, (i + 1) * size))
      // Longer in all than the grace alone.
      await new Promise((done) => setTimeout(done, 50))
    }
    await enteredBy(1)
    gates[0]?.()
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('bodies', () => {
  test('in memory are bounded in bytes, of all and of each caller', async () => {
    const { app, gates, entered, enteredBy } = await start()
    const text = 'x'.repeat(2 * MIB)
    const atOnce = BODIES.perCaller / (2 * MIB)
    const sent = Array.from({ length: atOnce * 2 }, () => post(app, '/body', 'one', { text }))
    await enteredBy(atOnce - 1)
    await settled()
    expect(entered.bytes).toBeLessThanOrEqual(BODIES.perCaller)
    // A small one of the same caller needs none of it.
    const small = post(app, '/body', 'one')
    await enteredBy(atOnce)
    for (let i = 0; i < sent.length + 1; i++) {
      await enteredBy(i + 1)
      gates[i]?.()
    }
    expect((await small).statusCode).toBe(200)
    for (const { statusCode } of await Promise.all(sent)) expect(statusCode).toBe(200)
  })

  test('that are announced and never come take nothing from others', async () => {
    const { app, enteredBy, gates } = await start()
    const port = await listen(app)
    const idle = BODIES.perCaller / (4 * MIB)
    const sockets = await Promise.all(
      Array.from({ length: idle }, () => open(port, '/body', 4 * MIB, 'idle')),
    )
    const other = post(app, '/body', 'other', { text: 'x'.repeat(MIB) })
    await enteredBy(1)
    gates[0]?.()
    expect((await other).statusCode).toBe(200)
    // And when they have gone, it is as if they had never been.
    for (const socket of sockets) socket.destroy()
    const again = post(app, '/body', 'idle', { text: 'x'.repeat(MIB) })
    await enteredBy(2)
    gates[1]?.()
    expect((await again).statusCode).toBe(200)
  })
})

test('a service whose loop is held up says so with 503, and goes on telling its health', async () => {
  const app = createFastify({ logLevel: 'silent', trustProxy: false, bodyLimit: MIB })
  onTestFinished(() => app.close())
  await app.register(problemsPlugin, { invalidCode: 'invalid_request' })
  // Any heap is more than this.
  const limits = { maxEventLoopDelay: 0, maxHeapUsedBytes: 1, sampleInterval: 10 }
  await answerUnderPressure(app, limits)
  app.get('/health', { config: { underPressure: true } }, async () => ({}))
  app.get('/nodes', async () => ({}))
  let refused = await app.inject('/nodes')
  while (refused.statusCode === 200) {
    await settled()
    refused = await app.inject('/nodes')
  }
  expect(refused.json()).toMatchObject({ status: 503, code: 'overloaded' })
  expect(refused.headers['retry-after']).toBe('5')
  expect((await app.inject('/health')).statusCode).toBe(200)
})

test('a start that holds the loop up is no overload; what does so later is', async () => {
  const app = createFastify({ logLevel: 'silent', trustProxy: false, bodyLimit: MIB })
  onTestFinished(() => app.close())
  await app.register(problemsPlugin, { invalidCode: 'invalid_request' })
  const limits = { maxEventLoopDelay: 200, maxHeapUsedBytes: 0, sampleInterval: 1000 }
  await answerUnderPressure(app, limits)
  app.get('/nodes', async () => ({}))
  const status = async () => (await app.inject('/nodes')).statusCode
  const holdUp = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100)
  holdUp()
  await app.ready()
  await settled()
  expect(await status()).toBe(200)
  while ((await status()) === 200) {
    holdUp()
    await settled()
  }
  expect(await status()).toBe(503)
})

test('a viewer that validates hundreds of texts at once is told to wait, and nobody else is', async () => {
  const service = await build()
  const program = await withToken(service, await service.as('viewer'))
  const payload = { text: `{"sites":[${'0,'.repeat(50_000)}0]}` }
  const validate = async (who: Pick<typeof program, 'inject'>) =>
    await who.inject({ method: 'POST', url: '/api/v1/configs/validate', payload })
  const flood = Array.from({ length: 200 }, () => validate(program))
  expect((await validate(service.admin)).statusCode).toBe(200)
  const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  expect((await validate(program)).statusCode).toBe(200)
})

async function listen(app: App): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** A request whose body is still to come. */
async function open(port: number, path: string, length: number, caller = 'hasty'): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = `POST ${path} HTTP/1.1\r\nhost: a\r\nx-caller: ${caller}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
  await new Promise((done) => socket.write(head, done))
  return socket
}

/** All that is answered until the connection ends, or until the answer has its body. */
async function answerTo(opened: Promise<Socket>): Promise<string> {
  const socket = await opened
  let answer = ''
  for await (const bytes of socket) {
    answer += String(bytes)
    if (/\r\n\r\n.*\}$/s.test(answer)) break
  }
  return answer
}

/** Waits until the service has them all. */
async function connectionsOf(app: App, count: number): Promise<void> {
  const open = () =>
    new Promise<number>((done, fail) =>
      app.server.getConnections((error, n) => (error ? fail(error) : done(n))),
    )
  while ((await open()) < count) await settled()
}

// SPDX-License-Identifier: MIT
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { DELIVERIES_KEPT } from '../../../src/features/webhooks/store.ts'
import { createGuard } from '../../../src/features/webhooks/targets.ts'
import { type Built, build } from '../../helper.ts'
import { isSignedWith, ok, startReceiver, status } from './test-receiver.ts'

const url = '/api/v1/webhooks'
type Hook = { id: string; secret: string; events: string[] }

const start = (overrides: Parameters<typeof build>[0] = {}) =>
  build({
    config: { webhookAllow: ['127.0.0.0/8'] },
    ...overrides,
    webhooks: { backOffMs: () => 20, ...overrides.webhooks },
  })

async function make({ admin }: Built, payload: Record<string, unknown>) {
  const response = await admin.inject({ method: 'POST', url, payload })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<Hook>()
}
const show = async ({ admin }: Built, { id }: Hook) => {
  const response = await admin.inject({ url: `${url}/${id}` })
  return { ...response.json(), etag: String(response.headers.etag) }
}
const change = async (service: Built, hook: Hook, payload: Record<string, unknown>) =>
  await service.admin.inject({
    method: 'PATCH',
    url: `${url}/${hook.id}`,
    headers: { 'if-match': (await show(service, hook)).etag },
    payload,
  })
const act = ({ admin }: Built, { id }: Hook, action: string, payload?: Record<string, unknown>) =>
  admin.inject({
    method: 'POST',
    url: `${url}/${id}/actions/${action}`,
    ...(payload && { payload }),
  })
const deliveries = async ({ admin }: Built, { id }: Hook) =>
  (await admin.inject({ url: `${url}/${id}/deliveries?limit=500` })).json().items
const emit = ({ services }: Built, id: string, action = 'changed') =>
  services.write((unit) => unit.emit({ kind: 'node', id, action, actor: 'anna' }))
const poll = (what: () => unknown) => expect.poll(what)

describe('a webhook', () => {
  test('is made by an administrator, its secret shown once and sealed at rest', async () => {
    const service = await start()
    const auditor = await service.as('auditor')
    const payload = { url: 'https://hooks.example.org/x' }
    expect((await auditor.inject({ method: 'POST', url, payload })).statusCode).toBe(403)
    const { secret, ...made } = await make(service, payload)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(made).toMatchObject({ events: ['*'], disabledAt: null, createdBy: 'test-admin' })
    const listed = await auditor.inject({ url })
    expect(listed.json().items).toEqual([made])
    expect(listed.body).not.toContain('whsec_')
    const { db } = service.services
    const rows = JSON.stringify([
      await db.selectFrom('webhooks').selectAll().execute(),
      await db.selectFrom('events').selectAll().execute(),
    ])
    expect(rows).not.toContain(secret.slice('whsec_'.length))
  })

  test('is told of events, in order, signed, and each says who did what', async () => {
    const service = await start()
    const receiver = await startReceiver()
    const { secret } = await make(service, { url: receiver.url, events: ['node'] })
    const ids = ['a', 'b', 'c', 'd']
    for (const id of ids) await emit(service, id)
    await poll(receiver.objects).toEqual(ids)
    for (const one of receiver.received) expect(isSignedWith(secret, one)).toBe(true)
    const [first] = receiver.received
    expect(first?.event).toEqual({
      type: 'node.changed',
      timestamp: expect.any(String),
      data: {
        ...{ kind: 'node', id: 'a', action: 'changed', actor: 'anna' },
        sequence: expect.any(Number),
        at: expect.any(String),
      },
    })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
  })

  test('hears only what it asked for', async () => {
    const service = await start()
    const receiver = await startReceiver()
    await make(service, { url: receiver.url, events: ['config', 'node.enrolled', 'group.*'] })
    await emit(service, 'a')
    await emit(service, 'b', 'enrolled')
    await service.services.write((unit) =>
      unit.emit({ kind: 'config', id: 'c', action: 'released' }),
    )
    await poll(receiver.types).toEqual(['node.enrolled', 'config.released'])
  })

  test('is changed only by who saw it last, and deleted with its log', async () => {
    const service = await start()
    const receiver = await startReceiver()
    const hook = await make(service, { url: receiver.url })
    const path = `${url}/${hook.id}`
    const patch = { method: 'PATCH', url: path, payload: { description: 'x' } } as const
    expect((await service.admin.inject(patch)).statusCode).toBe(428)
    const stale = { ...patch, headers: { 'if-match': '"9"' } }
    expect((await service.admin.inject(stale)).statusCode).toBe(412)
    expect((await change(service, hook, { description: 'pager' })).json()).toMatchObject({
      description: 'pager',
    })
    await act(service, hook, 'test')
    const { etag } = await show(service, hook)
    const removed = { method: 'DELETE', url: path, headers: { 'if-match': etag } } as const
    expect((await service.admin.inject(removed)).statusCode).toBe(204)
    expect((await service.admin.inject({ url: path })).statusCode).toBe(404)
  })

  test.each([
    ['not a URL', 'https://', 422],
    ['with a password', 'https://me:you@example.org/', 422],
    ['another scheme', 'file:///etc/passwd', 400],
  ])('has no address that is %s', async (_what, address, code) => {
    const service = await start()
    const response = await service.admin.inject({ method: 'POST', url, payload: { url: address } })
    expect(response.statusCode).toBe(code)
  })
})

describe('a receiver that fails', () => {
  test('is told again until it takes it, the same message, and in order', async () => {
    const service = await start()
    const receiver = await startReceiver()
    receiver.answer = status(500)
    const hook = await make(service, { url: receiver.url, events: ['node'] })
    for (const id of ['a', 'b']) await emit(service, id)
    await poll(() => receiver.received.length).toBeGreaterThan(2)
    expect(new Set(receiver.objects())).toEqual(new Set(['a']))
    const failing = await show(service, hook)
    expect(failing).toMatchObject({
      failingSince: expect.any(String),
      lastError: 'Answered 500',
    })
    receiver.answer = ok
    await poll(() => receiver.objects().at(-1)).toBe('b')
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(2)
    // That of the first may be told before: the last has been heard by then, and is not written down yet.
    const last = { delivered: true, status: 204, attempt: 1 }
    await poll(async () => (await deliveries(service, hook))[0]).toMatchObject(last)
    expect((await show(service, hook)).failingSince).toBeNull()
    const log = await deliveries(service, hook)
    expect(log.at(-1)).toMatchObject({ delivered: false, status: 500, attempt: 1, response: 'no' })
  })

  test('says no to one event and is told the others', async () => {
    const service = await start()
    const receiver = await startReceiver()
    receiver.answer = (response, { event }) =>
      response.writeHead(event.data.id === 'b' ? 422 : 204).end('no')
    const hook = await make(service, { url: receiver.url, events: ['node'] })
    for (const id of ['a', 'b', 'c']) await emit(service, id)
    await poll(receiver.objects).toEqual(['a', 'b', 'c'])
    await poll(async () => (await deliveries(service, hook)).length).toBe(3)
    const [, passed] = await deliveries(service, hook)
    expect(passed).toMatchObject({ delivered: false, status: 422, attempt: 1 })
    expect(passed.error).toBe('Answered 422: not sent again, later events go on')
    expect(await show(service, hook)).toMatchObject({ failedAttempts: 0, failingSince: null })
  })

  test('is asked to follow elsewhere with one event and is told the others', async () => {
    const service = await start()
    const receiver = await startReceiver()
    receiver.answer = (response, { event }) =>
      response.writeHead(event.data.id === 'b' ? 308 : 204).end()
    const hook = await make(service, { url: receiver.url, events: ['node'] })
    for (const id of ['a', 'b', 'c']) await emit(service, id)
    await poll(receiver.objects).toEqual(['a', 'b', 'c'])
    await poll(async () => (await deliveries(service, hook)).length).toBe(3)
    const [, passed] = await deliveries(service, hook)
    expect(passed.error).toMatch(/308: redirects are not followed.*later events go on/)
  })

  test('fails at one event time after time and is told the others', async () => {
    const service = await start()
    const receiver = await startReceiver()
    receiver.answer = (response, { event }) => {
      if (event.data.id === 'b') response.destroy()
      else response.writeHead(event.data.id === 'c' ? 500 : 204).end()
    }
    const hook = await make(service, { url: receiver.url, events: ['node'] })
    for (const id of ['a', 'b', 'c']) await emit(service, id)
    await poll(() => receiver.received.length).toBe(21)
    await poll(async () => (await show(service, hook)).failedAttempts).toBe(0)
    // Nobody has taken anything since: they are failing still.
    const failing = await show(service, hook)
    expect(failing).toMatchObject({ failingSince: expect.any(String), disabledAt: null })
    await emit(service, 'd')
    await poll(async () => (await show(service, hook)).failingSince).toBeNull()
    const tried = (id: string) => Array.from({ length: 10 }, () => id)
    expect(receiver.objects()).toEqual(['a', ...tried('b'), ...tried('c'), 'd'])
    const log: { error: string | null; attempt: number }[] = await deliveries(service, hook)
    const notes = log.filter(({ error }) => error?.includes('tried 10 times: not sent again'))
    expect(notes.map(({ attempt }) => attempt)).toEqual([10, 10])
  })

  test('says 410 and is disabled, which is an event', async () => {
    const service = await start()
    const receiver = await startReceiver()
    receiver.answer = status(410)
    const hook = await make(service, { url: receiver.url, events: ['node'] })
    await emit(service, 'a')
    await emit(service, 'b')
    await poll(async () => (await show(service, hook)).disabledAt).not.toBeNull()
    expect((await show(service, hook)).disabledReason).toContain('410')
    expect(receiver.objects()).toEqual(['a'])
    const audit = await service.admin.inject({ url: '/api/v1/audit?kind=webhook&action=disabled' })
    expect(audit.json().items).toHaveLength(1)
  })

  test('says when to come again and is left alone until then', async () => {
    const service = await start()
    const [busy, other] = [await startReceiver(), await startReceiver()]
    busy.answer = (response) => response.writeHead(429, { 'retry-after': '3600' }).end()
    await make(service, { url: busy.url, events: ['node'] })
    await make(service, { url: other.url, events: ['node'] })
    const ids = Array.from({ length: 20 }, (_, i) => `node-${i}`)
    for (const [i, id] of ids.entries()) {
      await emit(service, id)
      await poll(() => other.received.length).toBe(i + 1)
    }
    await poll(() => busy.received.length).toBe(1)
    await emit(service, 'last')
    await poll(() => other.received.length).toBe(21)
    expect(busy.received).toHaveLength(1)
  })

  test('is left alone over a change of its description and a restart, but not by a new address', async () => {
    const service = await start()
    const [busy, other] = [await startReceiver(), await startReceiver()]
    busy.answer = (response) => response.writeHead(429, { 'retry-after': '3600' }).end()
    const hook = await make(service, { url: busy.url, events: ['node'] })
    await make(service, { url: other.url, events: ['node'] })
    await emit(service, 'a')
    await poll(() => busy.received.length).toBe(1)
    await poll(async () => (await deliveries(service, hook)).length).toBe(1)
    expect((await change(service, hook, { description: 'The same' })).statusCode).toBe(200)
    await emit(service, 'b')
    await poll(() => other.received.length).toBe(2)
    expect(busy.received).toHaveLength(1)
    const { dataDir } = service.config
    await service.close()
    const again = await start({ config: { webhookAllow: ['127.0.0.0/8'], dataDir } })
    await emit(again, 'c')
    await poll(() => other.received.length).toBe(3)
    expect(busy.received).toHaveLength(1)
    const moved = await startReceiver()
    expect((await change(again, hook, { url: moved.url })).statusCode).toBe(200)
    await poll(moved.objects).toEqual(['a', 'b', 'c'])
  })

  test('is not followed elsewhere', async () => {
    const service = await start()
    const [receiver, other] = [await startReceiver(), await startReceiver()]
    receiver.answer = (response) => response.writeHead(307, { location: other.url }).end()
    const hook = await make(service, { url: receiver.url, events: ['group'] })
    expect((await act(service, hook, 'test')).json()).toMatchObject({
      delivered: false,
      error: expect.stringMatching(/307: redirects are not followed/),
    })
    expect(other.received).toEqual([])
  })

  test('that does not answer is given up in time, and holds up nobody else', async () => {
    const service = await start({ webhooks: { timeoutMs: 300 } })
    const [slow, quick] = [await startReceiver(), await startReceiver()]
    slow.answer = () => {}
    const hook = await make(service, { url: slow.url, events: ['node'] })
    await make(service, { url: quick.url, events: ['node'] })
    for (const id of ['a', 'b', 'c']) await emit(service, id)
    await poll(quick.objects).toEqual(['a', 'b', 'c'])
    await poll(async () => (await show(service, hook)).lastError).toBe('No answer within 0.3 s')
  })

  test('that never ends its answer has taken it; no more than 4 KiB are kept', async () => {
    const service = await start()
    const receiver = await startReceiver()
    receiver.answer = (response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1024)));
      }
      response.on('drain', more).writeHead(200)
      more()
    }
    const hook = await make(service, { url: receiver.url, events: ['group'] })
    const delivery = (await act(service, hook, 'test')).json()
    expect(delivery).toMatchObject({ delivered: true, status: 200 })
    expect(delivery.response).toBe('x'.repeat(4096))
  })

  test('for three days is disabled, which is an event, and enabled begins with news', async () => {
    let now = Date.now()
    const service = await start({ now: () => now })
    const [receiver, watcher] = [await startReceiver(), await startReceiver()]
    receiver.answer = status(503)
    const hook = await make(service, { url: receiver.url, events: ['node'] })
    await make(service, { url: watcher.url, events: ['webhook.disabled'] })
    for (let i = 0; i < 30; i += 1) await emit(service, `old-${i}`)
    await poll(() => receiver.received.length).toBeGreaterThan(10)
    expect((await show(service, hook)).disabledAt).toBeNull()
    now += 3 * 24 * 3600_000 + 1
    const { db } = service.services
    const row = () =>
      db.selectFrom('webhooks').selectAll().where('id', '=', hook.id).executeTakeFirstOrThrow()
    await poll(async () => (await row()).disabled_reason).toMatch(
      /three days; at last: Answered 503/,
    )
    await poll(watcher.objects).toEqual([hook.id])
    now -= 3 * 24 * 3600_000
    receiver.answer = ok
    const before = receiver.received.length
    expect((await change(service, hook, { disabled: false })).json()).toMatchObject({
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    })
    await emit(service, 'new')
    await poll(() => receiver.objects().slice(before)).toEqual(['new'])
  })

  test('leaves a log that does not grow', async () => {
    const service = await start({ webhooks: { backOffMs: () => 0 } })
    const receiver = await startReceiver()
    receiver.answer = status(500)
    const hook = await make(service, { url: receiver.url, events: ['node'] })
    for (let i = 0; i < DELIVERIES_KEPT; i += 1) await emit(service, `a-${i}`)
    await poll(() => receiver.received.length).toBeGreaterThan(DELIVERIES_KEPT + 5)
    expect(await deliveries(service, hook)).toHaveLength(DELIVERIES_KEPT)
  })
})

describe('by hand', () => {
  test('a test is sent, an event sent once more, and an unknown one refused', async () => {
    const service = await start()
    const receiver = await startReceiver()
    const hook = await make(service, { url: receiver.url, events: ['node'] })
    expect((await act(service, hook, 'test')).json()).toMatchObject({
      ...{ type: 'webhook.test', eventId: null, attempt: 0, delivered: true, status: 204 },
    })
    const eventId = await emit(service, 'a')
    await poll(receiver.types).toEqual(['webhook.test', 'node.changed'])
    expect((await act(service, hook, 'redeliver', { eventId })).json()).toMatchObject({ eventId })
    const [, first, again] = receiver.received
    expect(again?.body).toBe(first?.body)
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    const unknown = await act(service, hook, 'redeliver', { eventId: 999_999 })
    expect(unknown.json()).toMatchObject({ status: 404, code: 'event_not_found' })
  })

  test('the secret is changed; the old one signs until its time is over', async () => {
    let now = Date.now()
    const service = await start({ now: () => now })
    const receiver = await startReceiver()
    const hook = await make(service, { url: receiver.url, events: ['group'] })
    const rotated = (await act(service, hook, 'rotate-secret', { overlapSeconds: 60 })).json()
    await act(service, hook, 'test')
    now += 61_000
    await act(service, hook, 'test')
    const signedWith = receiver.received.map((one) =>
      [hook.secret, rotated.secret].map((secret) => isSignedWith(secret, one)),
    )
    expect(signedWith).toEqual([
      [true, true],
      [false, true],
    ])
  })
})

describe('addresses', () => {
  test('of this machine, its link and metadata are refused unless the operator opens them', async () => {
    const service = await build()
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0.0.0.0',
      '169.254.169.254',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '[64:ff9b::7f00:1]',
      '10.0.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '[::ffff:192.168.1.1]',
      '100.100.100.200',
      '168.63.129.16',
      '[fd12:3456::1]',
      // IPv4 in another dress, as reports on other programs have it.
      '[::127.0.0.1]',
      '[::a9fe:a9fe]',
      '[0:0:0:0:0:ffff:7f00:1]',
      '[::ffff:0:127.0.0.1]',
      '[2002:7f00:1::1]',
      '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
      '[64:ff9b:1::a00:1]',
      '[5f00::1]',
      '[fe81::1]',
    ]) {
      const payload = { url: `http://${host}:9/` }
      const response = await service.admin.inject({ method: 'POST', url, payload })
      expect(response.json(), host).toMatchObject({ status: 422, code: 'address_refused' })
    }
    const made = (to: string, who = service) =>
      who.admin.inject({ method: 'POST', url, payload: { url: to } })
    expect((await made('http://203.0.113.1/')).statusCode).toBe(201)
    const opened = await build({ config: { webhookAllow: ['10.0.0.0/8', 'fd12:3456::/32'] } })
    expect((await made('http://10.0.0.1/', opened)).statusCode).toBe(201)
    expect((await made('http://[fd12:3456::1]/', opened)).statusCode).toBe(201)
    expect((await made('http://192.168.1.1/', opened)).statusCode).toBe(422)
  })

  test('are looked at when the name is looked up for the connection, and only then', async () => {
    const receiver = await startReceiver()
    const answers = ['127.0.0.2', '127.0.0.1']
    let lookups = 0
    const service = await build({
      config: { webhookAllow: ['127.0.0.2'] },
      webhooks: {
        timeoutMs: 300,
        resolve: (_host, _options, callback) => {
          const address = answers[lookups] ?? '127.0.0.1'
          lookups += 1
          callback(null, [{ address, family: 4 }])
        },
      },
    })
    const hook = await make(service, {
      url: `http://rebind.test:${receiver.port}/`,
      events: ['group'],
    })
    expect(lookups).toBe(0)
    // Allowed, though nobody is there: whatever comes of it, the address that was checked is the one used.
    expect((await act(service, hook, 'test')).json().delivered).toBe(false)
    expect(lookups).toBe(1)
    expect((await act(service, hook, 'test')).json()).toMatchObject({
      delivered: false,
      error: expect.stringMatching(/rebind\.test is 127\.0\.0\.1, which is this machine/),
    })
    expect(receiver.received).toEqual([])
  })

  test('that this machine has are its own, public ones too, until they are opened', () => {
    const own = () => ['203.0.113.7', '2001:db8::7', 'fe80::7%eth0']
    const guard = createGuard([], undefined, own)
    const check =
      (host: string, by = guard) =>
      () =>
        by.checkLiteral(new URL(`http://${host}/`))
    expect(check('203.0.113.7')).toThrow(/is this machine/)
    expect(check('[2001:db8::7]')).toThrow(/is this machine/)
    expect(check('203.0.113.8')).not.toThrow()
    expect(check('203.0.113.7', createGuard(['203.0.113.7'], undefined, own))).not.toThrow()
    for (const { address, family } of Object.values(networkInterfaces())
      .flat()
      .filter((one) => !!one)) {
      const host = family === 'IPv6' ? `[${address.replace(/%.*$/, '')}]` : address
      expect(check(host, createGuard([])), host).toThrow(/is this machine/)
    }
  })

  test('one bad one among several is enough', async () => {
    const service = await build({
      webhooks: {
        resolve: (_host, _options, callback) =>
          callback(null, [
            { address: '203.0.113.1', family: 4 },
            { address: '::1', family: 6 },
          ]),
      },
    })
    const hook = await make(service, { url: 'http://two.test/', events: ['group'] })
    expect((await act(service, hook, 'test')).json().error).toMatch(/two\.test is ::1/)
  })
})

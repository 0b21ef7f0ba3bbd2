// SPDX-License-Identifier: MIT
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  backOffMs,
  headersOf,
  isGivenUp,
  isPassedOver,
  matchesEvent,
  newWebhookSecret,
  retryAfterMs,
  verdictOf,
} from '../../../src/features/webhooks/rules.ts'

test.each([
  ['*', true],
  ['node', true],
  ['node.*', true],
  ['node.enrolled', true],
  ['node.changed', false],
  ['nod', false],
  ['rollout', false],
])('the pattern %s and the event node.enrolled', (pattern, expected) => {
  expect(matchesEvent(['backup', pattern], 'node.enrolled')).toBe(expected)
})

test('the signature is that of the specification’s own example', () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    eventId: null,
    type: 'test',
    body: '{"test": 2432232314}',
  }
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  expect(headersOf(message, [secret], 1_614_265_330_000)['webhook-signature']).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})

test('the specification’s own library knows what is signed with one of two secrets', () => {
  const body = '{"type":"test","data":{"name":"ä"}}'
  const secrets = [newWebhookSecret(), newWebhookSecret()]
  const headers = headersOf({ id: 'msg_1', eventId: null, type: 'test', body }, secrets, Date.now())
  for (const secret of secrets) {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  }
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow(/No matching/)
})

test.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [301, 'passed'],
  [308, 'passed'],
  [400, 'passed'],
  [401, 'passed'],
  [404, 'passed'],
  [408, 'again'],
  [410, 'gone'],
  [413, 'passed'],
  [422, 'passed'],
  [425, 'again'],
  [429, 'again'],
  [500, 'again'],
  [503, 'again'],
  [null, 'again'],
] as const)('what answers %s is %s', (status, expected) => {
  expect(verdictOf(status)).toBe(expected)
})

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Sun, 22 Nov 2026 10:00:30 GMT', 30_000],
  ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
  ['9999999999', 24 * 3600_000],
  ['99999999999999999999', null],
  ['-5', null],
  ['soon', null],
  ['2026-11-22', null],
  ['', null],
  [undefined, null],
])('Retry-After %s is a wait of %s', (header, expected) => {
  expect(retryAfterMs(header, Date.parse('2026-11-22T10:00:00Z'))).toBe(expected)
})

describe('after a failure', () => {
  test('the wait grows up to hours, never twice the same for all', () => {
    const waits = Array.from({ length: 12 }, (_, i) => backOffMs(i + 1, 0.5))
    expect(waits[0]).toBe(5000)
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(waits.at(-1)).toBe(6 * 3600_000)
    expect([backOffMs(1, 0), backOffMs(1, 1)]).toEqual([4000, 6000])
  })

  test('one event is passed over after ten tries, unless they say that it is not the time', () => {
    expect([9, 10].map((attempts) => isPassedOver(attempts, 503))).toEqual([false, true])
    expect(isPassedOver(10, null)).toBe(true)
    expect([408, 425, 429].some((status) => isPassedOver(99, status))).toBe(false)
  })

  test('it is given up after many attempts over days', () => {
    const days = 24 * 3600_000
    expect(isGivenUp(10, 3 * days)).toBe(true)
    expect(isGivenUp(9, 30 * days)).toBe(false)
    expect(isGivenUp(100, 2 * days)).toBe(false)
  })
})

// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../lib/api-error.ts'
import { certificateOrder, managed } from '../../../test/samples.ts'
import { adviceFor, blockedActions, nextWords, stepsOf, whyWords } from './rules.ts'
import { draftOf, newDraft, refusalsOf, troublesOf, wishOf } from './wish.ts'

const now = Date.parse('2026-11-26T12:00:00Z')
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()

test.each([
  [
    { action: 'renew', at: at(58 * 86_400), because: '' },
    /^Renewed in 58 d \(23 Jan 2027, .*\)\.$/,
  ],
  [{ action: 'order', at: at(-3), because: '' }, /^Ordered now\.$/],
  [{ action: 'continue', at: at(40), because: '' }, /^The order goes on in 40 s \(/],
  [{ action: 'renew', at: null, because: '' }, /^Renewed\.$/],
  [{ action: 'none', at: null, because: '' }, /^Nothing is ordered automatically\.$/],
] as const)('what happens next is a sentence: %o', (next, words) => {
  expect(nextWords({ next }, now)).toMatch(words)
})

test('why that is next leaves out what stands on the page in full', () => {
  const failed = 'urn:ietf:params:acme:error:dns: NXDOMAIN'
  const held = managed({
    next: { action: 'order', at: null, because: `It is due, and tried again then. ${failed}` },
    lastError: { message: failed, at: at(0) },
  })
  expect(whyWords(held)).toBe('It is due, and tried again then.')
  const open = managed({
    next: { action: 'continue', at: null, because: failed },
    order: certificateOrder({ lastError: failed }),
  })
  expect(whyWords(open)).toBe('')
  expect(whyWords(managed())).toMatch(/of its life are over\.$/)
})

test('of the steps of an order one is current, those before it are done', () => {
  const standings = stepsOf(certificateOrder({ state: 'validating' })).map(
    ({ standing }) => standing,
  )
  expect(standings).toEqual(['done', 'done', 'current', 'ahead', 'ahead'])
  expect(stepsOf(certificateOrder({ state: 'new' }))[0]?.standing).toBe('current')
})

test('what is off says why', () => {
  expect(blockedActions(managed())).toEqual({ order: null, cancel: 'No order is open.' })
  const open = managed({ order: certificateOrder() })
  expect(blockedActions(open)).toEqual({ order: 'An order is open already.', cancel: null })
  expect(blockedActions(managed({ paused: true })).order).toMatch(/paused: resume/)
})

describe('what to do about an error', () => {
  test.each([
    ['urn:ietf:params:acme:error:rateLimited: too many certificates', /limits how much/],
    ['urn:ietf:params:acme:error:caa: CAA record for a.example prevents issuance', /CAA record/],
    ['urn:ietf:params:acme:error:externalAccountRequired', /settings/],
    ['urn:ietf:params:acme:error:rejectedIdentifier: policy forbids', /off the list/],
    ['acme.example could not be asked: connect ECONNREFUSED 192.0.2.1:443', /cannot be reached/],
    ['urn:ietf:params:acme:error:dns: NXDOMAIN looking up A for a.example', /A or AAAA record/],
    ['urn:ietf:params:acme:error:connection: Timeout during connect', /port 80/],
    ['urn:ietf:params:acme:error:unauthorized: Invalid response from http://a', /Something other/],
    ['Version 3 could not be rolled out with the config "main": it is frozen', /each hour/],
    ['The ways of CAs are many', /tried again automatically/],
  ])('over HTTP: %s', (error, advice) => {
    expect(adviceFor(error, { type: 'http-01' })).toMatch(advice)
  })

  test.each([
    ['The record _acme-challenge.a.example could not be set: Answered 500', /program behind/],
    ['urn:ietf:params:acme:error:dns: SERVFAIL looking up TXT', /name servers of the domain/],
    ['urn:ietf:params:acme:error:unauthorized: Incorrect TXT record', /another TXT record/],
  ])('over DNS: %s', (error, advice) => {
    expect(adviceFor(error, { type: 'dns-01' })).toMatch(advice)
  })
})

describe('the form', () => {
  test('of one that is managed sends what it was read as', () => {
    const one = managed({
      challenge: { type: 'dns-01', webhook: 'zones' },
      preferredChain: 'ISRG Root X1',
    })
    const { names, keyType, authorities, challenge, preferredChain, rollOut } = one
    expect(wishOf(draftOf(one))).toEqual({
      ...{ names, keyType, authorities, challenge, preferredChain, rollOut },
    })
  })

  test('says what is missing, each at its field', () => {
    expect(Object.keys(troublesOf(newDraft('', [])))).toEqual(['name', 'hosts', 'authorities'])
    const wildcard = newDraft('shop', ['*.shop.example'])
    expect(wildcard.challenge).toBe('dns-01')
    expect(troublesOf(wildcard).webhook).toMatch(/webhook/)
  })

  test('shows a refusal at the field it points to, with the host it is about', () => {
    const place = { line: 0, column: 0, endLine: 0, endColumn: 0, code: 'x' }
    const error = new ApiError(422, {
      errors: [
        { ...place, pointer: '/names/1', message: 'this is no host', hint: 'take it away' },
        {
          ...place,
          pointer: '/authorities/0/profile',
          message: 'no such profile',
          hint: 'make it first: POST /api/v1/x',
        },
        { ...place, pointer: '/elsewhere', message: 'odd', hint: '' },
      ],
    })
    const { at: places, rest } = refusalsOf(error, { names: ['a.example', 'b.example'] })
    expect(places).toEqual({
      hosts: 'b.example: This is no host. Take it away.',
      authorities: 'No such profile. Make it first.',
    })
    expect(rest).toHaveLength(1)
  })
})

// SPDX-License-Identifier: MIT
// Whom a node that lacks a release is to ask.
import { describe, expect, test } from 'vitest'
import { type Answer, Exchange, type Failure } from '../../src/neighbours/exchange.ts'

const MANIFEST = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)

function farm({ acrossZones = false, atOnce = 2 } = {}) {
  const away = new Set<string>()
  const distrusted = new Set<string>()
  const clock = { nowMs: 0 }
  const exchange = new Exchange({
    ...{ monotonicMs: () => clock.nowMs, random: () => 0 },
    isConnected: (id) => !away.has(id),
    isTrusted: (id) => !distrusted.has(id),
  })
  const ask = (nodeId: string, failed: readonly Failure[] = [], manifestSha256 = MANIFEST) =>
    exchange.ask({ nodeId, zone: zoneOf(nodeId), manifestSha256, failed }, { acrossZones, atOnce })
  return {
    ...{ exchange, away, distrusted, clock },
    gives: (nodeId: string, holds = [MANIFEST], zone = zoneOf(nodeId)) =>
      exchange.gives(nodeId, { zone, keySha256: keyOf(nodeId), address: `${nodeId}:1`, holds }),
    answer: (nodeId: string, failed: readonly Failure[] = [], manifest = MANIFEST) =>
      said(ask(nodeId, failed, manifest).answer),
    wrong: (nodeId: string, failed: readonly Failure[]) => ask(nodeId, failed).wrong,
  }
}
/** The first letter is the zone: n1, n2, s1. */
const zoneOf = (nodeId: string) => nodeId.charAt(0)
const keyOf = (nodeId: string) => `key of ${nodeId}`
const failure = (nodeId: string, why: Failure['why']) => ({ keySha256: keyOf(nodeId), why })
const said = (answer: Answer) =>
  answer.kind === 'ask' ? answer.givers.map(({ nodeId }) => nodeId).sort() : answer.kind

describe('of a zone where nobody has it', () => {
  test('one fetches it, and the others wait for that one as long as it comes further', () => {
    const { answer, clock, exchange } = farm()
    expect([answer('n1'), answer('n2'), answer('n3')]).toEqual(['fetch', 'wait', 'wait'])
    clock.nowMs = 29_000
    exchange.fetching('n1', MANIFEST, 1000)
    clock.nowMs = 58_000
    expect(answer('n2')).toBe('wait')
    exchange.fetching('n1', MANIFEST, 1000)
    clock.nowMs = 60_000
    expect([answer('n2'), answer('n3')]).toEqual(['fetch', 'wait'])
  })

  test('another one fetches it when that one goes away', () => {
    const { answer, away } = farm()
    expect([answer('n1'), answer('n2')]).toEqual(['fetch', 'wait'])
    away.add('n1')
    expect(answer('n2')).toBe('fetch')
  })

  test('each zone and each release has a first one', () => {
    const { answer } = farm()
    expect([answer('n1'), answer('s1'), answer('n2', [], OTHER)]).toEqual([
      ...['fetch', 'fetch', 'fetch'],
    ])
  })

  test('nobody is named for having it who gives nothing', () => {
    const { answer, exchange } = farm()
    answer('n1')
    exchange.holds('n1', MANIFEST, [])
    expect(answer('n2')).toBe('fetch')
  })

  test('the first one takes it from another zone where that is allowed, and waits for it', () => {
    const { answer, exchange, gives } = farm({ acrossZones: true })
    gives('n1', [])
    expect([answer('n1'), answer('s1'), answer('s2')]).toEqual(['fetch', 'wait', 'wait'])
    exchange.holds('n1', MANIFEST, [])
    expect([answer('s1'), answer('s2')]).toEqual([['n1'], 'wait'])
    expect(answer('n2')).toEqual(['n1'])
  })
})

describe('who has it', () => {
  test('is named to so many at once, and to the next when one of them is through', () => {
    const { answer, exchange, gives } = farm({ atOnce: 2 })
    gives('n1')
    expect([answer('n2'), answer('n3'), answer('n4')]).toEqual([['n1'], ['n1'], 'wait'])
    exchange.holds('n2', MANIFEST, [])
    expect(answer('n4')).toEqual(['n1'])
  })

  test('is named to the next when one of them says nothing more', () => {
    const { answer, clock, gives } = farm({ atOnce: 1 })
    gives('n1')
    expect([answer('n2'), answer('n3')]).toEqual([['n1'], 'wait'])
    clock.nowMs = 61_000
    expect(answer('n3')).toEqual(['n1'])
  })

  test('is named with three others at most, never to itself', () => {
    const { answer, gives } = farm()
    for (const id of ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']) gives(id)
    expect(answer('n7')).toHaveLength(4)
    expect(answer('n1')).not.toContain('n1')
  })

  test.each([
    ['is away', ({ away }: ReturnType<typeof farm>) => away.add('n1')],
    ['is not trusted', ({ distrusted }: ReturnType<typeof farm>) => distrusted.add('n1')],
    ['is gone', ({ exchange }: ReturnType<typeof farm>) => exchange.forget('n1')],
    ['gives no more', ({ exchange }: ReturnType<typeof farm>) => exchange.gives('n1', null)],
    ['has it no more', ({ gives }: ReturnType<typeof farm>) => gives('n1', [OTHER])],
    [
      'stands in another zone',
      ({ gives }: ReturnType<typeof farm>) => gives('n1', [MANIFEST], 's'),
    ],
  ])('is not named when it %s', (_, change) => {
    const one = farm()
    one.gives('n1')
    expect(one.answer('n2')).toEqual(['n1'])
    change(one)
    expect(one.answer('n3')).not.toEqual(['n1'])
  })

  test('is named with the key of the certificate that it shows now', () => {
    const { exchange, gives } = farm()
    gives('n1')
    exchange.spoke('n1', { zone: 'n', keySha256: 'renewed' })
    const question = { nodeId: 'n2', zone: 'n', manifestSha256: MANIFEST, failed: [] }
    const { answer } = exchange.ask(question, { acrossZones: false, atOnce: 2 })
    expect(answer).toMatchObject({ givers: [{ nodeId: 'n1', keySha256: 'renewed' }] })
    expect(exchange.giverOf('n1')).toMatchObject({ holds: 1, takers: 1 })
  })
})

describe('a failure', () => {
  test('of one has the next one named, to that node', () => {
    const { answer, gives } = farm()
    gives('n1')
    answer('n3')
    gives('n2')
    expect(answer('n3', [failure('n1', 'missing')])).toEqual(['n2'])
  })

  test('rests who was not reached for half a minute', () => {
    const { answer, clock, gives } = farm()
    gives('n1')
    gives('n2')
    answer('n3')
    answer('n3', [failure('n1', 'unreached')])
    expect(answer('n4')).toEqual(['n2'])
    clock.nowMs = 31_000
    expect(answer('n5')).toContain('n1')
  })

  test('for being busy is none', () => {
    const { answer, gives } = farm()
    gives('n1')
    for (let i = 0; i < 5; i++) expect(answer('n2', [failure('n1', 'busy')])).toEqual(['n1'])
  })

  test('for the third time in a row has the node fetch for itself; one that came further begins anew', () => {
    const { answer, exchange, gives } = farm()
    for (let i = 1; i <= 9; i++) gives(`n${i}`)
    const fail = (node: string) => {
      const named = answer(node)
      if (typeof named === 'string') return named
      return answer(
        node,
        named.map((id) => failure(id, 'missing')),
      )
    }
    expect([fail('na'), fail('na')].every(Array.isArray)).toBe(true)
    expect(fail('na')).toBe('fetch')
    for (let i = 1; i <= 9; i++) gives(`n${i}`)
    fail('nb')
    exchange.fetching('nb', MANIFEST, 5)
    fail('nb')
    expect(answer('nb')).not.toBe('fetch')
  })

  test('of wrong bytes is told of those alone that the node was named', () => {
    const { answer, gives, wrong } = farm()
    gives('n1')
    gives('s1')
    answer('n2')
    const lies = [
      failure('n1', 'wrongBytes'),
      failure('s1', 'wrongBytes'),
      failure('x', 'wrongBytes'),
    ]
    expect(wrong('n2', lies)).toEqual(['n1'])
    expect(wrong('n3', lies)).toEqual([])
  })

  test('of wrong bytes may come with the word that the tree stands', () => {
    const { answer, exchange, gives } = farm()
    gives('n1')
    answer('n2')
    expect(exchange.holds('n2', MANIFEST, [failure('n1', 'wrongBytes')])).toEqual(['n1'])
    expect(exchange.holds('n2', MANIFEST, [failure('n1', 'wrongBytes')])).toEqual([])
  })
})

test('a node is told to wait for longer, the more wait', () => {
  const { exchange } = farm()
  const waits = Array.from({ length: 3001 }, (_, i) => {
    const question = { nodeId: `n${i}`, zone: 'n', manifestSha256: MANIFEST, failed: [] }
    const { answer } = exchange.ask(question, { acrossZones: false, atOnce: 4 })
    return answer.kind === 'wait' ? answer.waitMs : 0
  })
  expect([waits[1], waits[1001], waits.at(-1)]).toEqual([1_000, 10_000, 20_000])
})

test('it is counted who gives, takes, waits and fetches, of the nodes that are asked for', () => {
  const { answer, exchange, gives } = farm({ atOnce: 1 })
  for (const id of ['n2', 'n3', 's1', 's2']) answer(id)
  gives('n1')
  for (const id of ['n3', 'n4']) answer(id)
  expect(exchange.counts(() => true)).toEqual({ giving: 1, taking: 1, waiting: 2, fetching: 2 })
  expect(exchange.counts((id) => id.startsWith('s'))).toEqual({
    ...{ giving: 0, taking: 0, waiting: 1, fetching: 1 },
  })
})

// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import type { Alert, RolloutSummary } from '../../lib/api-types.ts'
import { happenings } from '../../lib/happened.ts'
import { fieldOf, momentOf } from '../../lib/moments.ts'
import { rollout } from '../../test/samples.ts'
import { isAboutSets, nothingWords, versionsIn } from './happened.ts'
import { parseMeasurementsSearch } from './search.ts'
import { kindOf, setsIn, together } from './sets.ts'

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const span = { from: 1000, to: 2000 }

const rolled = (change: Partial<RolloutSummary>): RolloutSummary => ({
  ...rollout(),
  ...{ id: 'r1', config: 'site', version: 8, previousVersion: 7, state: 'succeeded' },
  ...{ startedAt: iso(1100), endedAt: iso(1200) },
  ...change,
})
const alert = {
  ...{ id: 'a1', ruleName: 'Slow', subject: { kind: 'node', id: 'n', name: 'edge-1' } },
  ...{ firingSince: iso(1150), resolvedAt: iso(2100) },
} as Alert

describe('sets in an address', () => {
  test.each([
    ['farm;group:web;farm', ['farm', 'group:web']],
    ['nodes:rack="a;b";node:x', ['nodes:rack="a;b"', 'node:x']],
    [' ; ', []],
    ['a;b;c;d;e;f;g;h', ['a', 'b', 'c', 'd', 'e', 'f']],
  ])('%s', (of, expected) => {
    expect(setsIn(of)).toEqual(expected)
    expect(setsIn(together(expected))).toEqual(expected)
  })

  test('have a kind and a name', () => {
    expect(kindOf('version:site/7')).toEqual({ kind: 'version', what: 'site/7' })
    expect(kindOf('farm')).toEqual({ kind: 'farm', what: '' })
    expect(kindOf('what:ever').kind).toBe('farm')
  })
})

test.each([
  [{ of: 'group:web', topic: 'cache', scale: 'linear', range: '24h' }, null],
  [{ from: 1000, to: 1000.5, range: '1h' }, { range: '1h' }],
  [
    { from: 1000, to: 2000, range: '1h' },
    { from: 1000, to: 2000 },
  ],
  [{ from: '1000', to: 2000, topic: 'nothing', of: 7, range: '3h' }, {}],
])('an address %j is read as what it can mean', (search, expected) => {
  expect(parseMeasurementsSearch(search)).toEqual(expected ?? search)
})

test('what a field for a moment says is that moment', () => {
  expect(momentOf(fieldOf(1_790_000_000))).toBe(1_790_000_000)
  expect(momentOf('')).toBeNull()
})

describe('what happened', () => {
  const happened = { rollouts: [rolled({})], alerts: [alert] }

  test('is marked where it began and ended, as far as that was in the time', () => {
    expect(happenings(happened, span, { rollout: isAboutSets(['farm']) })).toMatchObject([
      { atSeconds: 1200, text: 'Rollout of site version 8 succeeded', kind: 'rollout' },
      { atSeconds: 1150, text: 'Slow: edge-1 fired', kind: 'alert', isOver: true },
      { atSeconds: 1100, text: 'Rollout of site version 8 started' },
    ])
  })

  test('to other configs is not marked beside a version’s measurements', () => {
    const of = (...sets: string[]) =>
      happenings(happened, span, { rollout: isAboutSets(sets), alert: () => false })
    expect(of('version:other/1')).toEqual([])
    expect(of('version:site/1')).toHaveLength(2)
    expect(of('version:other/1', 'farm')).toHaveLength(2)
  })

  test('tells which versions were run in the time', () => {
    const rollouts = [
      rolled({ version: 9, previousVersion: 8, startedAt: iso(1500) }),
      rolled({ version: 8, previousVersion: 7, startedAt: iso(900) }),
      rolled({ version: 7, previousVersion: 6, startedAt: iso(800) }),
      rolled({ config: 'other', version: 2, previousVersion: null, startedAt: iso(2500) }),
    ]
    expect(versionsIn({ rollouts }, span)).toEqual(['version:site/9', 'version:site/8'])
  })

  test.each([
    [true, true, 'No rollout began or ended, and no alert fired.'],
    [true, false, 'No rollout began or ended. You may not see alerts.'],
    [false, true, 'No alert fired. You may not see rollouts.'],
    [false, false, 'You may not see rollouts or alerts.'],
  ])('is said to be nothing only of what may be seen: %s, %s', (rollouts, alerts, words) => {
    expect(nothingWords({ rollouts, alerts })).toBe(words)
  })
})

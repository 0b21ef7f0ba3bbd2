// SPDX-License-Identifier: MIT
// What a game day comes to in numbers, and its page: nothing that a log or a server said becomes markup.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { byKind, overTime, quantile, summarise } from '../../e2e/gameday/figures.ts'
import { pageOf } from '../../e2e/gameday/page.ts'

const second = (asked: number, right: number, ...latenciesMs: number[]) => ({
  ...{ asked, right, retried: 0, latenciesMs },
})
const deed = (kind: string, recoveredAfterMs: number | null) => ({
  ...{ kind, lane: 'deed' as const, from: 1, to: 2, about: 'edge-1', recoveredAfterMs },
})

describe('the figures of a game day', () => {
  it('ranks by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i)
    assert.equal(quantile(values, 0.5), 50)
    assert.equal(quantile(values, 0.99), 99)
    assert.equal(quantile(values, 1), 100)
    assert.equal(quantile([], 0.5), null)
  })

  it('counts what was asked, and what was right', () => {
    const looks = [
      { at: 0, afterMs: 5 },
      { at: 1, afterMs: null },
    ]
    const sum = summarise([second(3, 2, 1, 2, 900), second(1, 1, 3)], looks)
    assert.equal(sum.availability, 0.75)
    assert.equal(sum.p99Ms, 900)
    assert.equal(sum.lookP99Ms, 5)
    assert.equal(sum.looks, 2)
  })

  it('leaves a time when nobody asked without availability', () => {
    const points = overTime([second(0, 0), second(2, 1, 4, 8)], 1)
    assert.deepEqual(
      points.map(({ availability }) => availability),
      [null, 0.5],
    )
  })

  it('tells what never recovered apart from what did', () => {
    const [row] = byKind([deed('disk full', 400), deed('disk full', null), deed('disk full', 200)])
    assert.equal(row?.times, 3)
    assert.equal(row?.slowestMs, 400)
    assert.equal(row?.unrecovered, 1)
  })
})

describe('the page of a game day', () => {
  const story = {
    ...{ seed: 1, minutes: 1, realNodes: 2, simulatedNodes: 0, perSecond: 1, load: null },
    seconds: [second(1, 0, 7)],
    troubles: [{ atSecond: 0, sentence: '<script>alert(1)</script>' }],
    done: [deed('node killed', 300), deed('<b>', null)],
    looks: [{ at: 0, afterMs: 2 }],
    promises: [
      { what: 'nothing is lost', broken: null },
      { what: 'all answered', broken: '1 was not & said "no"' },
    ],
    again: 'npm run gameday -- --seed 1',
  }

  it('says first whether promises were broken', () => {
    assert.match(pageOf(story), /<h1>1 of 2 promises was broken<\/h1>/)
    assert.match(pageOf({ ...story, promises: [] }), /<h1>All promises were kept<\/h1>/)
  })

  it('has no markup but its own', () => {
    const page = pageOf(story)
    assert.ok(!page.includes('<script'))
    assert.ok(page.includes('&#60;script&#62;'))
    assert.ok(page.includes('&#38; said &#34;no&#34;'))
  })
})

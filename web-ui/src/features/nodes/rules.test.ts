// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { parseOverride } from '../../lib/merge-patch.ts'
import { node } from '../../test/samples.ts'
import { parseFarmSearch } from './farm-search.ts'
import { canWriteLabels, labelsText, parseLabels } from './labels.ts'
import { nameTrouble } from './node-name.ts'
import { digestsToShow, errorRatio, whyNoLatency } from './rules.ts'

describe('digestsToShow', () => {
  const { sync } = node()
  const other = { generation: 4, digest: `sha256:${'b'.repeat(64)}`, version: null }

  test('is one line while all three agree', () => {
    expect(digestsToShow(sync).map((one) => one.name)).toEqual(['effective'])
  })
  test.each([
    ['effective differs', { ...sync, effective: other }],
    ['acknowledged differs', { ...sync, acknowledged: other }],
    ['nothing runs yet', { ...sync, effective: null }],
    ['nothing is assigned', { ...sync, desired: null }],
  ])('is all three when %s', (_when, changed) => {
    expect(digestsToShow(changed)).toHaveLength(3)
  })
})

test('no requests have no share of errors, not one of 0 %', () => {
  const { latency } = node()
  expect(errorRatio({ latency: { ...latency, requests: 0, errorRatio: 0 } })).toBeNull()
  expect(errorRatio({ latency: { ...latency, requests: 9, errorRatio: 0 } })).toBe(0)
})

describe('whyNoLatency', () => {
  const { latency } = node()
  const none = { ...latency, p99Seconds: null, requests: 0 }
  test('a number has no reason', () => expect(whyNoLatency(node())).toBeNull())
  test('no requests is not no contact', () => {
    expect(whyNoLatency(node({ latency: none }))).toBe('no requests')
    expect(whyNoLatency(node({ latency: none, connected: false }))).toBe('not connected')
  })
})

describe('parseLabels', () => {
  test('reads pairs, by spaces or commas', () => {
    expect(parseLabels(' rack=b2, site=fra ')).toEqual({
      ok: true,
      labels: { rack: 'b2', site: 'fra' },
    })
  })
  test('keeps an equals sign in the value', () => {
    expect(parseLabels('note=a=b')).toEqual({ ok: true, labels: { note: 'a=b' } })
  })
  test('are written as they are read, if they can be', () => {
    expect(labelsText({ rack: 'b2', site: 'fra' })).toBe('rack=b2 site=fra')
    expect(canWriteLabels({ rack: 'b2' })).toBe(true)
    expect(canWriteLabels({ note: 'two words' })).toBe(false)
  })
  test('are 32 at most', () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=v`).join(' ')
    expect(parseLabels(words(32)).ok).toBe(true)
    expect(parseLabels(words(33)).ok).toBe(false)
  })
  test.each(['rack', '=b2', 'Rack=b2', `a=${'x'.repeat(129)}`])('refuses "%s"', (text) => {
    expect(parseLabels(text).ok).toBe(false)
  })
})

test.each(['edge-1', 'a', '0.fra.example', 'a'.repeat(63)])('"%s" is a name', (name) => {
  expect(nameTrouble(name)).toBeNull()
})
test.each(['', 'Edge', '-a', 'a-', 'a b', 'a_b', 'a'.repeat(64)])('"%s" is no name', (name) => {
  expect(nameTrouble(name)).not.toBeNull()
})

test('an override is an object', () => {
  expect(parseOverride('{"workers": 2}')).toEqual({ ok: true, mergePatch: { workers: 2 } })
  for (const text of ['[]', 'null', '3', '{']) expect(parseOverride(text).ok).toBe(false)
})

test('an address from elsewhere holds only what is known', () => {
  const search = { q: 7, state: 'gone', sort: 'name', desc: true, other: 1 }
  expect(parseFarmSearch(search)).toEqual({ q: '7', sort: 'name', desc: true })
})

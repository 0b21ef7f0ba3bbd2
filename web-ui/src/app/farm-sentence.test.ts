// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { Node, SyncState } from '../lib/api-types.ts'
import { node, rollout, task } from '../test/samples.ts'
import { farmSentence } from './farm-sentence.ts'

const now = Date.parse('2026-11-21T09:00:00Z')
const inState = (name: string, state: SyncState, lastSeenAt: string | null = null): Node => {
  const one = node({ id: name, name, lastSeenAt })
  return { ...one, sync: { ...one.sync, state } }
}
const said = (...args: Parameters<typeof farmSentence>) =>
  farmSentence(...args)
    .map((clause) => clause.map((part) => part.text).join(', '))
    .join('; ')

test('an empty farm says so', () => {
  expect(said([], [], now)).toBe('no node enrolled; no rollout running')
})

test('nodes are counted by state, worst not hidden', () => {
  const nodes = [inState('a', 'in-sync'), inState('b', 'in-sync'), inState('c', 'out-of-sync')]
  expect(said(nodes, [], now)).toBe('3 nodes, 2 in sync, 1 out of sync; no rollout running')
})

test('a rollout under way is named with its progress; one that ended is not', () => {
  const tasks = [task({ state: 'done' }), task({ state: 'applying' }), task({ state: 'pending' })]
  const rollouts = [rollout({ tasks }), rollout({ id: 'old', state: 'succeeded' })]
  expect(said([inState('a', 'applying')], rollouts, now)).toBe(
    '1 node, 1 applying; rollout of default v2 running, 1 of 3 nodes done',
  )
})

test('rollouts that wait are named while they are few, without progress, then counted', () => {
  const wait = (id: string) => rollout({ id, state: 'awaiting_approval' })
  expect(said([], [wait('a')], now)).toBe(
    'no node enrolled; rollout of default v2 awaiting approval',
  )
  expect(said([], [rollout(), ...['a', 'b', 'c'].map(wait)], now)).toMatch(
    /rollout of default v2 running, 0 of 1 node done, 3 rollouts waiting$/,
  )
})

test('a silent node is named, with for how long', () => {
  const silent = inState('edge-7', 'unknown', '2026-11-21T08:56:00Z')
  expect(said([silent], [], now)).toBe('1 node; no rollout running; edge-7 silent for 4 min')
})

test('many silent nodes are counted', () => {
  const nodes = ['a', 'b', 'c'].map((name) => inState(name, 'unknown'))
  expect(said(nodes, [], now)).toContain('3 nodes silent')
})

test('a farm on two versions says so, until it is one or a rollout brings the other', () => {
  const on = (name: string, number: number): Node => {
    const one = inState(name, 'in-sync')
    const effective = { ...one.sync.effective, version: { config: 'default', number } }
    return { ...one, sync: { ...one.sync, effective } } as Node
  }
  const mixed = [on('a', 1), on('b', 2), on('c', 2)]
  expect(said(mixed, [rollout({ state: 'frozen' })], now)).toBe(
    '3 nodes, 3 in sync; default on two versions (v1, v2); no rollout running',
  )
  expect(said(mixed, [rollout()], now)).not.toContain('two versions')
  expect(said([on('a', 2), on('b', 2)], [], now)).not.toContain('versions')
  expect(said([...mixed, on('d', 3)], [], now)).toContain('default on 3 versions')
})

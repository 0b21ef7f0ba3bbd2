// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { FarmSummary } from '../lib/api-types.ts'
import { farmSummary } from '../test/samples.ts'
import { farmSentence } from './farm-sentence.ts'

const now = Date.parse('2026-11-21T09:00:00Z')
const said = (change: Partial<FarmSummary>) =>
  farmSentence(farmSummary(change), now)
    .map((clause) => clause.map((part) => part.text).join(', '))
    .join('; ')
const nodes = (
  byState: Partial<FarmSummary['nodes']['byState']>,
  silent: FarmSummary['nodes']['silent'] = [],
): Pick<FarmSummary, 'nodes'> => {
  const none = { 'in-sync': 0, applying: 0, 'out-of-sync': 0, drift: 0, unknown: 0, waiting: 0 }
  const all = { ...none, ...byState }
  return {
    nodes: {
      total: Object.values(all).reduce((a, b) => a + b, 0),
      byState: all,
      cordoned: 0,
      silent,
    },
  }
}
type Named = NonNullable<FarmSummary['rollouts']>['named'][number]
const named = (change: Partial<Named> = {}): Named => ({
  ...{
    id: 'rollout_1',
    config: 'default',
    version: 2,
    state: 'running',
    totalNodes: 1,
    doneNodes: 0,
  },
  ...change,
})

test('an empty farm says so', () => {
  expect(said(nodes({}))).toBe('no node enrolled; no rollout running')
})

test('nodes are counted by state, worst not hidden', () => {
  expect(said(nodes({ 'in-sync': 2, 'out-of-sync': 1 }))).toBe(
    '3 nodes, 2 in sync, 1 out of sync; no rollout running',
  )
})

test('a rollout under way is named with its progress', () => {
  const rollouts = { underWay: 1, waiting: 0, named: [named({ totalNodes: 3, doneNodes: 1 })] }
  expect(said({ ...nodes({ applying: 1 }), rollouts })).toBe(
    '1 node, 1 applying; rollout of default v2 running, 1 of 3 nodes done',
  )
})

test('rollouts that wait are named while they are few, without progress, then counted', () => {
  const waits = named({ id: 'rollout_2', state: 'awaiting_approval' })
  expect(said({ ...nodes({}), rollouts: { underWay: 0, waiting: 1, named: [waits] } })).toBe(
    'no node enrolled; rollout of default v2 awaiting approval',
  )
  const rollouts = { underWay: 1, waiting: 3, named: [named(), waits, waits, waits] }
  expect(said({ ...nodes({}), rollouts })).toMatch(
    /rollout of default v2 running, 0 of 1 node done, 3 rollouts waiting$/,
  )
})

test('nothing is said of rollouts to who may not read them', () => {
  expect(said({ ...nodes({ 'in-sync': 1 }), rollouts: null })).toBe('1 node, 1 in sync')
})

test('a silent node is named, with for how long', () => {
  const silent = [{ id: 'n', name: 'edge-7', lastSeenAt: '2026-11-21T08:56:00Z' }]
  expect(said(nodes({ unknown: 1 }, silent))).toBe(
    '1 node; no rollout running; edge-7 silent for 4 min',
  )
})

test('many silent nodes are counted', () => {
  const silent = ['a', 'b', 'c'].map((name) => ({ id: name, name, lastSeenAt: null }))
  expect(said(nodes({ unknown: 4000 }, silent))).toContain('; 4,000 nodes silent')
})

test('counts of a large farm are written as elsewhere', () => {
  const rollouts = { underWay: 1200, waiting: 0, named: [named(), named(), named()] }
  expect(said({ ...nodes({ 'in-sync': 8999, drift: 1001 }), rollouts })).toBe(
    '10,000 nodes, 8,999 in sync, 1,001 drifted; 1,200 rollouts under way',
  )
})

test('a farm on several versions says so', () => {
  const mixed = (versions: number[], more = 0) => ({
    ...nodes({ 'in-sync': 3 }),
    mixed: [{ config: 'default', versions, more }],
  })
  expect(said(mixed([1, 2]))).toBe(
    '3 nodes, 3 in sync; default on two versions (v1, v2); no rollout running',
  )
  expect(said(mixed([1, 2, 3]))).toContain('default on 3 versions (v1, v2, v3)')
  expect(said(mixed([1, 2, 3], 4))).toContain('default on 7 versions (v1, v2, v3, …)')
})

// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { rollout, task, wave } from '../../test/samples.ts'
import { consequenceOf, recommended } from './next-steps.ts'

const begun = rollout({
  ...{ version: 3, previousVersion: 2, totalNodes: 4 },
  tasks: [task({ state: 'healthy' }), task({ state: 'pending' })],
  waves: [wave({ nodes: 1 }), wave({ index: 1, nodes: 3 })],
})

const filesFirst = {
  ...{ isOver: false, heldNodes: 1, waitingNodes: 2, refusedNodes: 12, otherNodes: 1 },
  refusals: [{ nodeId: 'node_1', nodeName: 'edge-1', code: 'resource_limit', message: 'no room' }],
}
const forFiles = { ...begun, phase: 'files' as const, filesFirst }

const release = (name: string, number: number, before: number | null) => ({
  ...{ name, number, manifest: 'a'.repeat(64), changes: null },
  before: before === null ? null : { number: before, manifest: 'b'.repeat(64) },
})
const onlyFiles = { ...begun, version: 2, releases: [release('www', 41, 40)] }
const both = { ...begun, releases: [release('www', 41, 40), release('shop', 7, 7)] }
const firstFiles = { ...onlyFiles, releases: [release('www', 1, null)] }
const manyFiles = {
  ...onlyFiles,
  releases: ['a', 'b', 'c', 'd'].map((name) => release(name, 2, 1)),
}

describe('what follows from', () => {
  test.each([
    ['pause', begun, /No further node gets v3/],
    ['revert', begun, '1 node gets v2 again; the others never had v3.'],
    ['revert', rollout({ tasks: [task({ state: 'pending' })] }), /only ends/],
    ['revert', { ...begun, previousVersion: null }, /1 node gets what they had again/],
    ['revert', onlyFiles, '1 node gets www v40 again; the others never had www v41.'],
    ['pause', onlyFiles, /No further node gets www v41;/],
    ['freeze', onlyFiles, /1 node keeps www v41/],
    ['revert', both, '1 node gets v2 with www v40 again; the others never had v3 with www v41.'],
    ['revert', firstFiles, '1 node gets what they had again; the others never had www v1.'],
    ['revert', manyFiles, /gets a v1, b v1, c v1 and 1 more release again/],
    ['freeze', begun, /1 node keeps v3, 3 what they had/],
    ['skip-gate', begun, /v3 goes to 3 more nodes now/],
    ['skip-gate', { ...begun, wave: 1 }, /ends as succeeded/],
    [
      'skip-gate',
      forFiles,
      'v3 goes to the first 1 node now, though 2 nodes lack its files. You say why.',
    ],
    ['resume', { ...begun, reasonCode: 'gate_no_data' as const }, /watched anew/],
    ['resume', { ...begun, reasonCode: 'nodes_failed' as const }, /without the nodes that failed/],
    ['resume', { ...begun, reasonCode: 'manual' as const }, /wave 1 of 2/],
    ['approve', { ...begun, approvalsNeeded: 3 }, /2 more people must agree/],
    ['approve', { ...begun, approvalsNeeded: 1 }, 'It begins at once.'],
  ] as const)('%s is said', (action, of, words) => {
    expect(consequenceOf(action, of)).toMatch(words)
  })
})

test('nothing is recommended where it goes on by itself', () => {
  expect(recommended({ reasonCode: 'soaking' })).toBeNull()
  expect(recommended({ reasonCode: 'nodes_late' })).toBeNull()
  expect(recommended({ reasonCode: 'gate_failed' })).toBe('revert')
})

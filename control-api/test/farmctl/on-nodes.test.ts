// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { onNodesSentence, onNodesText } from '../../src/farmctl/releases/on-nodes.ts'

type OnNodes = Parameters<typeof onNodesText>[0]
const of = (change: Partial<OnNodes>): OnNodes => ({
  ...{ servedByNodes: 0, keptByNodes: 0, requests: 0, lastRequestAt: null, quietSeconds: null },
  ...{ uncountedNodes: 0, isSafeToDrop: false, ...change },
})

test.each<[Partial<OnNodes>, string, string]>([
  [{}, '', 'kept by no node.'],
  [
    { keptByNodes: 20, quietSeconds: 48 * 3600, isSafeToDrop: true },
    'kept by 20: 0 requests',
    'kept by 20 nodes, 0 requests in 48 h; safe to drop.',
  ],
  [
    { servedByNodes: 3, keptByNodes: 1, requests: 9, quietSeconds: 7200, uncountedNodes: 1 },
    'served by 3, kept by 1: 9 requests',
    'served by 3 nodes; kept by 1 node, 0 requests in 2 h, 9 before; not known of 1 node.',
  ],
  [
    { keptByNodes: 1, requests: 2, quietSeconds: 30 },
    'kept by 1: 2 requests',
    'kept by 1 node, 0 requests in 0 min, 2 before.',
  ],
])('%j is told', (said, column, sentence) => {
  expect(onNodesText(of(said))).toBe(column)
  expect(onNodesSentence(of(said))).toBe(sentence)
})

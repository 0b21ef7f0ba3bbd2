// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/seeded-random.ts'
import { KeptNodes } from '../../../src/features/nodes/kept-nodes.ts'

test('nodes are in the order of their names whatever comes, goes and is renamed', () => {
  const random = seededRandom(7)
  const below = (most: number) => Math.floor(random() * most)
  const kept = new KeptNodes<{ id: string; name: string }>()
  const expected = new Map<string, string>()
  for (let i = 0; i < 3000; i++) {
    const [id, name] = [`node_${below(60)}`, `edge-${below(40)}`]
    if (below(4) === 0) {
      kept.delete(id)
      expected.delete(id)
    } else {
      kept.set({ id, name })
      expected.set(id, name)
    }
    const names = kept.inOrder.map((one) => one.name)
    expect(names).toEqual([...expected.values()].sort())
    expect(new Map(kept.inOrder.map((one) => [one.id, one.name]))).toEqual(expected)
  }
  kept.clear()
  kept.set({ id: 'node_1', name: 'edge-1' })
  expect(kept.inOrder).toEqual([{ id: 'node_1', name: 'edge-1' }])
})

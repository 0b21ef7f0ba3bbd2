// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { plan } from '../../test/samples.ts'
import { blastRadius, consequence } from './plan-rules.ts'

/** Of three nodes, one of which runs another version by now. */
const ofOne = {
  ...plan(),
  nodes: { ...plan().nodes, total: 3 },
  ...{ changingNodes: 1, waves: 3, waveNodes: [1, 0, 0] },
  policy: { ...plan().policy, maxParallel: 1 },
}

describe('waves in which no node changes', () => {
  test('are not told of as further ones', () => {
    expect(consequence(ofOne)).toMatch(/^v\d+ goes to 1 node, which is watched for/)
    expect(blastRadius(ofOne)).toBe('at most 1 node (33 %) between two configs at once')
  })
  test('those that have nodes are', () => {
    const ofTwo = { ...ofOne, changingNodes: 2, waveNodes: [1, 0, 1] }
    expect(consequence(ofTwo)).toMatch(
      /goes to 1 node of 2 first, then to the others in 1 further wave;/,
    )
    expect(blastRadius(ofTwo)).toMatch(/^2 waves, /)
  })
})

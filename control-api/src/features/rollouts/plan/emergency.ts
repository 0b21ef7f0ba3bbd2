// SPDX-License-Identifier: MIT
// How an emergency goes: at once, but one node first, not all in parallel, and back when it does harm.
// What would only make it pause for somebody to look is left out: somebody looks already. Pure.
import type { Strategy, WaveSize } from '../shapes/schema.ts'
import { DEFAULT_GATES } from './strategy.ts'

const ONE: WaveSize = { nodes: 1 }

export function emergencyStrategy({ atOnce: _, ...strategy }: Strategy = {}): Strategy {
  const { waves = [{ percent: 100 }], gates = DEFAULT_GATES } = strategy
  const [first] = waves
  const beginsWithOne = first !== undefined && 'nodes' in first && first.nodes === 1
  return {
    filesFirst: false,
    ...strategy,
    waves: beginsWithOne ? waves : [ONE, ...waves],
    gates: gates.filter(({ onFail }) => onFail !== 'pause'),
  }
}

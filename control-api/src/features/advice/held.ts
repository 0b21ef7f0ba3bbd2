// SPDX-License-Identifier: MIT
// A rule near its bounds speaks and is silent by turns. What somebody was shown holds for some minutes more, so that it can be read
// and tried: unless the node was given another config meanwhile, for then it was about another one. A start forgets it.
import type { Advice, ShownAdvice } from './schema.ts'

export const HELD_MS = 5 * 60_000
/** Of these last asked about. */
const NODES_MAX = 1_000

type Shown = { generation: number | null; given: { advice: Advice; lastSoMs: number }[] }

export type HoldDeps = {
  now: () => number
  /** The config that the node was given last; null: none. */
  generationOf: (nodeId: string) => Promise<number | null>
  nodesMax?: number
}

export function holdAdvice({ now, generationOf, nodesMax = NODES_MAX }: HoldDeps) {
  const shown = new Map<string, Shown>()
  /** What is shown of a node of which this is so now. */
  return async (nodeId: string, advice: readonly Advice[]): Promise<ShownAdvice[]> => {
    if (advice.length === 0 && !shown.has(nodeId)) return []
    const generation = await generationOf(nodeId)
    const nowMs = now()
    const before = shown.get(nodeId)
    const isHeld = (one: Shown['given'][number]) =>
      nowMs - one.lastSoMs < HELD_MS && advice.every(({ rule }) => rule !== one.advice.rule)
    const held = before?.generation === generation ? before.given.filter(isHeld) : []
    const given = [...advice.map((one) => ({ advice: one, lastSoMs: nowMs })), ...held]
    shown.delete(nodeId)
    if (given.length > 0) shown.set(nodeId, { generation, given })
    for (const oldest of shown.keys()) {
      if (shown.size <= nodesMax) break
      shown.delete(oldest)
    }
    return [
      ...advice.map((one) => ({ ...one, lastSoAt: null })),
      ...held.map(({ advice: one, lastSoMs }) => ({
        ...one,
        lastSoAt: new Date(lastSoMs).toISOString(),
      })),
    ]
  }
}

// SPDX-License-Identifier: MIT
// What a node said, in the words of the reducer. Pure.
import type { AgentEvent } from '../../ports.ts'
import type { RolloutEvent } from './model.ts'

/** What concerns every rollout the node has to do with. */
export function toNodeEvent(event: AgentEvent): RolloutEvent | null {
  const { nodeId } = event
  switch (event.kind) {
    case 'connected':
    case 'disconnected':
    case 'decommissioned':
      return { kind: event.kind, nodeId }
    case 'hello':
      return event.isRestart ? { kind: 'restarted', nodeId } : null
    default:
      return null
  }
}

export function toRolloutEvent(
  event: AgentEvent,
): { rolloutId: string; event: RolloutEvent } | null {
  if (!('rolloutId' in event) || event.rolloutId === null) return null
  const { rolloutId, nodeId, generation } = event
  switch (event.kind) {
    case 'acked':
    case 'confirmed':
      return { rolloutId, event: { kind: event.kind, nodeId, generation } }
    case 'nacked': {
      const { code, message, errors } = event
      return { rolloutId, event: { kind: 'nacked', nodeId, generation, code, message, errors } }
    }
    case 'applied':
      return {
        rolloutId,
        event: { kind: 'applied', nodeId, generation, digest: event.effective?.digest ?? null },
      }
    case 'reverted':
    case 'stuck': {
      const { kind, reason, message } = event
      return { rolloutId, event: { kind, nodeId, generation, reason, message } }
    }
  }
}

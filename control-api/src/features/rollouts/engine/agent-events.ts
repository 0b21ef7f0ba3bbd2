// SPDX-License-Identifier: MIT
// What a node said, in the words of the reducer. Pure.
import type { Effective } from '../../../agent-protocol/messages.gen.ts'
import type { AgentEvent } from '../../../fleet/agent-ports.ts'
import type { RolloutEvent } from '../reducer/model.ts'

/** What concerns every rollout the node has to do with. */
export function toNodeEvents(event: AgentEvent): RolloutEvent[] {
  const { nodeId } = event
  switch (event.kind) {
    case 'connected':
    case 'disconnected':
      return [{ kind: event.kind, nodeId }]
    case 'hello':
      return [
        ...(event.isRestart ? [{ kind: 'restarted' as const, nodeId }] : []),
        ...drifted(nodeId, event.effective),
      ]
    case 'effective':
      return drifted(nodeId, event.effective)
    default:
      return []
  }
}

const drifted = (nodeId: string, effective: Effective | null): RolloutEvent[] =>
  effective?.source === 'local'
    ? [{ kind: 'drifted', nodeId, generation: null, digest: effective.digest }]
    : []

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
      if (code === 'local_change') {
        return { rolloutId, event: { kind: 'drifted', nodeId, generation, digest: null } }
      }
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

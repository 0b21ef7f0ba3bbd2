// SPDX-License-Identifier: MIT
// What a node is told of who looks at its requests: live, or by searches. Said whole each time, so that what is not
// named has ended.
import type {
  DesiredResponse,
  SamplesRequest,
  SamplesResponse,
} from '../agent-protocol/messages.gen.ts'
import type { RequestSearches } from './request-searches.ts'
import type { SampleWatches } from './sample-watches.ts'

export type RequestLooks = {
  /** null: the node is not to be told anything. Asked at every poll of every node. */
  take(nodeId: string): NonNullable<DesiredResponse['samples']> | null
  heard(nodeId: string, message: SamplesRequest, receivedAtMs: number): SamplesResponse
}

export function createRequestLooks(
  watches: SampleWatches,
  searches: RequestSearches,
): RequestLooks {
  const told = (nodeId: string, forMs: number): SamplesResponse => {
    const all = searches.of(nodeId)
    return { forMs, ...(all.length > 0 && { searches: all }) }
  }
  return {
    take(nodeId) {
      const watched = watches.take(nodeId)
      const isOwed = searches.takeOwed(nodeId)
      return watched || isOwed ? told(nodeId, watched?.forMs ?? watches.leftOf(nodeId)) : null
    },
    heard(nodeId, message, receivedAtMs) {
      searches.heard(nodeId, message, receivedAtMs)
      return told(nodeId, watches.heard(nodeId, message, receivedAtMs))
    },
  }
}

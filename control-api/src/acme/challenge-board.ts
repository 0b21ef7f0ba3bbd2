// SPDX-License-Identifier: MIT
// HTTP-01: the tokens that nodes answer for. The CA asks any node of a name, so each that serves it has the token, and has
// read it back from itself, before the CA is told. In memory: what is open is published again after a start.
import type { ChallengeSolver, LiveChallenge, Publication } from './challenges.ts'

type Deps = {
  /** Ids of the nodes that serve this host, whether they are connected or not. */
  nodesServing(host: string): Promise<readonly string[]>
  /** Something is to be fetched, or to be forgotten. */
  wake(nodeIds: readonly string[]): void
}
type Entry = { challenge: LiveChallenge; nodeIds: readonly string[]; confirmed: Set<string> }

const LOOK_AGAIN_MS = 2000

export function createChallengeBoard({ nodesServing, wake }: Deps) {
  const entries = new Map<string, Entry>()

  const solver: ChallengeSolver = {
    async publish(challenge): Promise<Publication> {
      const nodeIds = await nodesServing(challenge.host)
      const known = entries.get(challenge.token)
      const confirmed = known?.confirmed ?? new Set<string>()
      entries.set(challenge.token, { challenge, nodeIds, confirmed })
      const isNew = nodeIds.filter((id) => !known?.nodeIds.includes(id))
      if (isNew.length > 0) wake(isNew)
      const waitMs = LOOK_AGAIN_MS
      if (nodeIds.length === 0) {
        const reason = `No node serves ${challenge.host}: give it to a site, or prove it by DNS-01`
        return { ready: false, waitingFor: [], reason, waitMs }
      }
      const waitingFor = nodeIds.filter((id) => !confirmed.has(id))
      if (waitingFor.length === 0) return { ready: true }
      const reason = `Not every node that serves ${challenge.host} answers for its token`
      return { ready: false, waitingFor, reason, waitMs }
    },
    async cleanUp({ token }) {
      const entry = entries.get(token)
      entries.delete(token)
      if (entry) wake(entry.nodeIds)
    },
  }
  return {
    solver,
    /** What a node has to answer for. */
    liveFor: (nodeId: string): LiveChallenge[] =>
      [...entries.values()]
        .filter(({ nodeIds }) => nodeIds.includes(nodeId))
        .map(({ challenge }) => challenge),
    /** What the node read when it asked itself. Another text is no confirmation, and takes an earlier one back. */
    readBack(nodeId: string, token: string, text: string): void {
      const entry = entries.get(token)
      if (entry?.challenge.keyAuthorization === text) entry.confirmed.add(nodeId)
      else entry?.confirmed.delete(nodeId)
    },
  }
}

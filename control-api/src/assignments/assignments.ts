// SPDX-License-Identifier: MIT
// What each node was told to run: the only thing nodes obey. Generations per node only grow; going
// back to an old text is a new generation.
import { contentId } from '../agent-protocol/content.ts'
import type { CertificateVersion } from '../agent-protocol/messages.gen.ts'
import type { Unit } from '../audit/write.ts'
import { newId } from '../base/ids.ts'
import type { Identity } from '../control-plane/identity.ts'
import { InRecovery } from '../control-plane/recovery.ts'
import type { Trx } from '../db/database.ts'
import { fencesOf } from '../node-identity/store/said.ts'
import { DEADLINES, type Deadlines } from './deadlines.ts'
import { highestGeneration, insertAssignment, keepText, withdrawOffered } from './store.ts'

export type NewAssignment = {
  nodeId: string
  rolloutId: string | null
  config: string
  version: number
  /** What the node will read: the version with the node's merge patch laid over it. */
  text: string
  /** Of the text and its certificates: agent-protocol/content.ts. */
  digest: string
  /** Left out: `digest`, for no certificates go with it. */
  configDigest?: string
  certificates?: readonly CertificateVersion[]
  /** The group the text was made for. */
  group: string
  /** How long the node may take; left out: as long as usual. */
  within?: Deadlines
}
export type Assigned = { generation: number; offerId: string }
export type Assignments = {
  /** After a restore: nobody is given anything until somebody confirms that it is to go on. */
  isHeld(): boolean
  /** In the caller's transaction; the node is woken after its commit. */
  assign(unit: Unit, assignment: NewAssignment): Promise<Assigned>
  /** Takes back what the node has not answered: it keeps what it had, also when it returns much later. */
  withdraw(unit: Unit, offer: { nodeId: string; generation: number }): Promise<void>
}

type Deps = { identity: Identity; now: () => number; wake: (nodeId: string) => void }

export function createAssignments({ identity, now, wake }: Deps): Assignments {
  return {
    isHeld: () => identity.recovery !== null,

    async assign(unit, assignment) {
      const { nodeId, rolloutId, config, version, text, digest, group } = assignment
      const { configDigest = digest, certificates = [] } = assignment
      const { within = DEADLINES } = assignment
      if (identity.recovery) throw new InRecovery()
      const { trx } = unit
      const assigned = {
        generation: (await highestSpent(trx, nodeId)) + 1,
        offerId: newId('offer'),
      }
      const textId = contentId(text, certificates)
      await keepText(trx, { id: textId, text, certificates })
      await insertAssignment(trx, {
        node_id: nodeId,
        generation: assigned.generation,
        offer_id: assigned.offerId,
        epoch: identity.epoch,
        rollout_id: rolloutId,
        config,
        version,
        digest,
        config_digest: configDigest === digest ? null : configDigest,
        text_id: textId,
        group_name: group,
        state: 'offered',
        ack_ms: within.ackMs,
        apply_ms: within.applyMs,
        confirm_ms: within.confirmMs,
        created_at_ms: now(),
        updated_at_ms: now(),
      })
      await unit.emit({
        kind: 'node',
        id: nodeId,
        action: 'offered',
        data: {
          ...{ ...assigned, config, version, digest, rolloutId },
          ...(certificates.length > 0 && { certificates }),
        },
      })
      unit.afterCommit(() => wake(nodeId))
      return assigned
    },

    async withdraw(unit, offer) {
      const { nodeId, generation } = offer
      if (!(await withdrawOffered(unit.trx, offer, now()))) return
      await unit.emit({ kind: 'node', id: nodeId, action: 'withdrawn', data: { generation } })
    },
  }
}

/** Above everything we gave and everything the node obeyed, also from a control plane before us. */
async function highestSpent(trx: Trx, nodeId: string): Promise<number> {
  const { max_generation } = await fencesOf(trx, nodeId)
  return Math.max(max_generation, await highestGeneration(trx, nodeId))
}

// SPDX-License-Identifier: MIT
// What each node was told to run: the only thing nodes obey. Generations per node only grow; going
// back to an old text is a new generation.
import { contentId, type Parts } from '../agent-protocol/content.ts'
import type { CertificateVersion, ReleaseVersion } from '../agent-protocol/messages.gen.ts'
import type { Unit } from '../audit/write.ts'
import { newId } from '../base/ids.ts'
import type { Identity } from '../control-plane/identity.ts'
import { InRecovery } from '../control-plane/recovery.ts'
import type { Trx } from '../db/database.ts'
import { highestObeyed } from '../node-identity/store/said.ts'
import { DEADLINES, type Deadlines } from './deadlines.ts'
import {
  type Assignment,
  highestGenerations,
  insertAssignments,
  keepText,
  partsByText,
  withdrawOffered,
} from './store.ts'

export type NewAssignment = {
  nodeId: string
  rolloutId: string | null
  config: string
  version: number
  /** What the node will read: the version with the node's merge patch laid over it. */
  text: string
  /** Of the text and what goes with it: agent-protocol/content.ts. */
  digest: string
  /** Left out: `digest`, for nothing goes with it. */
  configDigest?: string
  certificates?: readonly CertificateVersion[]
  releases?: readonly ReleaseVersion[]
  /** The group the text was made for. */
  group: string
  /** How long the node may take; left out: as long as usual. */
  within?: Deadlines
}
/** Its text is kept already. */
export type KeptAssignment = Pick<
  NewAssignment,
  'nodeId' | 'rolloutId' | 'config' | 'version' | 'digest' | 'group'
> & {
  textId: string
  /** null: `digest`. */
  configDigest: string | null
  within: Deadlines
}
export type Assigned = { generation: number; offerId: string }
export type Assignments = {
  /** After a restore: nobody is given anything until somebody confirms that it is to go on. */
  isHeld(): boolean
  /** In the caller's transaction; the node is woken after its commit. */
  assign(unit: Unit, assignment: NewAssignment): Promise<Assigned>
  /** To many nodes at once, each of them once. In their order. */
  assignAll(
    unit: Unit,
    assignments: readonly KeptAssignment[],
  ): Promise<(Assigned & { nodeId: string })[]>
  /** Takes back what the nodes have not answered: they keep what they had, also when they return much later. */
  withdraw(unit: Unit, offers: readonly { nodeId: string; generation: number }[]): Promise<void>
}

type Deps = { identity: Identity; now: () => number; wake: (nodeId: string) => void }

export function createAssignments({ identity, now, wake }: Deps): Assignments {
  async function assignAll(unit: Unit, given: readonly KeptAssignment[]) {
    if (identity.recovery) throw new InRecovery()
    const { trx } = unit
    const spent = await highestSpent(
      trx,
      given.map(({ nodeId }) => nodeId),
    )
    const assigned = given.map((one) => ({
      ...one,
      generation: (spent.get(one.nodeId) ?? 0) + 1,
      offerId: newId('offer'),
    }))
    await insertAssignments(
      trx,
      assigned.map((one) => toRow(one, { epoch: identity.epoch, nowMs: now() })),
    )
    const parts = await partsByText(
      trx,
      given.map(({ textId }) => textId),
    )
    await unit.emitAll(
      assigned.map(
        ({ nodeId, generation, offerId, config, version, digest, rolloutId, textId }) => ({
          kind: 'node' as const,
          id: nodeId,
          action: 'offered',
          data: {
            ...{ generation, offerId, config, version, digest, rolloutId },
            ...saidOf(parts.get(textId)),
          },
        }),
      ),
    )
    unit.afterCommit(() => {
      for (const { nodeId } of given) wake(nodeId)
    })
    return assigned
  }

  return {
    isHeld: () => identity.recovery !== null,
    assignAll,

    async assign(unit, { text, within = DEADLINES, ...assignment }) {
      if (identity.recovery) throw new InRecovery()
      const { certificates = [], releases = [], ...given } = assignment
      const textId = contentId(text, certificates, releases)
      await keepText(unit.trx, { id: textId, text, certificates, releases })
      const { digest, configDigest = digest } = given
      const own = configDigest === digest ? null : configDigest
      const [assigned] = await assignAll(unit, [{ ...given, configDigest: own, textId, within }])
      if (!assigned) throw new Error(`${assignment.nodeId} was given nothing`)
      const { generation, offerId } = assigned
      return { generation, offerId }
    },

    async withdraw(unit, offers) {
      const taken = await withdrawOffered(unit.trx, offers, now())
      await unit.emitAll(
        taken.map(({ nodeId, generation }) => ({
          kind: 'node' as const,
          id: nodeId,
          action: 'withdrawn',
          data: { generation },
        })),
      )
    },
  }
}

/** What there is of them, for the audit. */
const saidOf = ({ certificates, releases }: Partial<Parts> = {}) => ({
  ...(certificates?.length && { certificates }),
  ...(releases?.length && { releases }),
})

const toRow = (
  { within, ...given }: KeptAssignment & Assigned,
  { epoch, nowMs }: { epoch: number; nowMs: number },
): Assignment => ({
  node_id: given.nodeId,
  generation: given.generation,
  offer_id: given.offerId,
  epoch,
  rollout_id: given.rolloutId,
  config: given.config,
  version: given.version,
  digest: given.digest,
  config_digest: given.configDigest,
  text_id: given.textId,
  group_name: given.group,
  state: 'offered',
  ack_ms: within.ackMs,
  apply_ms: within.applyMs,
  confirm_ms: within.confirmMs,
  created_at_ms: nowMs,
  updated_at_ms: nowMs,
})

/** By node: above everything we gave and everything it obeyed, also from a control plane before us. */
async function highestSpent(
  trx: Trx,
  nodeIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const given = await highestGenerations(trx, nodeIds)
  const obeyed = await highestObeyed(trx, nodeIds)
  return new Map(
    nodeIds.map((id) => [id, Math.max(given.get(id) ?? 0, obeyed.get(id) ?? 0)] as const),
  )
}

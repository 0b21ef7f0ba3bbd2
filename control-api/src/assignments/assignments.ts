// SPDX-License-Identifier: MIT
// What each node was told to run: the only thing nodes obey. Generations per node only grow; going
// back to an old text is a new generation.
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Unit } from '../audit/write.ts'
import { newId, sha256 } from '../base/ids.ts'
import type { Identity } from '../control-plane/identity.ts'
import { InRecovery } from '../control-plane/recovery.ts'
import type { AssignmentState, AssignmentsTable, Database } from '../db/database.ts'
import { DEADLINES, type Deadlines } from './deadlines.ts'

export type NewAssignment = {
  nodeId: string
  rolloutId: string | null
  config: string
  version: number
  /** What the node will read: the version with the node's merge patch laid over it. */
  text: string
  digest: string
  /** The group the text was made for. */
  group: string
  /** How long the node may take; left out: as long as usual. */
  within?: Deadlines
}
export type Assigned = { generation: number; offerId: string }
export type Assignment = Selectable<AssignmentsTable>
export type AssignmentWithText = Assignment & { text: string }
type Reader = Kysely<Database> | Transaction<Database>

/** An assignment that is still wanted. */
export type Standing = { state: Exclude<AssignmentState, 'withdrawn'> }

export type Assignments = {
  /** After a restore: nobody is given anything until somebody confirms that it is to go on. */
  isHeld(): boolean
  /** In the caller's transaction; the node is woken after its commit. */
  assign(unit: Unit, assignment: NewAssignment): Promise<Assigned>
  /** Takes back what the node has not answered: it keeps what it had, also when it returns much later. */
  withdraw(unit: Unit, offer: { nodeId: string; generation: number }): Promise<void>
}
/** Nothing to offer: what it has is, byte for byte, what its group of now gets too. */
export async function noteGroup(
  { trx }: Unit,
  { nodeId, generation, group }: { nodeId: string; generation: number; group: string },
): Promise<void> {
  await trx
    .updateTable('assignments')
    .set({ group_name: group })
    .where('node_id', '=', nodeId)
    .where('generation', '=', generation)
    .execute()
}

type Deps = { identity: Identity; now: () => number; wake: (nodeId: string) => void }

export function createAssignments({ identity, now, wake }: Deps): Assignments {
  return {
    isHeld: () => identity.recovery !== null,

    async assign(unit, assignment) {
      const { nodeId, rolloutId, config, version, text, digest, group } = assignment
      const { within = DEADLINES } = assignment
      if (identity.recovery) throw new InRecovery()
      const { trx } = unit
      const assigned = {
        generation: (await highestGeneration(trx, nodeId)) + 1,
        offerId: newId('offer'),
      }
      await trx
        .insertInto('rendered_texts')
        .values({ id: sha256(text), text })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
      await trx
        .insertInto('assignments')
        .values({
          node_id: nodeId,
          generation: assigned.generation,
          offer_id: assigned.offerId,
          epoch: identity.epoch,
          rollout_id: rolloutId,
          config,
          version,
          digest,
          text_id: sha256(text),
          group_name: group,
          state: 'offered',
          ack_ms: within.ackMs,
          apply_ms: within.applyMs,
          confirm_ms: within.confirmMs,
          created_at_ms: now(),
          updated_at_ms: now(),
        })
        .execute()
      await unit.emit({
        kind: 'node',
        id: nodeId,
        action: 'offered',
        data: { ...assigned, config, version, digest, rolloutId },
      })
      unit.afterCommit(() => wake(nodeId))
      return assigned
    },

    async withdraw(unit, { nodeId, generation }) {
      const { numUpdatedRows } = await unit.trx
        .updateTable('assignments')
        .set({ state: 'withdrawn', updated_at_ms: now() })
        .where('node_id', '=', nodeId)
        .where('generation', '=', generation)
        .where('state', '=', 'offered')
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return
      await unit.emit({ kind: 'node', id: nodeId, action: 'withdrawn', data: { generation } })
    },
  }
}

/** Above everything we gave and everything the node obeyed, also from a control plane before us. */
async function highestGeneration(trx: Transaction<Database>, nodeId: string): Promise<number> {
  const node = await trx
    .selectFrom('nodes')
    .select('max_generation')
    .where('id', '=', nodeId)
    .executeTakeFirstOrThrow()
  const given = await trx
    .selectFrom('assignments')
    .select(({ fn }) => fn.max('generation').as('generation'))
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return Math.max(node.max_generation, given?.generation ?? 0)
}

/** What the node should run. */
export async function latestAssignment(
  db: Reader,
  nodeId: string,
): Promise<(AssignmentWithText & Standing) | undefined> {
  return await db
    .selectFrom('assignments')
    .innerJoin('rendered_texts', 'rendered_texts.id', 'assignments.text_id')
    .selectAll('assignments')
    .select('rendered_texts.text')
    .where('node_id', '=', nodeId)
    .where('state', '!=', 'withdrawn')
    .orderBy('generation', 'desc')
    .limit(1)
    .$narrowType<Standing>()
    .executeTakeFirst()
}

/** The newest assignment of this digest: which version a node's effective config is. */
export async function assignmentByDigest(
  db: Reader,
  nodeId: string,
  digest: string,
): Promise<AssignmentWithText | undefined> {
  return await db
    .selectFrom('assignments')
    .innerJoin('rendered_texts', 'rendered_texts.id', 'assignments.text_id')
    .selectAll('assignments')
    .select('rendered_texts.text')
    .where('node_id', '=', nodeId)
    .where('digest', '=', digest)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export type OfferKey = { nodeId: string; generation: number; offerId: string }

export async function findOffer(
  trx: Transaction<Database>,
  { nodeId, generation, offerId }: OfferKey,
): Promise<Assignment | undefined> {
  return await trx
    .selectFrom('assignments')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('generation', '=', generation)
    .where('offer_id', '=', offerId)
    .executeTakeFirst()
}

/** Is it still what we want of the node? */
export async function isCurrent(trx: Transaction<Database>, offer: Assignment): Promise<boolean> {
  if (offer.state === 'withdrawn') return false
  const newer = await trx
    .selectFrom('assignments')
    .select('generation')
    .where('node_id', '=', offer.node_id)
    .where('generation', '>', offer.generation)
    .where('state', '!=', 'withdrawn')
    .executeTakeFirst()
  return newer === undefined
}

export async function setOfferState(
  trx: Transaction<Database>,
  { node_id, generation }: Assignment,
  state: AssignmentState,
  nowMs: number,
): Promise<void> {
  await trx
    .updateTable('assignments')
    .set({ state, updated_at_ms: nowMs })
    .where('node_id', '=', node_id)
    .where('generation', '=', generation)
    .execute()
}

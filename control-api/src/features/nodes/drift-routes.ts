// SPDX-License-Identifier: MIT
// What was changed on a node's machine by hand: to look at, to keep, or to let go.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { requireWholeFarm, WholeFarmRequired } from '../../access/scope.ts'
import { NodeIdSchema } from '../../api-shapes/common.ts'
import { NodeNotFound, NotAllowed, type Refusal } from '../../api-shapes/errors.ts'
import type { Assignments } from '../../assignments/assignments.ts'
import { driftOf, storeDecision } from '../../assignments/drift.ts'
import { contentOf, driftText, latestAssignment, latestGiven } from '../../assignments/store.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { InRecovery } from '../../control-plane/recovery.ts'
import type { Database } from '../../db/database.ts'
import type { Adopt, ReadGrouping } from '../../fleet/config-ports.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { targetOf } from '../../labels/grouping.ts'
import { activeNode, type NodeRow } from '../../node-identity/store/nodes.ts'
import { DriftChanged, NoDrift, NothingAssigned } from './errors.ts'
import { DriftAnswerSchema, DriftDecisionSchema, DriftDetailSchema } from './schema.ts'
import { viewDrift } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  assignments: Pick<Assignments, 'assign'>
  adopt: Adopt
  readGrouping: ReadGrouping
  /** What `adopt` refuses with. */
  adoptErrors: readonly Refusal[]
}

const tags = ['nodes']
const params = Type.Object({ id: NodeIdSchema })

export const nodeDriftRoutes =
  ({ db, write, now, assignments, adopt, adoptErrors, readGrouping }: Deps) =>
  async (app: App) => {
    app.get(
      '/nodes/:id/drift',
      {
        config: { permission: 'nodes:read', errors: [NodeNotFound, NoDrift] },
        schema: {
          operationId: 'getNodeDrift',
          tags,
          summary: 'The config as it was changed on the node’s machine, and what it was given',
          description: '409 `no_drift` when nothing was changed there.',
          params,
          response: { 200: DriftDetailSchema },
        },
      },
      async ({ params: { id } }) => {
        const node = await activeNode(db, id)
        const drift = viewDrift(node)
        if (!drift) throw new NoDrift(node.name)
        const [text, given] = [await driftText(db, id), await latestAssignment(db, id)]
        return { ...drift, text: text ?? '', assignedText: given?.text ?? null }
      },
    )

    app.post(
      '/nodes/:id/drift',
      {
        config: {
          permission: 'nodes:write',
          heavy: true,
          errors: [
            NodeNotFound,
            NoDrift,
            DriftChanged,
            NothingAssigned,
            InRecovery,
            WholeFarmRequired,
            ...adoptErrors,
          ],
        },
        schema: {
          operationId: 'decideNodeDrift',
          tags,
          summary: 'Keep a local change as a new version (adopt), or let it go (discard)',
          description:
            'Until then the node refuses every assignment (`local_change`). Adopting needs configs:write too; the next rollout to the node then replaces the change. Discarding gives the node its newest assignment once more.',
          params,
          body: DriftDecisionSchema,
          response: { 200: DriftAnswerSchema },
        },
      },
      async (request) => {
        const { id } = request.params
        const { action, digest, message } = request.body
        const node = await activeNode(db, id)
        requireDrift(node, digest)
        const actor = request.user?.username ?? ''
        const version =
          action === 'adopt' ? await keep(node, { user: request.user, digest, message }) : null
        await write(async (unit) => {
          const current = await activeNode(unit.trx, id)
          requireDrift(current, digest)
          await storeDecision(unit, id, { digest, action, actor, atMs: now() })
          const data = { digest, ...(version && { version }) }
          await unit.emit({ kind: 'node', id, action: EVENTS[action], actor, data })
          if (action === 'discard') await giveAgain(unit, assignments, id)
        })
        return { version }
      },
    )

    type Keeping = { user: SignedInUser | null; digest: string; message: string | undefined }
    const keep = async (node: NodeRow, { user, digest, message }: Keeping) => {
      if (!user?.permissions.includes('configs:write')) {
        throw new NotAllowed('configs:write', user?.roles ?? [])
      }
      requireWholeFarm(user)
      const given = await latestGiven(db, node.id)
      if (!given) throw new NothingAssigned(node.name)
      const text = (await driftText(db, node.id)) ?? ''
      // Of the change that was looked at: a newer one would have changed this too.
      requireDrift(await activeNode(db, node.id), digest)
      const { config, version } = given
      const number = await adopt({
        config,
        version,
        target: targetOf(await readGrouping(db), node),
        text,
        author: user.username,
        message: message ?? `As it was changed on ${node.name}, over version ${version}`,
      })
      return { config, number }
    }
  }

/** The same text as a new generation; what is under way already is not repeated. */
export async function giveAgain(
  unit: Unit,
  assignments: Pick<Assignments, 'assign'>,
  nodeId: string,
): Promise<void> {
  const given = await latestAssignment(unit.trx, nodeId)
  if (!given || UNDER_WAY.has(given.state)) return
  const { config, version, group_name: group } = given
  const again = { config, version, group, ...contentOf(given) }
  await assignments.assign(unit, { nodeId, rolloutId: null, ...again })
}

const EVENTS = { adopt: 'drift-adopted', discard: 'drift-discarded' }
const UNDER_WAY = new Set(['offered', 'acked', 'applied'])

function requireDrift(node: NodeRow, digest: string): void {
  const drift = driftOf(node)
  if (!drift) throw new NoDrift(node.name)
  if (drift.digest !== digest)
    throw new DriftChanged(drift.digest).withMembers({ digest: drift.digest })
}

// SPDX-License-Identifier: MIT
// Keeping a node out of rollouts, and letting them have it again.
import { Type } from 'typebox'
import { NodeIdSchema } from '../../api-shapes/common.ts'
import { NodeNotFound } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { RolloutEngine } from '../../fleet/agent-ports.ts'
import { cordonOf } from '../../fleet/cordon.ts'
import type { App } from '../../http/app-types.ts'
import { activeNode, setCordon } from '../../node-identity/store/nodes.ts'
import { CordonOrderSchema } from './schema.ts'

type Deps = { write: Write; now: () => number; engine: Pick<RolloutEngine, 'onNodesChanged'> }

const tags = ['nodes']
const params = Type.Object({ id: NodeIdSchema })

export const nodeCordonRoutes =
  ({ write, now, engine }: Deps) =>
  async (app: App) => {
    app.put(
      '/nodes/:id/cordon',
      {
        config: { permission: 'nodes:write', errors: [NodeNotFound] },
        schema: {
          operationId: 'cordonNode',
          tags,
          summary: 'Cordon a node: rollouts skip it, and it serves on what it has',
          description:
            'What it was offered already goes on, and a way back reaches it. With the reason that holds already nothing changes.',
          params,
          body: CordonOrderSchema,
          response: { 204: Type.Null() },
        },
      },
      async ({ params: { id }, body: { reason }, user }, reply) => {
        const actor = user?.username ?? ''
        await write(async (unit) => {
          const before = cordonOf(await activeNode(unit.trx, id))
          if (before?.reason === reason) return
          const cordon = { by: actor, reason, atMs: now() }
          await setCordon(unit, [id], cordon)
          const data = { before: { cordon: before }, after: { cordon } }
          await unit.emit({ kind: 'node', id, action: 'cordoned', actor, data })
          await engine.onNodesChanged(unit, { kind: 'cordoned', nodeIds: [id] })
        })
        return reply.code(204).send(null)
      },
    )

    app.delete(
      '/nodes/:id/cordon',
      {
        config: { permission: 'nodes:write', errors: [NodeNotFound] },
        schema: {
          operationId: 'uncordonNode',
          tags,
          summary: 'End a node’s cordon: the next rollout goes to it again',
          description:
            'What passed it by meanwhile does not come by itself; `sync.reason` says what that was. Without a cordon nothing changes.',
          params,
          response: { 204: Type.Null() },
        },
      },
      async ({ params: { id }, user }, reply) => {
        await write(async (unit) => {
          const before = cordonOf(await activeNode(unit.trx, id))
          if (!before) return
          await setCordon(unit, [id], null)
          const data = { before: { cordon: before }, after: { cordon: null } }
          const actor = user?.username ?? ''
          await unit.emit({ kind: 'node', id, action: 'uncordoned', actor, data })
        })
        return reply.code(204).send(null)
      },
    )
  }

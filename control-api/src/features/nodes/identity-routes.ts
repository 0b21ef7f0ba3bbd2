// SPDX-License-Identifier: MIT
// Who may speak for a node: ending its identity, and deciding between two processes that hold one. And
// what only the node itself can tell: its log.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { NodeIdSchema } from '../../api-shapes/common.ts'
import { NodeNotFound } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { LogTail } from '../../fleet/questions.ts'
import type { App } from '../../http/app-types.ts'
import { cloneOf } from '../../node-identity/clones.ts'
import { activeNode } from '../../node-identity/store/nodes.ts'
import { decideClone, endIdentity } from '../../node-identity/store/speakers.ts'
import { NoClone, NodeDidNotAnswer, TooManyAsk, UnknownIncarnation } from './errors.ts'
import { ErrorLogRequestSchema, ErrorLogSchema, KeepSchema } from './schema.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  fleet: Pick<Fleet, 'presence' | 'cutOff' | 'endPoll'>
  /** null: it did not answer in time; 'busy': too many ask it already. */
  askForLog(nodeId: string, lines: number): Promise<LogTail | null | 'busy'>
}

const tags = ['nodes']
const params = Type.Object({ id: NodeIdSchema })
const DEFAULT_LINES = 100

export const nodeIdentityRoutes =
  ({ db, write, fleet, askForLog }: Deps) =>
  async (app: App) => {
    app.delete(
      '/nodes/:id/identity',
      {
        config: { permission: 'nodes:write', errors: [NodeNotFound] },
        schema: {
          operationId: 'revokeNodeIdentity',
          tags,
          summary: 'End a node’s identity: nobody speaks for it until it joins again',
          description:
            'Holds from the node’s next message on; its connections end at once. It goes on serving what it has. The way back is an enrolment token with its `nodeId`.',
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id } = request.params
        await write(async (unit) => {
          const node = await activeNode(unit.trx, id)
          await endIdentity(unit.trx, id)
          await unit.emit({
            kind: 'node',
            id,
            action: 'identity-revoked',
            actor: request.user?.username ?? '',
            data: { name: node.name },
          })
          unit.afterCommit(() => fleet.cutOff(id))
        })
        return reply.code(204).send(null)
      },
    )

    app.post(
      '/nodes/:id/clone',
      {
        config: { permission: 'nodes:write', errors: [NodeNotFound, NoClone, UnknownIncarnation] },
        schema: {
          operationId: 'decideNodeClone',
          tags,
          summary: 'Say which of the processes that hold a node’s identity is the node',
          description:
            'The kept one is given a new key, which shuts the others out; they join with tokens of their own.',
          params,
          body: KeepSchema,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id } = request.params
        const { keep } = request.body
        await write(async (unit) => {
          const node = await activeNode(unit.trx, id)
          const clone = cloneOf(node)
          if (!clone) throw new NoClone(node.name)
          if (!clone.incarnations.some((one) => one.incarnation === keep)) {
            throw new UnknownIncarnation(keep)
          }
          await decideClone(unit.trx, id, { ...clone, keep })
          await unit.emit({
            kind: 'node',
            id,
            action: 'clone-decided',
            actor: request.user?.username ?? '',
            data: { keep, incarnations: clone.incarnations },
          })
          unit.afterCommit(() => fleet.endPoll(id))
        })
        return reply.code(204).send(null)
      },
    )

    app.post(
      '/nodes/:id/error-log',
      {
        config: {
          permission: 'nodes:read',
          idempotency: false,
          errors: [NodeNotFound, NodeDidNotAnswer, TooManyAsk],
        },
        schema: {
          operationId: 'readNodeErrorLog',
          tags,
          summary: 'The newest lines of a node’s error log, asked of the node now',
          description: '504 `node_did_not_answer` when it does not send them within ten seconds.',
          params,
          body: ErrorLogRequestSchema,
          response: { 200: ErrorLogSchema },
        },
      },
      async ({ params: { id }, body: { lines = DEFAULT_LINES } }) => {
        const node = await activeNode(db, id)
        if (!fleet.presence(id).connected) {
          throw new NodeDidNotAnswer(node.name, 'is not connected')
        }
        const tail = await askForLog(id, lines)
        if (tail === 'busy') throw new TooManyAsk(node.name, 'log')
        if (tail === null) {
          throw new NodeDidNotAnswer(node.name, 'is connected, but did not send its log in time')
        }
        return {
          lines: tail.lines.map(({ timeMs, level, text }) => ({ at: iso(timeMs), level, text })),
          droppedLines: tail.droppedLines,
        }
      },
    )
  }

const LAST_DATE_MS = 8.64e15
const iso = (ms: number) => new Date(Math.min(ms, LAST_DATE_MS)).toISOString()

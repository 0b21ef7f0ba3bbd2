// SPDX-License-Identifier: MIT
// Nodes that give each other the contents of releases: the farm's setting, how it stands, and who is not trusted with it.
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { nodeIsWithin, type Scope, scopeOf } from '../../access/scope.ts'
import { IfMatchSchema, NodeIdSchema } from '../../api-shapes/common.ts'
import { NodeNotFound } from '../../api-shapes/errors.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import type { DistrustRow, NeighbourSettings } from '../../neighbours/store.ts'
import { activeNode, findNode } from '../../node-identity/store/nodes.ts'
import {
  NeighbourSettingsSchema,
  type NeighboursNow,
  NeighboursNowSchema,
  type NodeNeighbour,
  NodeNeighbourSchema,
} from './schema.ts'

type Named = { id: string; name: string }
type Counts = Pick<NeighboursNow, 'giving' | 'taking' | 'fetching' | 'waiting'>
type Deps = {
  db: Kysely<Database>
  neighbours: {
    settings(): { settings: NeighbourSettings; etag: string }
    change(
      settings: NeighbourSettings,
      by: { ifMatch: string | undefined; actor: string },
    ): Promise<void>
    counts(isWithin: (nodeId: string) => boolean): Counts
    giverOf(nodeId: string): { address: string; holds: number; takers: number } | null
    distrusted(): DistrustRow[]
    distrustOf(nodeId: string): DistrustRow | null
    trust(nodeId: string, actor: string): Promise<void>
  }
  nodesIn: (scope: Scope) => Promise<readonly Named[]>
  gaugesOf: (nodeId: string) => Readonly<Record<string, number>>
}

const tags = ['releases']
const MOST_DISTRUSTED = 100
const params = Type.Object({ id: NodeIdSchema })

export const neighbourRoutes =
  ({ db, neighbours, nodesIn, gaugesOf }: Deps) =>
  async (app: App) => {
    const show = (reply: FastifyReply) => {
      const { settings, etag } = neighbours.settings()
      reply.header('etag', etag)
      return settings
    }
    const bytes = (nodeId: string, gauge: string) =>
      Math.max(0, Math.round(gaugesOf(nodeId)[gauge] ?? 0))
    const nameOf = async (scope: Scope, id: string) => {
      const node = await findNode(db, id)
      return node && nodeIsWithin(scope, node) ? node.name : id
    }
    /** Another's name is told only to who may see it: to others its id stands for it. */
    const viewDistrust = (row: DistrustRow, toldBy: string) => ({
      manifestSha256: row.manifest_sha256,
      toldBy: { id: row.told_by, name: toldBy },
      at: new Date(row.at_ms).toISOString(),
    })

    app.get(
      '/neighbours',
      {
        config: { permission: 'releases:read', scope: 'none', errors: [] },
        schema: {
          operationId: 'getNeighbours',
          tags,
          summary: 'Whether nodes give each other releases; its ETag is for changing it',
          response: { 200: NeighbourSettingsSchema },
        },
      },
      async (_request, reply) => show(reply),
    )

    app.put(
      '/neighbours',
      {
        config: { permission: 'rollouts:rules', errors: [] },
        schema: {
          operationId: 'putNeighbours',
          tags,
          summary: 'Change whether and how nodes give each other releases',
          description:
            'Nodes hear of it with their next report. Which nodes listen for others the owners of their machines say. Turned off, all passes that were given are worth nothing once nodes have heard of it.',
          headers: IfMatchSchema,
          body: NeighbourSettingsSchema,
          response: { 200: NeighbourSettingsSchema },
        },
      },
      async ({ body, headers, user }, reply) => {
        const actor = user?.username ?? ''
        await neighbours.change(body, { ifMatch: headers['if-match'], actor })
        return show(reply)
      },
    )

    app.get(
      '/neighbours/now',
      {
        config: { permission: 'releases:read', scope: 'nodes', errors: [] },
        schema: {
          operationId: 'getNeighboursNow',
          tags,
          summary: 'How releases go from node to node now, and which nodes gave wrong bytes',
          response: { 200: NeighboursNowSchema },
        },
      },
      async ({ user }) => {
        const nodes = await nodesIn(scopeOf(user))
        const names = new Map(nodes.map(({ id, name }) => [id, name]))
        const found = neighbours.distrusted().filter((row) => names.has(row.node_id))
        const distrusted = found
          .toSorted((a, b) => b.at_ms - a.at_ms)
          .slice(0, MOST_DISTRUSTED)
          .map((row) => ({
            node: { id: row.node_id, name: names.get(row.node_id) ?? row.node_id },
            ...viewDistrust(row, names.get(row.told_by) ?? row.told_by),
          }))
        return {
          ...neighbours.counts((nodeId) => names.has(nodeId)),
          takenBytes: nodes.reduce((sum, { id }) => sum + bytes(id, 'neighbourTakenBytes'), 0),
          distrusted,
          moreDistrusted: found.length - distrusted.length,
        }
      },
    )

    app.get(
      '/nodes/:id/neighbour',
      {
        config: { permission: 'nodes:read', errors: [NodeNotFound] },
        schema: {
          operationId: 'getNodeNeighbour',
          tags: ['nodes'],
          summary: 'What a node gives other nodes, and takes from them',
          params,
          response: { 200: NodeNeighbourSchema },
        },
      },
      async ({ params: { id }, user }): Promise<NodeNeighbour> => {
        await activeNode(db, id)
        const giver = neighbours.giverOf(id)
        const row = neighbours.distrustOf(id)
        return {
          gives: giver && {
            address: giver.address,
            releases: giver.holds,
            takers: giver.takers,
          },
          distrusted: row && viewDistrust(row, await nameOf(scopeOf(user), row.told_by)),
          takenBytes: bytes(id, 'neighbourTakenBytes'),
          givenBytes: bytes(id, 'neighbourGivenBytes'),
        }
      },
    )

    app.delete(
      '/nodes/:id/neighbour/distrust',
      {
        config: { permission: 'nodes:write', errors: [NodeNotFound] },
        schema: {
          operationId: 'trustNeighbour',
          tags: ['nodes'],
          summary: 'Name a node to others again that gave wrong bytes: somebody has looked at it',
          description: 'Of one that is trusted nothing changes.',
          params,
          response: { 204: Type.Null() },
        },
      },
      async ({ params: { id }, user }, reply) => {
        await activeNode(db, id)
        await neighbours.trust(id, user?.username ?? '')
        return reply.code(204).send(null)
      },
    )
  }

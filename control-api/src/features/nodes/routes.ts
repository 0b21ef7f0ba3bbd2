// SPDX-License-Identifier: MIT
// The fleet, node by node.

import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import {
  OutsideScope,
  requireWholeFarm,
  requireWithin,
  scopeOf,
  WholeFarmRequired,
} from '../../access/scope.ts'
import type { Effective } from '../../agent-protocol/messages.gen.ts'
import {
  DryRunQuerySchema,
  IfMatchSchema,
  IfNoneMatchSchema,
  NodeIdSchema,
} from '../../api-shapes/common.ts'
import { NameTaken, NodeNotFound, type Refusal, SelectorInvalid } from '../../api-shapes/errors.ts'
import { ImpactSchema } from '../../api-shapes/impact.ts'
import type { Assignments } from '../../assignments/assignments.ts'
import { driftOf } from '../../assignments/drift.ts'
import {
  assignmentByDigest,
  contentOf,
  driftText,
  latestAssignment,
} from '../../assignments/store.ts'
import type { Write } from '../../audit/write.ts'
import { stateOf } from '../../certificates/expiry.ts'
import { type ServedByNode, servedBy } from '../../certificates/served-store.ts'
import type { Identity } from '../../control-plane/identity.ts'
import type { Database } from '../../db/database.ts'
import type { RolloutEngine } from '../../fleet/agent-ports.ts'
import type {
  Adopt,
  NodesImpact,
  OpenPreviews,
  ReadGrouping,
  SinceOf,
} from '../../fleet/config-ports.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { AbsenceOf } from '../../fleet/forgetting.ts'
import type { CheckAnswer, CheckQuestion, LogTail } from '../../fleet/questions.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { OverrideTooLarge, requireModestOverride } from '../../json/merge-patch.ts'
import type { Metrics } from '../../metrics-store/metrics.ts'
import type { NodeExplain } from '../../node-check/node-explain.ts'
import { findOwnerPolicy } from '../../node-check/owner-policy.ts'
import {
  activeNode,
  changeNode,
  findNode,
  type NodeRow,
  nameIsTaken,
} from '../../node-identity/store/nodes.ts'
import { mergeObjects } from '../../plugins/merge-patch.ts'
import { nodeBulkRoutes } from './bulk-routes.ts'
import { nodeCordonRoutes } from './cordon-routes.ts'
import type { EndNode, EndNodesIn } from './decommissioning.ts'
import { nodeDriftRoutes } from './drift-routes.ts'
import { CursorAndOffset, TooManyToMeasure } from './errors.ts'
import { nodeExplainRoutes } from './explain-routes.ts'
import type { FarmIndex } from './farm-index.ts'
import { nodeIdentityRoutes } from './identity-routes.ts'
import { createNodesPage } from './list.ts'
import { nodeRenderedRoutes } from './rendered-routes.ts'
import {
  EffectiveConfigSchema,
  NodeDetailSchema,
  NodePatchSchema,
  NodeSchema,
  NodesPageSchema,
  NodesQuerySchema,
  OverrideSchema,
} from './schema.ts'
import { nodeStatusesRoutes } from './statuses-routes.ts'
import { createNodeView, viewPolicy } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  identity: Pick<Identity, 'epoch'>
  isTls: boolean
  index: FarmIndex
  /** Of what was told so far. */
  lastEventId: () => number
  fleet: Pick<Fleet, 'presence' | 'cutOff' | 'endPoll'>
  metrics: Pick<Metrics, 'latencySummaries'>
  engine: Pick<RolloutEngine, 'onAgentEvent' | 'onNodesChanged'>
  endNode: EndNode
  endNodesIn: EndNodesIn
  assignments: Pick<Assignments, 'assign'>
  askForLog(nodeId: string, lines: number): Promise<LogTail | null | 'busy'>
  askNode(
    nodeId: string,
    question: CheckQuestion,
    withinMs: number,
  ): Promise<CheckAnswer | null | 'busy'>
  adopt: Adopt
  readGrouping: ReadGrouping
  absenceOf: AbsenceOf
  openPreviews: OpenPreviews
  explain: NodeExplain
  sinceOf: SinceOf
  impactOf: NodesImpact
  adoptErrors: readonly Refusal[]
}

const tags = ['nodes']
const params = Type.Object({ id: NodeIdSchema })

export const nodeRoutes = (deps: Deps) => async (app: App) => {
  const { db, write, engine, now } = deps
  await nodeIdentityRoutes(deps)(app)
  await nodeBulkRoutes(deps)(app)
  await nodeCordonRoutes(deps)(app)
  await nodeDriftRoutes(deps)(app)
  await nodeRenderedRoutes(deps)(app)
  await nodeExplainRoutes(deps)(app)
  await nodeStatusesRoutes(deps)(app)
  const view = createNodeView(deps)
  const nodesPage = createNodesPage(deps)

  const show = async (row: NodeRow) => {
    const [node] = await view([row])
    if (!node) throw new NodeNotFound(row.id)
    return node
  }

  app.get(
    '/nodes',
    {
      config: {
        permission: 'nodes:read',
        scope: 'nodes',
        errors: [SelectorInvalid, CursorAndOffset, TooManyToMeasure],
      },
      schema: {
        operationId: 'listNodes',
        tags,
        summary: 'All nodes, with what each should run, acknowledged and really runs',
        description: 'Filters hold together; how many are in which state: `GET /farm/summary`.',
        querystring: NodesQuerySchema,
        response: { 200: NodesPageSchema },
      },
    },
    async ({ query, user }) => {
      const revision = deps.lastEventId()
      const { rows, ...page } = await nodesPage(query, scopeOf(user))
      return { items: await view(rows), ...page, revision }
    },
  )

  app.get(
    '/nodes/:id',
    {
      config: { permission: 'nodes:read', errors: [NodeNotFound] },
      schema: {
        operationId: 'getNode',
        tags,
        summary: 'One node; its ETag is for changing name, labels and override',
        description:
          'The ETag counts those changes only: state and measurements come and go under it. `policy` is null for a node that is too old to say what its machine’s owner allows.',
        params,
        response: { 200: NodeDetailSchema },
      },
    },
    async ({ params: { id } }, reply) => {
      const revision = deps.lastEventId()
      const row = await activeNode(db, id)
      reply.header('etag', etagOf(row.revision))
      const policy = await findOwnerPolicy(db, id)
      const certificates = (await servedBy(db, id)).map((one) => viewServed(one, now()))
      return { ...(await show(row)), revision, policy: policy && viewPolicy(policy), certificates }
    },
  )

  app.patch(
    '/nodes/:id',
    {
      config: {
        permission: 'nodes:write',
        heavy: 'dryRun',
        errors: [NodeNotFound, NameTaken, OutsideScope, WholeFarmRequired],
      },
      schema: {
        operationId: 'updateNode',
        tags,
        summary: 'Rename a node or change its labels; with dryRun=1 say what that would do',
        description:
          'As application/json, `labels` replaces all of them; as application/merge-patch+json (RFC 7396) they are merged, and null removes one.',
        params,
        headers: IfMatchSchema,
        querystring: DryRunQuerySchema,
        body: NodePatchSchema,
        response: { 200: Type.Union([NodeSchema, ImpactSchema]) },
      },
      preValidation: mergeObjects(async ({ id = '' }) => {
        const row = await findNode(db, id)
        return row
          ? { etag: etagOf(row.revision), objects: { labels: JSON.parse(row.labels) } }
          : null
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { name, labels } = request.body
      // Names are one list of the whole farm: whether one is free says what others have.
      const requireMayName = (before: string) => {
        if (name !== undefined && name !== before) requireWholeFarm(request.user)
      }
      const requireFree = async (reader: Kysely<Database>) => {
        if (name !== undefined && (await nameIsTaken(reader, name, id))) throw new NameTaken(name)
      }
      if (labels) requireWithin(request.user, labels, 'with these labels the node would leave it')
      if (request.query.dryRun === '1') {
        const node = await activeNode(db, id)
        requireMayName(node.name)
        requireIfMatch(request.headers['if-match'], etagOf(node.revision))
        await requireFree(db)
        const change = {
          ...(name !== undefined && { name }),
          ...(labels && { labels: JSON.stringify(labels) }),
        }
        return await deps.impactOf(new Map([[id, change]]))
      }
      const changed = await write(async (unit) => {
        const node = await activeNode(unit.trx, id)
        requireMayName(node.name)
        requireIfMatch(request.headers['if-match'], etagOf(node.revision))
        await requireFree(unit.trx)
        const after = await changeNode(unit, node, {
          ...(name !== undefined && { name }),
          ...(labels && { labels }),
        })
        if (name !== undefined) await engine.onAgentEvent(unit, { kind: 'renamed', nodeId: id })
        await unit.emit({
          kind: 'node',
          id,
          action: 'changed',
          actor: request.user?.username ?? '',
          data: {
            before: { name: node.name, labels: JSON.parse(node.labels) },
            after: { name: after.name, labels: JSON.parse(after.labels) },
          },
        })
        return after
      })
      reply.header('etag', etagOf(changed.revision))
      return await show(changed)
    },
  )

  app.delete(
    '/nodes/:id',
    {
      config: { permission: 'nodes:write', errors: [NodeNotFound] },
      schema: {
        operationId: 'decommissionNode',
        tags,
        summary: 'Decommission a node: its identity is worth nothing from now on',
        description: 'The node itself goes on serving what it has; stop it on its machine.',
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await deps.endNode(request.params.id, { actor: request.user?.username ?? '' })
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/nodes/:id/override',
    {
      config: { permission: 'nodes:read', errors: [NodeNotFound] },
      schema: {
        operationId: 'getNodeOverride',
        tags,
        summary: 'What differs on this node: a merge patch (RFC 7396) over each version',
        params,
        headers: IfNoneMatchSchema,
        response: { 200: OverrideSchema },
      },
    },
    async ({ params: { id } }, reply) => {
      const row = await activeNode(db, id)
      reply.header('etag', etagOf(row.revision))
      return { mergePatch: JSON.parse(row.merge_patch) }
    },
  )

  app.put(
    '/nodes/:id/override',
    {
      config: {
        permission: 'nodes:write',
        heavy: 'dryRun',
        errors: [NodeNotFound, OverrideTooLarge],
      },
      schema: {
        operationId: 'putNodeOverride',
        tags,
        summary: 'Replace what differs on this node; takes effect with the next rollout to it',
        description: 'With dryRun=1 it says what that would do.',
        params,
        headers: IfMatchSchema,
        querystring: DryRunQuerySchema,
        body: OverrideSchema,
        response: { 200: Type.Union([OverrideSchema, ImpactSchema]) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { mergePatch } = request.body
      requireModestOverride(mergePatch)
      if (request.query.dryRun === '1') {
        requireIfMatch(request.headers['if-match'], etagOf((await activeNode(db, id)).revision))
        return await deps.impactOf(new Map([[id, { merge_patch: JSON.stringify(mergePatch) }]]))
      }
      const changed = await write(async (unit) => {
        const node = await activeNode(unit.trx, id)
        requireIfMatch(request.headers['if-match'], etagOf(node.revision))
        const after = await changeNode(unit, node, { mergePatch })
        await unit.emit({
          kind: 'node',
          id,
          action: 'override-changed',
          actor: request.user?.username ?? '',
          data: { before: JSON.parse(node.merge_patch), after: mergePatch },
        })
        return after
      })
      reply.header('etag', etagOf(changed.revision))
      return { mergePatch }
    },
  )

  app.get(
    '/nodes/:id/effective-config',
    {
      config: { permission: 'nodes:read', errors: [NodeNotFound] },
      schema: {
        operationId: 'getNodeEffectiveConfig',
        tags,
        summary: 'The text the node really runs, and the one it should',
        params,
        response: { 200: EffectiveConfigSchema },
      },
    },
    async ({ params: { id } }) => {
      const row = await activeNode(db, id)
      const effective: Effective | null = row.effective === null ? null : JSON.parse(row.effective)
      const running = effective && (await assignmentByDigest(db, id, effective.digest))
      const desired = await latestAssignment(db, id)
      const isLocal = effective !== null && driftOf(row)?.digest === effective.digest
      return {
        text: running?.text ?? (isLocal ? await driftText(db, id) : null),
        generation: effective?.generation ?? null,
        digest: effective?.digest ?? null,
        releases: running
          ? contentOf(running).releases.map(({ name, number }) => ({ name, number }))
          : [],
        desiredText: desired?.text ?? null,
      }
    },
  )
}

const viewServed = (
  { host, fingerprint, ours, notAfterMs, sinceMs }: ServedByNode,
  nowMs: number,
) => ({
  ...{ host, fingerprint },
  certificate: ours && {
    ...{ name: ours.name, version: ours.version, latestVersion: ours.latest },
  },
  notAfter: new Date(notAfterMs).toISOString(),
  // When one of a file began, its node does not say: of that the last 30 days count, however short its life.
  state: stateOf({ fromMs: ours?.notBeforeMs ?? 0, toMs: notAfterMs }, nowMs),
  since: new Date(sinceMs).toISOString(),
})

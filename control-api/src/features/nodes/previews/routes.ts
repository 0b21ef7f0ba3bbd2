// SPDX-License-Identifier: MIT
// Versions of releases on a node under a name of their own: begun, listed and ended (decision 0192).
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { type Scope, scopeOf } from '../../../access/scope.ts'
import { NodeNotFound, ReleaseNotFound } from '../../../api-shapes/errors.ts'
import { partsByText } from '../../../assignments/store.ts'
import type { Write } from '../../../audit/write.ts'
import { sha256 } from '../../../base/ids.ts'
import type { Database } from '../../../db/database.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { actorOf } from '../../../http/actor.ts'
import type { App } from '../../../http/app-types.ts'
import { allPreviews, deletePreview } from '../../../releases/preview-store.ts'
import { findRelease } from '../../../releases/store.ts'
import type { FarmIndex, IndexedNode } from '../farm-index.ts'
import { createKnownListeners } from '../known-listeners.ts'
import { PreviewNotFound } from './errors.ts'
import { type PreviewKeeper, said } from './keeper.ts'
import {
  DEFAULT_HOURS,
  PREVIEW_USER,
  PreviewParamsSchema,
  PreviewsParamsSchema,
  PreviewVersionParamsSchema,
  ReleasePreviewsSchema,
  StartedPreviewSchema,
  StartPreviewSchema,
} from './schema.ts'
import { startErrors, startPreview } from './start.ts'
import { type Runs, viewPreview } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  index: Pick<FarmIndex, 'nodes'>
  fleet: Pick<Fleet, 'ahead' | 'previews'>
  keeper: Pick<PreviewKeeper, 'read'>
  /** null: there is none. */
  hostTemplate: string | null
}

const tags = ['releases']
const HOUR_MS = 3_600_000

export const releasePreviewRoutes =
  ({ db, write, now, index, fleet, keeper, hostTemplate }: Deps) =>
  async (app: App) => {
    const knownListeners = createKnownListeners(db)

    const nodesIn = async (scope: Scope) =>
      new Map((await index.nodes(scope)).map((one) => [one.node.id, one]))

    async function runsOf(nodes: readonly IndexedNode[], release: string) {
      const textIds = new Set(nodes.flatMap(({ node }) => (node.textId ? [node.textId] : [])))
      const parts = await partsByText(db, [...textIds])
      const listenersOf = await knownListeners(textIds)
      return ({ node: { textId, running } }: IndexedNode): Runs => {
        const releases = (textId && running && parts.get(textId)?.releases) || []
        const namesRelease = releases.some(({ name }) => name === release)
        return { listeners: listenersOf(textId), namesRelease }
      }
    }

    app.get(
      '/releases/:name/previews',
      {
        config: { permission: 'nodes:read', scope: 'nodes', errors: [ReleaseNotFound] },
        schema: {
          operationId: 'listReleasePreviews',
          tags,
          summary: 'The versions of a release that nodes show under names of their own',
          description:
            'Those that have not ended, on nodes within the caller’s scope; the newest first.',
          params: PreviewsParamsSchema,
          response: { 200: ReleasePreviewsSchema },
        },
      },
      async ({ params: { name }, user }) => {
        if (!(await findRelease(db, name))) throw new ReleaseNotFound(name)
        const nodes = await nodesIn(scopeOf(user))
        const rows = (await allPreviews(db)).filter(
          (row) => row.release === name && row.ends_at_ms > now(),
        )
        const seen = rows.flatMap((row) => {
          const node = nodes.get(row.node_id)
          return node ? [{ row, node }] : []
        })
        const runs = await runsOf(
          seen.map(({ node }) => node),
          name,
        )
        const items = seen.map(({ row, node }) => viewPreview(row, node, runs(node), fleet))
        return { items, isOn: hostTemplate !== null }
      },
    )

    app.post(
      '/releases/:name/versions/:number/previews',
      {
        config: {
          ...{ permission: 'rollouts:run', scope: 'nodes', secretAnswer: true },
          errors: startErrors,
        },
        schema: {
          operationId: 'startReleasePreview',
          tags,
          summary: 'Show a version on a node under a name of its own',
          description:
            'The node fetches it beside what it serves, and shows it with the rules of its first site of the release to who has the password. Visitors, rollouts and drift notice nothing. It ends by itself.',
          params: PreviewVersionParamsSchema,
          body: StartPreviewSchema,
          response: { 201: StartedPreviewSchema },
        },
      },
      async (request, reply) => {
        const { name: release, number } = request.params
        const { nodeId, hours = DEFAULT_HOURS } = request.body
        const node = (await nodesIn(scopeOf(request.user))).get(nodeId)
        if (!node) throw new NodeNotFound(nodeId)
        const runs = (await runsOf([node], release))(node)
        const password = randomBytes(24).toString('base64url')
        const nowMs = now()
        const row = await write((unit) =>
          startPreview(unit, {
            ...{ release, number, node: node.node, runs, template: hostTemplate },
            ...{ keySha256: sha256(password), actor: actorOf(request), nowMs },
            endsAtMs: nowMs + hours * HOUR_MS,
          }),
        )
        await keeper.read()
        const shown = viewPreview(row, node, runs, fleet)
        return reply.code(201).send({ ...shown, username: PREVIEW_USER, password })
      },
    )

    app.delete(
      '/releases/:name/previews/:id',
      {
        config: { permission: 'rollouts:run', scope: 'nodes', errors: [PreviewNotFound] },
        schema: {
          operationId: 'endReleasePreview',
          tags,
          summary: 'End a preview',
          params: PreviewParamsSchema,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { name, id } = request.params
        const nodes = await nodesIn(scopeOf(request.user))
        await write(async (unit) => {
          const row = (await allPreviews(unit.trx)).find((one) => one.id === id)
          if (row?.release !== name || !nodes.has(row.node_id)) throw new PreviewNotFound(id)
          await deletePreview(unit, id)
          const data = { before: said(row), after: null }
          const actor = actorOf(request)
          await unit.emit({ kind: 'release', id: name, action: 'preview-ended', actor, data })
        })
        await keeper.read()
        return reply.code(204).send(null)
      },
    )
  }

// SPDX-License-Identifier: MIT
// Releases of files: versions that never change. What they are made of is in manifest-routes.ts and blob-routes.ts.
import { Type } from 'typebox'
import { PageQuerySchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { ReleaseNotFound, ReleaseVersionNotFound } from '../../api-shapes/errors.ts'
import { actorOf } from '../../http/actor.ts'
import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import {
  deleteRelease,
  deleteVersion,
  findRelease,
  findVersion,
  isGivenByItself,
  listReleases,
  listVersions,
  touchManifest,
} from '../../releases/store.ts'
import { blobRoutes } from './blob-routes.ts'
import type { UseDeps } from './deps.ts'
import { ReleaseInUse, ReleaseNotEmpty } from './errors.ts'
import { manifestRoutes } from './manifest-routes.ts'
import {
  CreateReleaseVersionSchema,
  ReleaseParamsSchema,
  ReleaseSchema,
  ReleaseVersionParamsSchema,
  ReleaseVersionSchema,
  SavedReleaseVersionSchema,
} from './schema.ts'
import { saveVersion, versionErrors } from './versions.ts'
import { viewRelease, viewVersion } from './view.ts'

const tags = ['releases']
const byName = defineCursor('releases', 'text')
const byNumber = defineCursor('release-versions', 'integer')
const permission = 'releases:read' as const

export const releaseRoutes = (deps: UseDeps) => async (app: App) => {
  const { db, write, now } = deps

  app.get(
    '/releases',
    {
      config: { permission, errors: [] },
      schema: {
        operationId: 'listReleases',
        tags,
        summary: 'All releases of files, by name',
        querystring: PageQuerySchema,
        response: { 200: pageOf(ReleaseSchema) },
      },
    },
    async ({ query: { cursor, limit = 100 } }) => {
      const [after = ''] = byName.read(cursor) ?? []
      const found = await listReleases(db, { after, limit: limit + 1 })
      const { rows, nextCursor } = byName.page(found, limit, ({ name }) => [name])
      return { items: rows.map(viewRelease), nextCursor }
    },
  )

  app.get(
    '/releases/:name',
    {
      config: { permission, errors: [ReleaseNotFound] },
      schema: {
        operationId: 'getRelease',
        tags,
        summary: 'One release: its latest version',
        params: ReleaseParamsSchema,
        response: { 200: ReleaseSchema },
      },
    },
    async ({ params: { name } }) => viewRelease(await find(name)),
  )

  app.delete(
    '/releases/:name',
    {
      config: { permission: 'releases:write', errors: [ReleaseNotFound, ReleaseNotEmpty] },
      schema: {
        operationId: 'deleteRelease',
        tags,
        summary: 'Remove a release that has no versions',
        params: ReleaseParamsSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      await write(async (unit) => {
        const release = await findRelease(unit.trx, name)
        if (!release) throw new ReleaseNotFound(name)
        if (release.latest !== null) throw new ReleaseNotEmpty(name)
        await deleteRelease(unit, name)
        await unit.emit({ kind: 'release', id: name, action: 'removed', actor: actorOf(request) })
      })
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/releases/:name/versions',
    {
      config: { permission, errors: [ReleaseNotFound] },
      schema: {
        operationId: 'listReleaseVersions',
        tags,
        summary: 'The versions of a release, newest first',
        params: ReleaseParamsSchema,
        querystring: PageQuerySchema,
        response: { 200: pageOf(ReleaseVersionSchema) },
      },
    },
    async ({ params: { name }, query: { cursor, limit = 100 } }) => {
      await find(name)
      const [before = null] = byNumber.read(cursor) ?? []
      const found = await listVersions(db, name, { before, limit: limit + 1 })
      const { rows, nextCursor } = byNumber.page(found, limit, ({ number }) => [number])
      const onNodes = await onNodesOf(name)
      return { items: rows.map((row) => viewVersion(row, onNodes)), nextCursor }
    },
  )

  app.get(
    '/releases/:name/versions/:number',
    {
      config: { permission, errors: [ReleaseVersionNotFound] },
      schema: {
        operationId: 'getReleaseVersion',
        tags,
        summary: 'One version: who made it and why, and what it is of',
        params: ReleaseVersionParamsSchema,
        response: { 200: ReleaseVersionSchema },
      },
    },
    async ({ params: { name, number } }) => {
      const version = await findVersion(db, name, number)
      if (!version) throw new ReleaseVersionNotFound(name, number)
      return viewVersion(version, await onNodesOf(name))
    },
  )

  app.post(
    '/releases/:name/versions',
    {
      config: {
        permission: 'releases:write',
        rateLimit: limits.expensive,
        heavy: true,
        errors: versionErrors,
      },
      schema: {
        operationId: 'createReleaseVersion',
        tags,
        summary: 'Make a version of a manifest whose contents are all here',
        description:
          'The first version makes the release. 200 when the latest version is of this very manifest already, so that nothing is made. Nodes get it by a rollout.',
        params: ReleaseParamsSchema,
        body: CreateReleaseVersionSchema,
        response: { 200: SavedReleaseVersionSchema, 201: SavedReleaseVersionSchema },
      },
    },
    async (request, reply) => {
      const { manifest, parent, message, source = '' } = request.body
      const { created, version } = await saveVersion(deps, {
        ...{ release: request.params.name, manifest, parent, message, source },
        author: actorOf(request),
      })
      const shown = viewVersion(version, await onNodesOf(version.release))
      return reply.code(created ? 201 : 200).send({ created, ...shown })
    },
  )

  app.delete(
    '/releases/:name/versions/:number',
    {
      config: {
        permission: 'releases:write',
        heavy: true,
        errors: [ReleaseVersionNotFound, ReleaseInUse],
      },
      schema: {
        operationId: 'deleteReleaseVersion',
        tags,
        summary: 'Remove a version; contents that no other one needs go a while later',
        params: ReleaseVersionParamsSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { name, number } = request.params
      const namedBy = await deps.configsNaming(name)
      await write(async (unit) => {
        const version = await findVersion(unit.trx, name, number)
        if (!version) throw new ReleaseVersionNotFound(name, number)
        const isWhatNewNodesGet = await isGivenByItself(unit.trx, { name, number })
        const uses = [
          ...(await deps.usesOf(unit, { name, number })),
          ...(isWhatNewNodesGet ? namedBy : []),
        ]
        if (uses.length > 0) throw new ReleaseInUse(name, number, uses)
        await deleteVersion(unit, name, number, now())
        await touchManifest(unit, version.manifest, now())
        const { manifest, message } = version
        const data = { before: { version: number, manifest, message }, after: null }
        const actor = actorOf(request)
        await unit.emit({ kind: 'release', id: name, action: 'version-removed', actor, data })
      })
      return reply.code(204).send(null)
    },
  )

  await manifestRoutes(deps)(app)
  await blobRoutes(deps)(app)

  const onNodesOf = async (name: string) => ({ ...(await deps.onNodes(name)), nowMs: now() })

  async function find(name: string) {
    const release = await findRelease(db, name)
    if (!release) throw new ReleaseNotFound(name)
    return release
  }
}

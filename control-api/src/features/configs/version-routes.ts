// SPDX-License-Identifier: MIT
// Versions that never change: saved, listed, exported, brought back and held against each other.
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { type Scope, scopeOf } from '../../access/scope.ts'
import { DryRunQuerySchema, NameSchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { VersionNotFound } from '../../api-shapes/errors.ts'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app-types.ts'
import type { Validate } from './check/validation.ts'
import { ConfigNotFound } from './errors.ts'
import { sourceOf } from './rules.ts'
import {
  DiffQuerySchema,
  DiffSchema,
  NewVersionSchema,
  RestoreSchema,
  VersionPlanSchema,
  VersionQuerySchema,
  VersionSchema,
  VersionSummarySchema,
} from './schema.ts'
import { findConfig, findVersion, findVersionSummary, listVersions } from './store.ts'
import type { TextWork } from './text-work.ts'
import { planVersion, type SaveVersion, saveErrors, saveVersion } from './versions.ts'
import { viewVersion } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  validate: Validate
  work: Pick<TextWork, 'compare' | 'sitesIn'>
}

const tags = ['configs']
const byNumber = defineCursor('versions', 'integer')
const notFound = [ConfigNotFound, VersionNotFound]
const named = Type.Object({ name: NameSchema })
const numbered = Type.Object({
  name: NameSchema,
  number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})
const headers = Type.Object({
  'farmstead-client': Type.Optional(
    Type.String({ maxLength: 128, description: 'Program and version; farmctl/… is kept as "cli"' }),
  ),
})
const permission = 'configs:read' as const
const CONTEXT_LINES = 3
/** Who may save a version has it. */
const WHOLE_FARM: Scope = null

export const versionRoutes = (deps: Deps) => async (app: App) => {
  const { db, validate, work } = deps

  app.get(
    '/configs/:name/versions',
    {
      config: { permission, scope: 'nodes', errors: [ConfigNotFound] },
      schema: {
        operationId: 'listVersions',
        tags,
        summary: 'The versions of a config, newest first, without their texts',
        params: named,
        querystring: VersionQuerySchema,
        response: { 200: pageOf(VersionSummarySchema) },
      },
    },
    async ({ params: { name }, query: { cursor, limit = 100, ...filters }, user }) => {
      if (!(await findConfig(db, name))) throw new ConfigNotFound(name)
      const [before = null] = byNumber.read(cursor) ?? []
      const found = await listVersions(db, name, {
        ...{ before, limit: limit + 1, scope: scopeOf(user) },
        ...filters,
      })
      const { rows, nextCursor } = byNumber.page(found, limit, (version) => [version.number])
      return { items: rows.map(viewVersion), nextCursor }
    },
  )

  app.get(
    '/configs/:name/versions/:number',
    {
      config: { permission, scope: 'nodes', errors: notFound },
      schema: {
        operationId: 'getVersion',
        tags,
        summary: 'One version with its author’s text',
        params: numbered,
        response: { 200: VersionSchema },
      },
    },
    async ({ params: { name, number }, user }) => viewWholeVersion(name, number, scopeOf(user)),
  )

  app.get(
    '/configs/:name/versions/:number/text',
    {
      config: { permission, errors: notFound },
      schema: {
        operationId: 'exportVersion',
        tags,
        summary: 'The author’s bytes as a file',
        description:
          'As text: JSON with comments is no application/json, and has no media type of its own. The ETag is the digest.',
        params: numbered,
        produces: ['text/plain'],
        response: {
          200: {
            description: 'The file',
            content: { 'text/plain': { schema: Type.String() } },
          },
        },
      },
    },
    async ({ params: { name, number } }, reply) => {
      const version = await requireVersion(name, number)
      reply
        .header('etag', `"${version.digest}"`)
        .header('content-disposition', `attachment; filename="${name}-v${number}.jsonc"`)
        .type('text/plain; charset=utf-8')
      return version.text
    },
  )

  app.post(
    '/configs/:name/versions',
    {
      config: { permission: 'configs:write', heavy: true, errors: saveErrors },
      schema: {
        operationId: 'createVersion',
        tags,
        summary: 'Save a version; the first one makes the config',
        description:
          'The text is checked by farmstead-node itself; a text it refuses is answered with 422 and the errors’ places. ' +
          'The latest version’s very text again is answered with that version and 200, whatever the parent. ' +
          'dryRun=1 answers what it would do, and refuses what it would refuse.',
        params: named,
        querystring: DryRunQuerySchema,
        headers,
        body: NewVersionSchema,
        response: {
          200: Type.Union([VersionSchema, VersionPlanSchema]),
          201: VersionSchema,
        },
      },
    },
    async (request, reply) => {
      const { source: imported, ...given } = request.body
      const version = {
        ...given,
        config: request.params.name,
        author: authorOf(request),
        source: sourceOf(request, imported === 'import'),
      }
      if (request.query.dryRun === '1') return plan(version)
      const { status, location, body } = await save(version)
      reply.code(status).header('location', location)
      return body
    },
  )

  app.post(
    '/configs/:name/versions/:number/actions/restore',
    {
      config: { permission: 'configs:write', heavy: true, errors: [...notFound, ...saveErrors] },
      schema: {
        operationId: 'restoreVersion',
        tags,
        summary: 'Save an old version’s text as a new version',
        description:
          'It is checked again: a newer farmstead-node may refuse what an older one took. dryRun=1 answers what it would do.',
        params: numbered,
        querystring: DryRunQuerySchema,
        body: RestoreSchema,
        response: {
          200: Type.Union([VersionSchema, VersionPlanSchema]),
          201: VersionSchema,
        },
      },
    },
    async (request, reply) => {
      const { name, number } = request.params
      const { text } = await requireVersion(name, number)
      const version = {
        ...request.body,
        text,
        config: name,
        author: authorOf(request),
        source: 'revert' as const,
      }
      if (request.query.dryRun === '1') return plan(version)
      const { status, location, body } = await save(version)
      reply.code(status).header('location', location)
      return body
    },
  )

  app.get(
    '/configs/:name/diff',
    {
      config: { permission, heavy: true, errors: notFound },
      schema: {
        operationId: 'diffVersions',
        tags,
        summary: 'What changed between two versions, by line and by JSON Pointer',
        description:
          'A side may be the draft; toConfig takes the other side from another config. Items of lists are known by what ' +
          'they are about (a site by its hosts), so that one that was put in is one change.',
        params: named,
        querystring: DiffQuerySchema,
        response: { 200: DiffSchema },
      },
    },
    async ({ params: { name }, query }) => {
      const { toConfig = name, context = CONTEXT_LINES } = query
      const [from, to] = [await readSide(name, query.from), await readSide(toConfig, query.to)]
      return {
        from: from.side,
        to: to.side,
        toConfig,
        fromText: from.text,
        toText: to.text,
        ...(await work.compare({ from: from.text, to: to.text, contextLines: context })),
      }
    },
  )

  const authorOf = ({ user }: Pick<FastifyRequest, 'user'>) => user?.username ?? ''

  const save = async (version: SaveVersion) => {
    const { number, created } = await saveVersion({ ...deps, sitesIn: work.sitesIn }, version)
    const { config } = version
    return {
      status: created ? (201 as const) : (200 as const),
      location: `/api/v1/configs/${config}/versions/${number}`,
      body: await viewWholeVersion(config, number, WHOLE_FARM),
    }
  }

  const plan = async (version: SaveVersion) => {
    const { config, parent, text } = version
    const { created, number, digest, source, latest } = await planVersion(db, validate, version)
    const compared = await work.compare({ from: latest, to: text, contextLines: CONTEXT_LINES })
    return {
      dryRun: true as const,
      config,
      creates: created,
      number,
      parent,
      digest,
      source,
      ...compared,
      changes: compared.changes ?? [],
    }
  }

  const requireVersion = async (name: string, number: number) => {
    const version = await findVersion(db, name, number)
    if (version) return version
    throw (await findConfig(db, name))
      ? new VersionNotFound(name, number)
      : new ConfigNotFound(name)
  }

  const viewWholeVersion = async (name: string, number: number, scope: Scope) => {
    const { text } = await requireVersion(name, number)
    const summary = await findVersionSummary(db, name, { number, scope })
    if (!summary) throw new VersionNotFound(name, number)
    return { ...viewVersion(summary), text }
  }

  const readSide = async (name: string, side: string) => {
    if (side !== 'draft') {
      const number = Number(side)
      return { side: number, text: (await requireVersion(name, number)).text }
    }
    const config = await findConfig(db, name)
    if (!config) throw new ConfigNotFound(name)
    return { side: 'draft' as const, text: config.draft_text }
  }
}

// SPDX-License-Identifier: MIT
// Configs: drafts that several people may edit safely, and versions that never change.
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { Write } from '../../db/write.ts'
import { PreconditionFailed } from '../../errors.ts'
import type { App } from '../../fastify.ts'
import { sha256 } from '../../ids.ts'
import { etagOf, requireIfMatch } from '../../preconditions.ts'
import { NameSchema, PageQuerySchema, ProblemSchema, pageOf } from '../../schema/common.ts'
import { defineCursor } from '../../schema/cursor.ts'
import { diffValues } from './diff.ts'
import { ConfigNotFound, DraftChanged, VersionNotFound } from './errors.ts'
import {
  ConfigSchema,
  DiffSchema,
  DraftSchema,
  NewVersionSchema,
  PutDraftSchema,
  ValidateSchema,
  ValidationSchema,
  VersionSchema,
  VersionSummarySchema,
} from './schema.ts'
import type { SchemaNode } from './schema-walk.ts'
import {
  type ConfigRow,
  type ConfigSummary,
  findConfig,
  findConfigSummary,
  findVersion,
  findVersionSummary,
  latestVersion,
  listConfigs,
  listVersions,
  updateDraft,
  type VersionSummary,
} from './store.ts'
import { parseConfigText } from './text.ts'
import type { Validate } from './validation.ts'
import { saveErrors, saveVersion } from './versions.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  validate: Validate
  schema: SchemaNode
}

const tags = ['configs']
const byName = defineCursor('configs', 'text')
const byNumber = defineCursor('versions', 'integer')
const named = Type.Object({ name: NameSchema })
const numbered = Type.Object({ name: NameSchema, number: Type.Integer({ minimum: 1 }) })
const headers = Type.Object({ 'if-match': Type.Optional(Type.String({ maxLength: 256 })) })
const permission = 'configs:read' as const

export const configRoutes = (deps: Deps) => async (app: App) => {
  const { db, write, now, validate, schema } = deps

  app.get(
    '/config-schema',
    {
      config: { permission, errors: [] },
      schema: {
        operationId: 'getConfigSchema',
        tags,
        summary: 'The JSON Schema of a node’s configuration, as the node prints it',
        response: { 200: Type.Unknown() },
      },
    },
    async () => schema,
  )

  app.get(
    '/configs',
    {
      config: { permission, errors: [] },
      schema: {
        operationId: 'listConfigs',
        tags,
        summary: 'All configs by name',
        querystring: PageQuerySchema,
        response: { 200: pageOf(ConfigSchema) },
      },
    },
    async ({ query: { cursor, limit = 100 } }) => {
      const [after = ''] = byName.read(cursor) ?? []
      const found = await listConfigs(db, { after, limit: limit + 1 })
      const { rows, nextCursor } = byName.page(found, limit, (config) => [config.name])
      return { items: rows.map(viewConfig), nextCursor }
    },
  )

  app.get(
    '/configs/:name',
    {
      config: { permission, errors: [ConfigNotFound] },
      schema: {
        operationId: 'getConfig',
        tags,
        summary: 'One config: its latest version, and whether its draft differs',
        params: named,
        response: { 200: ConfigSchema },
      },
    },
    async ({ params: { name } }) => {
      const config = await findConfigSummary(db, name)
      if (!config) throw new ConfigNotFound(name)
      return viewConfig(config)
    },
  )

  app.get(
    '/configs/:name/versions',
    {
      config: { permission, errors: [ConfigNotFound] },
      schema: {
        operationId: 'listVersions',
        tags,
        summary: 'The versions of a config, newest first, without their texts',
        params: named,
        querystring: PageQuerySchema,
        response: { 200: pageOf(VersionSummarySchema) },
      },
    },
    async ({ params: { name }, query: { cursor, limit = 100 } }) => {
      if (!(await findConfig(db, name))) throw new ConfigNotFound(name)
      const [before = null] = byNumber.read(cursor) ?? []
      const found = await listVersions(db, name, { before, limit: limit + 1 })
      const { rows, nextCursor } = byNumber.page(found, limit, (version) => [version.number])
      return { items: rows.map(viewVersion), nextCursor }
    },
  )

  app.get(
    '/configs/:name/versions/:number',
    {
      config: { permission, errors: [ConfigNotFound, VersionNotFound] },
      schema: {
        operationId: 'getVersion',
        tags,
        summary: 'One version with its author’s text',
        params: numbered,
        response: { 200: VersionSchema },
      },
    },
    async ({ params: { name, number } }) => viewWholeVersion(name, number),
  )

  app.post(
    '/configs/:name/versions',
    {
      config: {
        permission: 'configs:write',
        errors: saveErrors,
      },
      schema: {
        operationId: 'createVersion',
        tags,
        summary: 'Save a version; the first one makes the config',
        description:
          'The text is checked by farmstead-node itself; a text it refuses is answered with 422 and the errors’ places. ' +
          'To restore an old version, save its text again.',
        params: named,
        body: NewVersionSchema,
        response: {
          201: VersionSchema,
        },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const author = request.user?.username ?? ''
      const version = { ...request.body, config: name, author, source: 'ui' as const }
      const number = await saveVersion({ write, validate, now }, version)
      reply.code(201).header('location', `/api/v1/configs/${name}/versions/${number}`)
      return viewWholeVersion(name, number)
    },
  )

  app.get(
    '/configs/:name/draft',
    {
      config: { permission, errors: [ConfigNotFound] },
      schema: {
        operationId: 'getDraft',
        tags,
        summary: 'The draft of a config; its ETag is for changing it',
        params: named,
        response: { 200: DraftSchema },
      },
    },
    async ({ params: { name } }, reply) => {
      const config = await findConfig(db, name)
      if (!config) throw new ConfigNotFound(name)
      return showDraft(reply, config)
    },
  )

  app.put(
    '/configs/:name/draft',
    {
      config: { permission: 'configs:write', errors: [ConfigNotFound] },
      schema: {
        operationId: 'putDraft',
        tags,
        summary: 'Replace the draft; If-Match must name the ETag it was read with',
        description:
          'When somebody was faster, 412 carries the draft as it is now in "current" and its ETag in "etag".',
        params: named,
        headers,
        body: PutDraftSchema,
        response: { 200: DraftSchema, 412: DraftChangedSchema },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const author = request.user?.username ?? ''
      const after = await write(async (unit) => {
        const config = await findConfig(unit.trx, name)
        if (!config) throw new ConfigNotFound(name)
        requireDraftMatch(request.headers['if-match'], config)
        const { text } = request.body
        // Begun from an older version, it stays begun from there: saying otherwise would hide what came between.
        const latest = await latestVersion(unit.trx, name)
        const base = latest?.text === text ? latest.number : config.draft_base
        const revision = config.draft_revision + 1
        await updateDraft(unit, { name, text, base, author, revision, nowMs: now() })
        await unit.emit({
          kind: 'config',
          id: name,
          action: 'draft-changed',
          actor: author,
          // Not the texts: an audit of every keystroke's megabyte would be the largest thing we keep.
          data: {
            before: { revision: config.draft_revision, sha256: sha256(config.draft_text) },
            after: { revision, sha256: sha256(text) },
          },
        })
        return await findConfig(unit.trx, name)
      })
      if (!after) throw new ConfigNotFound(name)
      return showDraft(reply, after)
    },
  )

  app.get(
    '/configs/:name/diff',
    {
      config: { permission, errors: [ConfigNotFound, VersionNotFound] },
      schema: {
        operationId: 'diffVersions',
        tags,
        summary: 'What changed between two versions, by JSON Pointer',
        params: named,
        querystring: Type.Object({
          from: Type.Integer({ minimum: 1 }),
          to: Type.Integer({ minimum: 1 }),
        }),
        response: { 200: DiffSchema },
      },
    },
    async ({ params: { name }, query }) => {
      const [from, to] = [await readVersion(name, query.from), await readVersion(name, query.to)]
      return {
        from: query.from,
        to: query.to,
        fromText: from.text,
        toText: to.text,
        changes: diffValues(from.value, to.value, schema),
      }
    },
  )

  app.post(
    '/configs/validate',
    {
      config: { permission, errors: [] },
      schema: {
        operationId: 'validateConfig',
        tags,
        summary: 'Would farmstead-node take this text? Nothing is stored',
        body: ValidateSchema,
        response: { 200: ValidationSchema },
      },
    },
    async ({ body: { text } }) => {
      const { ok, digest, errors } = await validate(text)
      return { ok, digest, errors }
    },
  )

  const viewWholeVersion = async (name: string, number: number) => {
    const [summary, version] = [
      await findVersionSummary(db, name, number),
      await findVersion(db, name, number),
    ]
    if (summary && version) return { ...viewVersion(summary), text: version.text }
    throw (await findConfig(db, name))
      ? new VersionNotFound(name, number)
      : new ConfigNotFound(name)
  }

  const readVersion = async (name: string, number: number) => {
    const version = await findVersion(db, name, number)
    if (!version) {
      throw (await findConfig(db, name))
        ? new VersionNotFound(name, number)
        : new ConfigNotFound(name)
    }
    const parsed = parseConfigText(version.text)
    if (!parsed.ok)
      throw new Error(`version ${number} of ${name} does not parse: control.db is damaged`)
    return { text: version.text, value: parsed.value }
  }
}

const DraftChangedSchema = Type.Intersect([
  ProblemSchema,
  Type.Object({ current: DraftSchema, etag: Type.String() }),
])

/** As every precondition, but the refusal brings what it is now, so that nothing typed is lost. */
function requireDraftMatch(ifMatch: string | undefined, config: ConfigRow): void {
  const etag = etagOf(config.draft_revision)
  try {
    requireIfMatch(ifMatch, etag)
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error
    throw new DraftChanged(config.draft_updated_by ?? 'Somebody')
      .withMembers({ current: viewDraft(config), etag })
      .withHeaders({ etag })
  }
}

function showDraft(reply: FastifyReply, config: ConfigRow) {
  reply.header('etag', etagOf(config.draft_revision))
  return viewDraft(config)
}

const viewDraft = (config: ConfigRow) => ({
  text: config.draft_text,
  baseVersion: config.draft_base,
  updatedBy: config.draft_updated_by,
  updatedAt: new Date(config.draft_updated_at_ms).toISOString(),
})

const viewConfig = ({ updatedAtMs, ...config }: ConfigSummary) => ({
  ...config,
  updatedAt: new Date(updatedAtMs).toISOString(),
})

const viewVersion = ({ created_at_ms, source, ...version }: VersionSummary) => ({
  ...version,
  source: source as 'ui',
  createdAt: new Date(created_at_ms).toISOString(),
})

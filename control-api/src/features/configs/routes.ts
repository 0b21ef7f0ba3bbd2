// SPDX-License-Identifier: MIT
// Configs: drafts that several people may edit safely, and versions that never change.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { IfMatchSchema, NameSchema, pageOf } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import type { Unit, Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { TextEffect } from '../../fleet/config-ports.ts'
import type { App } from '../../http/app-types.ts'
import { requireIfMatch } from '../../http/preconditions.ts'
import { limits } from '../../plugins/limits.ts'
import type { Validate } from './check/validation.ts'
import { draftRoutes } from './draft-routes.ts'
import { ConfigInUse, ConfigNotFound } from './errors.ts'
import { previewRoutes } from './preview-routes.ts'
import { describeUses } from './rules.ts'
import { ConfigQuerySchema, ConfigSchema, ValidateSchema, ValidationSchema } from './schema.ts'
import { deleteConfig, findConfigSummary, listConfigs, usesOfConfig } from './store.ts'
import type { SchemaNode } from './text/schema-walk.ts'
import type { TextWork } from './text-work.ts'
import { versionRoutes } from './version-routes.ts'
import { configEtag, viewConfig } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  validate: Validate
  schema: SchemaNode
  work: Pick<TextWork, 'compare' | 'explainConflict' | 'merge' | 'sitesIn'>
  effectOf: TextEffect
  /** What else names a config, in words; empty: nothing. */
  namedBy: (unit: Unit, config: string) => Promise<string[]>
}

const tags = ['configs']
const byName = defineCursor('configs', 'text')
const params = Type.Object({ name: NameSchema })
const permission = 'configs:read' as const

export const configRoutes = (deps: Deps) => async (app: App) => {
  const { db, write, now, validate, schema, namedBy } = deps

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
        querystring: ConfigQuerySchema,
        response: { 200: pageOf(ConfigSchema) },
      },
    },
    async ({ query: { cursor, limit = 100, q = '' } }) => {
      const [after = ''] = byName.read(cursor) ?? []
      const found = await listConfigs(db, { after, limit: limit + 1, q })
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
        params,
        response: { 200: ConfigSchema },
      },
    },
    async ({ params: { name } }, reply) => {
      const config = await findConfigSummary(db, name)
      if (!config) throw new ConfigNotFound(name)
      reply.header('etag', configEtag(config))
      return viewConfig(config)
    },
  )

  app.delete(
    '/configs/:name',
    {
      config: { permission: 'configs:write', errors: [ConfigNotFound, ConfigInUse] },
      schema: {
        operationId: 'deleteConfig',
        tags,
        summary: 'Remove a config that no node ever got, with its versions',
        description:
          '409 `config_in_use` says what keeps it: groups that name it, and versions that were ever rolled out or released, which are kept for ever.',
        params,
        headers: IfMatchSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      await write(async (unit) => {
        const config = await findConfigSummary(unit.trx, name)
        if (!config) throw new ConfigNotFound(name)
        requireIfMatch(request.headers['if-match'], configEtag(config))
        const history = describeUses(await usesOfConfig(unit.trx, name))
        const named = await namedBy(unit, name)
        if (history.length + named.length > 0) throw new ConfigInUse(name, { history, named })
        await deleteConfig(unit, name, now())
        const actor = request.user?.username ?? ''
        const data = { before: { latestVersion: config.latestVersion }, after: null }
        await unit.emit({ kind: 'config', id: name, action: 'removed', actor, data })
      })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/configs/validate',
    {
      config: {
        permission,
        rateLimit: limits.expensive,
        heavy: true,
        idempotency: false,
        errors: [],
      },
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

  await versionRoutes(deps)(app)
  await draftRoutes(deps)(app)
  await previewRoutes(deps)(app)
}

// SPDX-License-Identifier: MIT
// What a text would come to before it is saved: on the nodes, and with what others saved meanwhile. Nothing is stored.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { scopeOf } from '../../access/scope.ts'
import { NameSchema } from '../../api-shapes/common.ts'
import { EffectSchema } from '../../api-shapes/effect.ts'
import { VersionNotFound } from '../../api-shapes/errors.ts'
import type { Database } from '../../db/database.ts'
import type { TextEffect } from '../../fleet/config-ports.ts'
import type { App } from '../../http/app-types.ts'
import { requirePermission } from '../../http/require-permission.ts'
import { NodeCheckUnavailable } from '../../node-check/errors.ts'
import { limits } from '../../plugins/limits.ts'
import type { Validate } from './check/validation.ts'
import { ConfigInvalid, ConfigNotFound } from './errors.ts'
import { MergedSchema, MergeSchema, ValidateSchema } from './schema.ts'
import { findConfigSummary, findVersion, latestVersion } from './store.ts'
import type { TextWork } from './text-work.ts'
import { requireValid } from './versions.ts'

type Deps = {
  db: Kysely<Database>
  validate: Validate
  work: Pick<TextWork, 'merge'>
  effectOf: TextEffect
}

const tags = ['configs']
const params = Type.Object({ name: NameSchema })
/** What both routes are: dear, and no change that a second call must not repeat. */
const asking = {
  permission: 'configs:read',
  rateLimit: limits.expensive,
  heavy: true,
  idempotency: false,
} as const

export const previewRoutes =
  ({ db, validate, work, effectOf }: Deps) =>
  async (app: App) => {
    app.post(
      '/configs/:name/effect',
      {
        config: {
          ...asking,
          scope: 'nodes',
          errors: [ConfigNotFound, ConfigInvalid, NodeCheckUnavailable],
        },
        schema: {
          operationId: 'previewEffect',
          tags,
          summary: 'What this text would do to the nodes as the config’s next version',
          description:
            'Who would get another config than now with the next rollout to them, and who would refuse it. A text that farmstead-node would not take is refused as saving a version refuses it.',
          params,
          body: ValidateSchema,
          response: { 200: EffectSchema },
        },
      },
      async ({ params: { name }, body: { text }, user }) => {
        // It names nodes, and says what their owners refuse.
        requirePermission(user, 'nodes:read')
        if (!(await findConfigSummary(db, name))) throw new ConfigNotFound(name)
        requireValid(await validate(text))
        return await effectOf({ config: name, text, scope: scopeOf(user) })
      },
    )

    app.post(
      '/configs/:name/merge',
      {
        config: { ...asking, errors: [ConfigNotFound, VersionNotFound] },
        schema: {
          operationId: 'mergeVersions',
          tags,
          summary: 'Put a text that was begun on an older version together with the latest one',
          description:
            'Line by line, as a refused change of a draft is: what only one side changed is taken, what both changed stands in marks as git’s.',
          params,
          body: MergeSchema,
          response: { 200: MergedSchema },
        },
      },
      async ({ params: { name }, body: { text, baseVersion } }) => {
        const latest = await latestVersion(db, name)
        if (!latest) throw new ConfigNotFound(name)
        const base = await findVersion(db, name, baseVersion)
        if (!base) throw new VersionNotFound(name, baseVersion)
        const { number, author, message } = latest
        const labels = { mine: 'your text', current: `v${number} by ${author}` }
        const merged = await work.merge({
          base: base.text,
          mine: text,
          current: latest.text,
          labels,
        })
        return { version: number, author, message, ...merged }
      },
    )
  }

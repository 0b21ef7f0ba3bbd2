// SPDX-License-Identifier: MIT
// A config's draft: several people may edit it, and nobody overwrites what they have not seen.
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { IfMatchSchema, IfNoneMatchSchema, NameSchema } from '../../api-shapes/common.ts'
import { PreconditionFailed, VersionNotFound } from '../../api-shapes/errors.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { sha256 } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import { actorOf } from '../../http/actor.ts'
import type { App } from '../../http/app-types.ts'
import { etagOf, requireIfMatch } from '../../http/preconditions.ts'
import { revisionIn } from './drafts/conflict.ts'
import { changeDraft, type DraftRevision, revisionsSince } from './drafts/store.ts'
import { ConfigNotFound, DraftChanged, DraftNotDiscarded } from './errors.ts'
import { DraftConflictSchema, DraftSchema, PutDraftSchema } from './schema.ts'
import { type ConfigRow, findConfig, findVersion, latestVersion } from './store.ts'
import type { TextWork } from './text-work.ts'
import { showDraft, viewDraft } from './view.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  work: Pick<TextWork, 'explainConflict'>
}

const tags = ['configs']
const params = Type.Object({ name: NameSchema })

export const draftRoutes =
  ({ db, write, now, work }: Deps) =>
  async (app: App) => {
    app.get(
      '/configs/:name/draft',
      {
        config: { permission: 'configs:read', errors: [ConfigNotFound] },
        schema: {
          operationId: 'getDraft',
          tags,
          summary: 'The draft of a config; its ETag is for changing it',
          params,
          headers: IfNoneMatchSchema,
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
        config: {
          permission: 'configs:write',
          heavy: true,
          errors: [ConfigNotFound, VersionNotFound],
        },
        schema: {
          operationId: 'putDraft',
          tags,
          summary: 'Replace the draft; If-Match must name the ETag it was read with',
          description:
            'When somebody was faster, 412 says who changed what and carries a three-way merge of both texts.',
          params,
          headers: IfMatchSchema,
          body: PutDraftSchema,
          response: { 200: DraftSchema, 412: DraftConflictSchema },
        },
      },
      async (request, reply) => {
        const { text, baseVersion } = request.body
        const done = await write(async (unit) => {
          const { config, missed } = await openDraft(unit, request)
          if (missed) return { config, missed }
          // Begun from an older version, it stays begun from there: saying otherwise would hide what came between.
          const latest = await latestVersion(unit.trx, config.name)
          const base =
            latest?.text === text ? latest.number : await baseOf(unit, config, baseVersion)
          await change(unit, config, {
            text,
            base,
            actor: actorOf(request),
            action: 'draft-changed',
          })
          return { config: await reread(unit, config.name), missed: null }
        })
        if (done.missed) throw await conflict(DraftChanged, done.config, done.missed, text)
        return showDraft(reply, done.config)
      },
    )

    app.delete(
      '/configs/:name/draft',
      {
        config: { permission: 'configs:write', heavy: true, errors: [ConfigNotFound] },
        schema: {
          operationId: 'discardDraft',
          tags,
          summary: 'Discard what was changed in the draft: it is the latest version again',
          params,
          headers: IfMatchSchema,
          response: { 200: DraftSchema, 412: DraftConflictSchema },
        },
      },
      async (request, reply) => {
        const done = await write(async (unit) => {
          const { config, missed } = await openDraft(unit, request)
          if (missed) return { config, missed }
          const latest = await latestVersion(unit.trx, config.name)
          if (!latest) throw new Error(`${config.name} has no version: control.db is damaged`)
          const { text, number: base } = latest
          const isSame = text === config.draft_text && base === config.draft_base
          if (isSame) return { config, missed: null }
          await change(unit, config, {
            text,
            base,
            actor: actorOf(request),
            action: 'draft-discarded',
          })
          return { config: await reread(unit, config.name), missed: null }
        })
        if (done.missed) throw await conflict(DraftNotDiscarded, done.config, done.missed, null)
        return showDraft(reply, done.config)
      },
    )

    type DraftRequest = { params: { name: string }; headers: { 'if-match'?: string | undefined } }

    /** `missed`: the drafts since the one the request knows; null: it knows the present one. */
    const openDraft = async ({ trx }: Unit, request: DraftRequest) => {
      const { name } = request.params
      const config = await findConfig(trx, name)
      if (!config) throw new ConfigNotFound(name)
      const ifMatch = request.headers['if-match']
      try {
        requireIfMatch(ifMatch, etagOf(config.draft_revision))
        return { config, missed: null }
      } catch (error) {
        if (!(error instanceof PreconditionFailed)) throw error
        return { config, missed: await revisionsSince(trx, name, revisionIn(ifMatch ?? '')) }
      }
    }

    /** Who sends a text with If-Match knows what it was begun from, or was merged with. */
    const baseOf = async ({ trx }: Unit, { name, draft_base }: ConfigRow, said?: number) => {
      if (said === undefined) return draft_base
      if (!(await findVersion(trx, name, said))) throw new VersionNotFound(name, said)
      return said
    }

    type NewDraft = {
      text: string
      base: number
      actor: string
      action: 'draft-changed' | 'draft-discarded'
    }

    const change = async (unit: Unit, config: ConfigRow, draft: NewDraft) => {
      const { text, base, actor, action } = draft
      const { name, draft_revision } = config
      const revision = draft_revision + 1
      await changeDraft(unit, { name, text, base, author: actor, revision, nowMs: now() })
      // Not the texts: an audit of every keystroke's megabyte would be the largest thing we keep.
      const data = {
        before: { revision: draft_revision, sha256: sha256(config.draft_text) },
        after: { revision, sha256: sha256(text) },
      }
      await unit.emit({ kind: 'config', id: name, action, actor, data })
    }

    const reread = async ({ trx }: Unit, name: string) => {
      const config = await findConfig(trx, name)
      if (!config) throw new ConfigNotFound(name)
      return config
    }

    /** The refusal brings all that is needed to go on, so that nothing typed is lost. */
    const conflict = async (
      Refusal: typeof DraftChanged | typeof DraftNotDiscarded,
      config: ConfigRow,
      missed: readonly DraftRevision[],
      mine: string | null,
    ) => {
      const etag = etagOf(config.draft_revision)
      return new Refusal(config.draft_updated_by ?? 'Somebody')
        .withMembers({
          current: viewDraft(config),
          etag,
          ...(await work.explainConflict(missed, mine)),
        })
        .withHeaders({ etag })
    }
  }

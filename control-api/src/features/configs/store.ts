// SPDX-License-Identifier: MIT
// Configs, drafts, versions and releases in control.db.
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Unit } from '../../db/write.ts'
import type { Recipient } from '../../grouping.ts'
import type { ConfigTables } from './tables.ts'

type Reader = Kysely<Database> | Transaction<Database>
export type ConfigRow = Selectable<ConfigTables['configs']>
export type VersionRow = Selectable<ConfigTables['config_versions']>
export type ConfigSummary = {
  name: string
  latestVersion: number | null
  draftChanged: boolean
  updatedAtMs: number
}
export type VersionSummary = Omit<VersionRow, 'text'> & { sizeBytes: number; nodes: number }
export type NewVersion = Omit<VersionRow, 'number' | 'created_at_ms'>
export type Page = { before: number | null; limit: number }

export async function listConfigs(
  db: Reader,
  { after, limit }: { after: string; limit: number },
): Promise<ConfigSummary[]> {
  const rows = await summaries(db).where('name', '>', after).orderBy('name').limit(limit).execute()
  return rows.map(toSummary)
}

export async function findConfigSummary(
  db: Reader,
  name: string,
): Promise<ConfigSummary | undefined> {
  const row = await summaries(db).where('name', '=', name).executeTakeFirst()
  return row && toSummary(row)
}

const summaries = (db: Reader) =>
  db
    .selectFrom('configs')
    .leftJoin('config_versions as latest', (join) =>
      join.onRef('latest.config', '=', 'configs.name').on('latest.number', '=', (eb) =>
        eb
          .selectFrom('config_versions as v')
          .select(({ fn }) => fn.max('v.number').as('number'))
          .whereRef('v.config', '=', 'configs.name'),
      ),
    )
    .select(['configs.name', 'configs.updated_at_ms', 'latest.number'])
    .select(sql<number>`configs.draft_text is distinct from latest.text`.as('draft_changed'))

const toSummary = (row: {
  name: string
  number: number | null
  draft_changed: number
  updated_at_ms: number
}) => ({
  name: row.name,
  latestVersion: row.number,
  draftChanged: row.draft_changed === 1,
  updatedAtMs: row.updated_at_ms,
})

export const findConfig = (db: Reader, name: string): Promise<ConfigRow | undefined> =>
  db.selectFrom('configs').selectAll().where('name', '=', name).executeTakeFirst()

export const findVersion = (
  db: Reader,
  config: string,
  number: number,
): Promise<VersionRow | undefined> =>
  db
    .selectFrom('config_versions')
    .selectAll()
    .where('config', '=', config)
    .where('number', '=', number)
    .executeTakeFirst()

export const latestVersion = (db: Reader, config: string): Promise<VersionRow | undefined> =>
  db
    .selectFrom('config_versions')
    .selectAll()
    .where('config', '=', config)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Newest first. */
export async function listVersions(
  db: Reader,
  config: string,
  page: Page,
): Promise<VersionSummary[]> {
  return await versionSummaries(db)
    .where('config', '=', config)
    .$if(page.before !== null, (query) => query.where('number', '<', page.before ?? 0))
    .orderBy('number', 'desc')
    .limit(page.limit)
    .execute()
}

export const findVersionSummary = (
  db: Reader,
  config: string,
  number: number,
): Promise<VersionSummary | undefined> =>
  versionSummaries(db).where('config', '=', config).where('number', '=', number).executeTakeFirst()

/** `nodes` counts whose effective digest came to them last under this version. */
const versionSummaries = (db: Reader) =>
  db
    .selectFrom('config_versions as v')
    .select([
      'config',
      'number',
      'digest',
      'parent',
      'author',
      'message',
      'source',
      'created_at_ms',
    ])
    .select(sql<number>`octet_length(v.text)`.as('sizeBytes'))
    .select(
      sql<number>`(
        select count(*) from nodes n
        where n.decommissioned_at_ms is null
          and (
            select a.config = v.config and a.version = v.number
            from assignments a
            where a.node_id = n.id and a.digest = n.effective ->> 'digest'
            order by a.generation desc limit 1
          )
      )`.as('nodes'),
    )

/** The text of an older version is back: which one? */
export async function versionWithText(
  db: Reader,
  config: string,
  text: string,
): Promise<number | null> {
  const row = await db
    .selectFrom('config_versions')
    .select('number')
    .where('config', '=', config)
    .where('text', '=', text)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.number ?? null
}

/** Makes the config with its first version. A draft nobody else has touched follows the new version. */
export async function insertVersion(
  { trx }: Unit,
  version: NewVersion,
  nowMs: number,
): Promise<number> {
  const { config, text, author } = version
  const number = (version.parent ?? 0) + 1
  const draft = {
    draft_text: text,
    draft_base: number,
    draft_updated_by: author,
    draft_updated_at_ms: nowMs,
    updated_at_ms: nowMs,
  }
  const before = await findConfig(trx, config)
  if (!before) {
    await trx
      .insertInto('configs')
      .values({ name: config, ...draft, draft_revision: 1 })
      .execute()
  }
  await trx
    .insertInto('config_versions')
    .values({ ...version, number, created_at_ms: nowMs })
    .execute()
  if (before) {
    const parent =
      version.parent === null ? undefined : await findVersion(trx, config, version.parent)
    const ours = before.draft_text === text || before.draft_text === parent?.text
    await trx
      .updateTable('configs')
      .set(
        ours ? { ...draft, draft_revision: before.draft_revision + 1 } : { updated_at_ms: nowMs },
      )
      .where('name', '=', config)
      .execute()
  }
  return number
}

type DraftChange = {
  name: string
  text: string
  base: number
  author: string
  revision: number
  nowMs: number
}

export async function updateDraft({ trx }: Unit, draft: DraftChange): Promise<void> {
  await trx
    .updateTable('configs')
    .set({
      draft_text: draft.text,
      draft_base: draft.base,
      draft_updated_by: draft.author,
      draft_updated_at_ms: draft.nowMs,
      draft_revision: draft.revision,
      updated_at_ms: draft.nowMs,
    })
    .where('name', '=', draft.name)
    .execute()
}

type NewRelease = { config: string; version: number; rolloutId: string | null; nowMs: number }

export async function insertRelease({ trx }: Unit, release: NewRelease): Promise<void> {
  const { config, version, rolloutId, nowMs } = release
  await trx
    .insertInto('releases')
    .values({ config, version, rollout_id: rolloutId, at_ms: nowMs })
    .execute()
}

export const lastRelease = (db: Reader) => releases(db).executeTakeFirst()

/** Of one config. */
export const lastReleaseOf = (db: Reader, config: string) =>
  releases(db).where('v.config', '=', config).executeTakeFirst()

/** The last one that goes to these nodes. */
export const lastReleaseFor = (db: Reader, { group: { config }, claimed }: Recipient) =>
  releases(db)
    .$if(config !== null, (query) => query.where('v.config', '=', config ?? ''))
    .$if(config === null, (query) => query.where('v.config', 'not in', [...claimed]))
    .executeTakeFirst()

/** Newest first. */
const releases = (db: Reader) =>
  db
    .selectFrom('releases')
    .innerJoin('config_versions as v', (join) =>
      join.onRef('v.config', '=', 'releases.config').onRef('v.number', '=', 'releases.version'),
    )
    .select(['v.config', 'v.number as version', 'v.text'])
    .orderBy('releases.id', 'desc')
    .limit(1)

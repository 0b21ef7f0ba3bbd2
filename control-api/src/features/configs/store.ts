// SPDX-License-Identifier: MIT
// Configs, drafts, versions and releases in control.db.
import { type Selectable, sql } from 'kysely'
import type { Scope } from '../../access/scope.ts'
import { countAssignmentsOf } from '../../assignments/store.ts'
import type { Unit } from '../../audit/write.ts'
import type { Reader } from '../../db/database.ts'
import { lowered } from '../../db/lowered.ts'
import type { ConfigTables } from '../../db/tables/configs.ts'
import type { Recipient } from '../../labels/grouping.ts'
import { nodesByVersion } from '../../node-identity/store/nodes.ts'
import { changeDraft } from './drafts/store.ts'

export type ConfigRow = Selectable<ConfigTables['configs']>
export type VersionRow = Selectable<ConfigTables['config_versions']>
export type ConfigSummary = {
  name: string
  latestVersion: number | null
  draftChanged: boolean
  draftRevision: number
  updatedAtMs: number
}
export type VersionSummary = Omit<VersionRow, 'text'> & { sizeBytes: number; nodes: number }
export type NewVersion = Omit<VersionRow, 'number' | 'created_at_ms'>
export type VersionPage = {
  before: number | null
  limit: number
  /** Of the nodes that are counted. */
  scope: Scope
  author?: string | undefined
  source?: string | undefined
  /** Part of the message, or the number. */
  q?: string | undefined
}

export async function listConfigs(
  db: Reader,
  { after, limit, q }: { after: string; limit: number; q: string },
): Promise<ConfigSummary[]> {
  const rows = await summaries(db)
    .where('name', '>', after)
    .$if(q !== '', (query) => query.where(sql<boolean>`instr(configs.name, ${q}) > 0`))
    .orderBy('name')
    .limit(limit)
    .execute()
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
    .select(['configs.name', 'configs.updated_at_ms', 'configs.draft_revision', 'latest.number'])
    .select(sql<number>`configs.draft_text is distinct from latest.text`.as('draft_changed'))

const toSummary = (row: {
  name: string
  number: number | null
  draft_changed: number
  draft_revision: number
  updated_at_ms: number
}) => ({
  name: row.name,
  latestVersion: row.number,
  draftChanged: row.draft_changed === 1,
  draftRevision: row.draft_revision,
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
  { before, limit, scope, author, source, q = '' }: VersionPage,
): Promise<VersionSummary[]> {
  const rows = await versionSummaries(db)
    .where('config', '=', config)
    .$if(before !== null, (query) => query.where('number', '<', before ?? 0))
    .$if(author !== undefined, (query) => query.where('author', '=', author ?? ''))
    .$if(source !== undefined, (query) => query.where('source', '=', source ?? ''))
    .$if(q !== '', (query) => query.where(isFoundBy(q)))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()
  // Without versions there is none to look at.
  const { from, to } = { from: rows.at(-1)?.number ?? 1, to: rows[0]?.number ?? 0 }
  const nodes = await nodesByVersion(db, { config, from, to, scope })
  return rows.map((row) => ({ ...row, nodes: nodes.get(row.number) ?? 0 }))
}

const isFoundBy = (q: string) =>
  sql<boolean>`(instr(lower(message), ${lowered(q)}) > 0 or cast(number as text) = ${NUMBER.exec(q)?.[1] ?? null})`
const NUMBER = /^v?([1-9]\d*)$/

export async function findVersionSummary(
  db: Reader,
  config: string,
  { number, scope }: { number: number; scope: Scope },
): Promise<VersionSummary | undefined> {
  const row = await versionSummaries(db)
    .where('config', '=', config)
    .where('number', '=', number)
    .executeTakeFirst()
  if (!row) return undefined
  const nodes = await nodesByVersion(db, { config, from: number, to: number, scope })
  return { ...row, nodes: nodes.get(number) ?? 0 }
}

/** From an index alone: a row's columns behind its text are read through all of the text's pages. */
export const versionSummaries = (db: Reader) =>
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
    .select(
      sql<number>`(
        select octet_length(t.text) from config_versions t
        where t.config = v.config and t.number = v.number
      )`.as('sizeBytes'),
    )

/** The text of an older version is back: which one? */
export async function versionWithText(
  db: Reader,
  { config, text, digest }: { config: string; text: string; digest: string },
): Promise<number | null> {
  const row = await db
    .selectFrom('config_versions')
    .select('number')
    .where('config', '=', config)
    .where('digest', '=', digest)
    .where('text', '=', text)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.number ?? null
}

/** Makes the config with its first version. A draft nobody else has touched follows the new version. */
export async function insertVersion(
  unit: Unit,
  version: NewVersion,
  nowMs: number,
): Promise<number> {
  const { trx } = unit
  const { config, text, author } = version
  const number = (version.parent ?? 0) + 1
  const before = await findConfig(trx, config)
  const parent =
    version.parent === null ? undefined : await findVersion(trx, config, version.parent)
  if (!before) await insertConfig(unit, { name: config, text, author, nowMs })
  await trx
    .insertInto('config_versions')
    .values({ ...version, number, created_at_ms: nowMs })
    .execute()
  const follows = !before || before.draft_text === text || before.draft_text === parent?.text
  const revision = (before?.draft_revision ?? 0) + 1
  if (follows)
    await changeDraft(unit, { name: config, text, base: number, author, revision, nowMs })
  else await touchConfig(unit, config, nowMs)
  return number
}

type NewConfig = { name: string; text: string; author: string; nowMs: number }

const insertConfig = ({ trx }: Unit, { name, text, author, nowMs }: NewConfig) =>
  trx
    .insertInto('configs')
    .values({
      name,
      draft_text: text,
      draft_base: 1,
      draft_updated_by: author,
      draft_updated_at_ms: nowMs,
      draft_revision: 1,
      updated_at_ms: nowMs,
    })
    .execute()

const touchConfig = ({ trx }: Unit, name: string, nowMs: number) =>
  trx.updateTable('configs').set({ updated_at_ms: nowMs }).where('name', '=', name).execute()

/** Only of a config that no node ever got: the database refuses any other. */
export async function deleteConfig({ trx }: Unit, name: string, nowMs: number): Promise<void> {
  await trx.updateTable('configs').set({ removed_at_ms: nowMs }).where('name', '=', name).execute()
  await trx.deleteFrom('draft_revisions').where('config', '=', name).execute()
  await trx.deleteFrom('config_versions').where('config', '=', name).execute()
  await trx.deleteFrom('configs').where('name', '=', name).execute()
}

/** Counts of what keeps a config for ever. */
export async function usesOfConfig(db: Reader, config: string) {
  const releases = await db
    .selectFrom('releases')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('config', '=', config)
    .executeTakeFirstOrThrow()
  const rollouts = await db
    .selectFrom('rollouts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('config', '=', config)
    .executeTakeFirstOrThrow()
  return {
    releases: releases.count,
    rollouts: rollouts.count,
    assignments: await countAssignmentsOf(db, config),
  }
}

type NewRelease = { config: string; version: number; rolloutId: string | null; nowMs: number }

export async function insertRelease({ trx }: Unit, release: NewRelease): Promise<void> {
  const { config, version, rolloutId, nowMs } = release
  await trx
    .insertInto('releases')
    .values({ config, version, rollout_id: rolloutId, at_ms: nowMs })
    .execute()
}

export const lastRelease = (db: Reader) => releases(db).limit(1).executeTakeFirst()

/** Of one config. */
export const lastReleaseOf = (db: Reader, config: string) =>
  releases(db).where('v.config', '=', config).limit(1).executeTakeFirst()

/** The versions of the config that rollouts brought to all its nodes last, newest first. */
export async function lastReleases(db: Reader, config: string, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('releases')
    .select('version')
    .where('config', '=', config)
    .where('rollout_id', 'is not', null)
    .groupBy('version')
    .orderBy(({ fn }) => fn.max('id'), 'desc')
    .limit(most)
    .execute()
  return rows.map((row) => row.version)
}

/** The newest and the last released version of each config, of those that have these characters somewhere. */
export const versionsMentioning = (db: Reader, characters: string) =>
  db
    .selectFrom('config_versions as v')
    .select(['v.config', 'v.number', 'v.text'])
    .where((eb) =>
      eb.or([
        eb('v.number', '=', ({ selectFrom }) =>
          selectFrom('config_versions as n')
            .select(({ fn }) => fn.max('n.number').as('number'))
            .whereRef('n.config', '=', 'v.config'),
        ),
        eb('v.number', '=', ({ selectFrom }) =>
          selectFrom('releases as r')
            .select('r.version')
            .whereRef('r.config', '=', 'v.config')
            .orderBy('r.id', 'desc')
            .limit(1),
        ),
      ]),
    )
    .where(sql<boolean>`instr(v.text, ${characters}) > 0`)
    .orderBy('v.config')
    .orderBy('v.number')
    .execute()

/** The last one that goes to these nodes. */
export const lastReleaseFor = (db: Reader, to: Recipient) =>
  releasesFor(db, to).limit(1).executeTakeFirst()

const MOST_PROVEN = 5

/** Those that a node kept and no rollout found bad, each once. */
export const provenReleasesFor = (db: Reader, to: Recipient) =>
  releasesFor(db, to)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('assignments as a')
          .leftJoin('node_tasks as t', (join) =>
            join.onRef('t.rollout_id', '=', 'a.rollout_id').onRef('t.node_id', '=', 'a.node_id'),
          )
          .select('a.node_id')
          .whereRef('a.config', '=', 'v.config')
          .whereRef('a.version', '=', 'v.number')
          .where('a.state', '=', 'confirmed')
          .where((eb) =>
            eb.or([eb('t.node_id', 'is', null), eb('t.state', 'in', ['healthy', 'done'])]),
          ),
      ),
    )
    .groupBy(['v.config', 'v.number'])
    .clearOrderBy()
    .orderBy(({ fn }) => fn.max('releases.id'), 'desc')
    .limit(MOST_PROVEN)
    .execute()

const releasesFor = (db: Reader, { group: { config }, claimed }: Recipient) =>
  releases(db)
    .$if(config !== null, (query) => query.where('v.config', '=', config ?? ''))
    .$if(config === null, (query) => query.where('v.config', 'not in', [...claimed]))

/** Newest first. */
const releases = (db: Reader) =>
  db
    .selectFrom('releases')
    .innerJoin('config_versions as v', (join) =>
      join.onRef('v.config', '=', 'releases.config').onRef('v.number', '=', 'releases.version'),
    )
    .select(['v.config', 'v.number as version', 'v.text'])
    .orderBy('releases.id', 'desc')

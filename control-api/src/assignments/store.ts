// SPDX-License-Identifier: MIT
// What nodes were told to run, at rest, with the texts they read and those that were found changed on them. Of many
// nodes it is asked at once and without the texts, which may be a megabyte each; indexes lead to one row per node.
import { type Selectable, sql } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { Parts } from '../agent-protocol/content.ts'
import type { CertificateVersion, ReleaseVersion } from '../agent-protocol/messages.gen.ts'
import type { AssignmentState, AssignmentsTable, Reader, Trx } from '../db/database.ts'
import { labelsWithin } from '../db/labels.ts'

export type Assignment = Selectable<AssignmentsTable>
/** What goes with a text, as it is kept. */
type PartsRow = { certificates: string | null; releases: string | null }
export type AssignmentWithText = Assignment & PartsRow & { text: string }
/** An assignment that is still wanted. */
export type Standing = { state: Exclude<AssignmentState, 'withdrawn'> }
export type NodeDigest = { nodeId: string; digest: string }
export const keyOf = ({ nodeId, digest }: NodeDigest) => `${nodeId} ${digest}`

/** What the node should run. */
export async function latestAssignment(
  db: Reader,
  nodeId: string,
): Promise<(AssignmentWithText & Standing) | undefined> {
  const given = await latestGiven(db, nodeId)
  if (!given) return undefined
  const content = await db
    .selectFrom('rendered_texts')
    .select(['text', 'certificates', 'releases'])
    .where('id', '=', given.text_id)
    .executeTakeFirstOrThrow()
  return { ...given, ...content }
}

/** The same without the text, which may be a megabyte: every poll of every node asks. */
export const latestGiven = (
  db: Reader,
  nodeId: string,
): Promise<(Assignment & Standing) | undefined> =>
  db
    .selectFrom('assignments')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('state', '!=', 'withdrawn')
    .orderBy('generation', 'desc')
    .limit(1)
    .$narrowType<Standing>()
    .executeTakeFirst()

/** What each should run, by node id; a node without an assignment is left out. */
export async function latestAssignments(
  db: Reader,
  nodeIds: readonly string[],
): Promise<Map<string, Assignment & Standing>> {
  const { rows } = await sql<Assignment & Standing>`
    select a.* from json_each(${JSON.stringify(nodeIds)}) wanted
    cross join assignments a where a.node_id = wanted.value and a.generation = (
      select b.generation from assignments b
      where b.node_id = wanted.value and b.state <> 'withdrawn'
      order by b.generation desc limit 1
    )`.execute(db)
  return new Map(rows.map((row) => [row.node_id, row]))
}

/** The newest assignment of this digest: which version a node's effective config is. */
export const assignmentByDigest = (
  db: Reader,
  nodeId: string,
  digest: string,
): Promise<AssignmentWithText | undefined> =>
  withText(db)
    .where('node_id', '=', nodeId)
    .where('digest', '=', digest)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()

/** By keyOf: the newest assignment of each node's digest. */
export async function assignmentsByDigest(
  db: Reader,
  wanted: readonly NodeDigest[],
): Promise<Map<string, Assignment>> {
  const { rows } = await sql<Assignment>`
    select a.* from json_each(${JSON.stringify(wanted)}) wanted
    cross join assignments a
      where a.node_id = wanted.value ->> 'nodeId' and a.generation = (
        select b.generation from assignments b
        where b.node_id = wanted.value ->> 'nodeId' and b.digest = wanted.value ->> 'digest'
        order by b.generation desc limit 1
      )`.execute(db)
  return new Map(rows.map((row) => [keyOf({ nodeId: row.node_id, digest: row.digest }), row]))
}

/** By node: which version of the config came to it under this digest last; none: it is left out. */
export async function versionsOfDigests(
  db: Reader,
  wanted: readonly NodeDigest[],
  config: string,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; version: number | null }>`
    select wanted.value ->> 'nodeId' as id, (
      select version from assignments
      where node_id = wanted.value ->> 'nodeId' and digest = wanted.value ->> 'digest' and config = ${config}
      order by generation desc limit 1
    ) as version
    from json_each(${JSON.stringify(wanted)}) wanted`.execute(db)
  return new Map(rows.flatMap(({ id, version }) => (version === null ? [] : [[id, version]])))
}

/** What the nodes were given with those generations, without the texts. */
export async function givenWith(db: Reader, wanted: readonly Numbered[]): Promise<Assignment[]> {
  const { rows } = await sql<Assignment>`
    select a.* from json_each(${JSON.stringify(wanted)}) wanted
    cross join assignments a where a.node_id = wanted.value ->> 'nodeId'
      and a.generation = cast(wanted.value ->> 'generation' as bigint)`.execute(db)
  return rows
}

export type Given = Pick<Assignment, 'digest' | 'state' | 'rollout_id'>

/** All that the node was told, and that was not taken back. */
export const givenSoFar = (db: Reader, nodeId: string): Promise<Given[]> =>
  db
    .selectFrom('assignments')
    .select(['digest', 'state', 'rollout_id'])
    .where('node_id', '=', nodeId)
    .where('state', '!=', 'withdrawn')
    .execute()

/** Of these the nodes that were told something, and never by a rollout. */
export async function givenOutsideRollouts(
  db: Reader,
  nodeIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select wanted.value as id from json_each(${JSON.stringify(nodeIds)}) wanted
    where exists (select 1 from assignments where node_id = wanted.value)
      and not exists (
        select 1 from assignments where node_id = wanted.value and rollout_id is not null
      )`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export type OfferKey = { nodeId: string; generation: number; offerId: string }

export const findOffer = (
  db: Reader,
  { nodeId, generation, offerId }: OfferKey,
): Promise<Assignment | undefined> =>
  db
    .selectFrom('assignments')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('generation', '=', generation)
    .where('offer_id', '=', offerId)
    .executeTakeFirst()

/** Is it still what we want of the node? */
export async function isCurrent(db: Reader, offer: Assignment): Promise<boolean> {
  if (offer.state === 'withdrawn') return false
  const newer = await db
    .selectFrom('assignments')
    .select('generation')
    .where('node_id', '=', offer.node_id)
    .where('generation', '>', offer.generation)
    .where('state', '!=', 'withdrawn')
    .executeTakeFirst()
  return newer === undefined
}

/** By node; who was given nothing is left out. Those that were withdrawn count too: their numbers are spent. */
export async function highestGenerations(
  trx: Trx,
  nodeIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; generation: number | null }>`
    select wanted.value as id,
      (select max(generation) from assignments where node_id = wanted.value) as generation
    from json_each(${JSON.stringify(nodeIds)}) wanted`.execute(trx)
  return new Map(rows.map(({ id, generation }) => [id, generation ?? 0]))
}

export async function countAssignmentsOf(db: Reader, config: string): Promise<number> {
  const row = await db
    .selectFrom('assignments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('config', '=', config)
    .executeTakeFirstOrThrow()
  return row.count
}

export async function insertAssignments(trx: Trx, rows: readonly Assignment[]): Promise<void> {
  await sql`
    insert into assignments (node_id, generation, offer_id, epoch, rollout_id, config, version, digest,
      config_digest, text_id, group_name, state, ack_ms, apply_ms, confirm_ms, created_at_ms, updated_at_ms)
    select value ->> 'node_id', cast(value ->> 'generation' as bigint), value ->> 'offer_id', cast(value ->> 'epoch' as bigint),
      value ->> 'rollout_id', value ->> 'config', cast(value ->> 'version' as bigint), value ->> 'digest',
      value ->> 'config_digest', value ->> 'text_id', value ->> 'group_name', value ->> 'state',
      cast(value ->> 'ack_ms' as bigint), cast(value ->> 'apply_ms' as bigint), cast(value ->> 'confirm_ms' as bigint),
      cast(value ->> 'created_at_ms' as bigint), cast(value ->> 'updated_at_ms' as bigint)
    from json_each(${JSON.stringify(rows)})`.execute(trx)
}

export async function setOfferState(
  trx: Trx,
  { node_id, generation }: Assignment,
  state: AssignmentState,
  nowMs: number,
): Promise<void> {
  await trx
    .updateTable('assignments')
    .set({ state, updated_at_ms: nowMs })
    .where('node_id', '=', node_id)
    .where('generation', '=', generation)
    .execute()
}

type Numbered = { nodeId: string; generation: number }

/** Returns those that the nodes had not answered. */
export async function withdrawOffered(
  trx: Trx,
  offers: readonly Numbered[],
  nowMs: number,
): Promise<Numbered[]> {
  const { rows } = await sql<Numbered>`
    update assignments set state = 'withdrawn', updated_at_ms = ${nowMs}
    from json_each(${JSON.stringify(offers)}) taken
    where node_id = taken.value ->> 'nodeId' and generation = cast(taken.value ->> 'generation' as bigint)
      and state = 'offered'
    returning node_id as "nodeId", generation`.execute(trx)
  return rows
}

/** Nothing to offer: what they have is, byte for byte, what their groups of now get too. */
export async function noteGroups(
  trx: Trx,
  given: readonly (Numbered & { group: string })[],
): Promise<void> {
  await sql`
    update assignments set group_name = given.value ->> 'group'
    from json_each(${JSON.stringify(given)}) given
    where node_id = given.value ->> 'nodeId' and generation = cast(given.value ->> 'generation' as bigint)`.execute(
    trx,
  )
}

export type RenderedText = Parts & { id: string; text: string }

/** Nodes that render alike share one. */
export async function keepText(trx: Trx, kept: RenderedText): Promise<void> {
  const { id, text, certificates, releases } = kept
  await trx
    .insertInto('rendered_texts')
    .values({ id, text, certificates: asKept(certificates), releases: asKept(releases) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export async function renderedText(db: Reader, id: string): Promise<RenderedText> {
  const found = db.selectFrom('rendered_texts').selectAll().where('id', '=', id)
  const row = await found.executeTakeFirstOrThrow()
  return { ...row, ...partsOf(row) }
}

const asKept = (parts: readonly unknown[]) => (parts.length > 0 ? JSON.stringify(parts) : null)

const partsOf = ({ certificates, releases }: PartsRow): Parts => ({
  certificates: certificates === null ? [] : JSON.parse(certificates),
  releases: releases === null ? [] : JSON.parse(releases),
})

/** The config's own digest, as the node says it. */
export const configDigestOf = ({
  config_digest,
  digest,
}: Pick<Assignment, 'config_digest' | 'digest'>) => config_digest ?? digest

/** As it is given again. */
export const contentOf = (row: AssignmentWithText) => ({
  text: row.text,
  digest: row.digest,
  configDigest: configDigestOf(row),
  ...partsOf(row),
})

/** Each of the certificates that go with these texts, in each version once. */
export async function certificatesOfTexts(
  db: Reader,
  ids: readonly string[],
): Promise<CertificateVersion[]> {
  const { rows } = await sql<{ certificate: string }>`
    select distinct c.value as certificate from json_each(${JSON.stringify(ids)}) wanted
    cross join rendered_texts t, json_each(t.certificates) c where t.id = wanted.value`.execute(db)
  return rows.map(({ certificate }) => JSON.parse(certificate))
}

/** Each of the releases that go with these texts, in each version once. */
export async function releasesOfTexts(
  db: Reader,
  ids: readonly string[],
): Promise<ReleaseVersion[]> {
  const { rows } = await sql<{ release: string }>`
    select distinct r.value as release from json_each(${JSON.stringify(ids)}) wanted
    cross join rendered_texts t, json_each(t.releases) r where t.id = wanted.value`.execute(db)
  return rows.map(({ release }) => JSON.parse(release))
}

/** By the text they go with; texts with which nothing goes are left out. */
export async function partsByText(db: Reader, ids: readonly string[]): Promise<Map<string, Parts>> {
  const { rows } = await sql<PartsRow & { id: string }>`
    select t.id, t.certificates, t.releases from json_each(${JSON.stringify([...new Set(ids)])}) wanted
    cross join rendered_texts t
    where t.id = wanted.value and (t.certificates is not null or t.releases is not null)`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.id, partsOf(row)]))
}

/**
 * What the node may have the key of: what its newest assignment names, and what those before it back to the last that it
 * kept do, for it may go back to that.
 */
export async function mayHaveCertificate(
  db: Reader,
  nodeId: string,
  { name, version }: { name: string; version: number },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from assignments a join rendered_texts t on t.id = a.text_id, json_each(t.certificates) c
    where a.node_id = ${nodeId} and a.state <> 'withdrawn' and a.generation >= coalesce((
      select max(b.generation) from assignments b where b.node_id = ${nodeId} and b.state = 'confirmed'), 0)
      and c.value ->> 'name' = ${name} and cast(c.value ->> 'version' as bigint) = ${version}
    limit 1`.execute(db)
  return rows.length > 0
}

/** The manifests of what the node may run: what its newest assignment names, and those before it back to the last it kept. */
export async function manifestsGiven(db: Reader, nodeId: string): Promise<string[]> {
  const { rows } = await sql<{ manifest: string }>`
    select distinct r.value ->> 'manifestSha256' as manifest
    from assignments a join rendered_texts t on t.id = a.text_id, json_each(t.releases) r
    where a.node_id = ${nodeId} and a.state <> 'withdrawn' and a.generation >= coalesce((
      select max(b.generation) from assignments b where b.node_id = ${nodeId} and b.state = 'confirmed'), 0)
    `.execute(db)
  return rows.map(({ manifest }) => manifest)
}

/** Some of the nodes that may run this version of a release, by name. */
export async function nodesWithRelease(
  db: Reader,
  { name, number }: { name: string; number: number },
  most = 5,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select n.name from nodes n where n.decommissioned_at_ms is null and exists (
      select 1 from assignments a join rendered_texts t on t.id = a.text_id, json_each(t.releases) r
      where a.node_id = n.id and a.state <> 'withdrawn' and a.generation >= coalesce((
        select max(b.generation) from assignments b where b.node_id = n.id and b.state = 'confirmed'), 0)
        and r.value ->> 'name' = ${name} and cast(r.value ->> 'number' as bigint) = ${number})
    order by n.name limit ${most}`.execute(db)
  return rows.map((row) => row.name)
}

/** The group it was given something for last; '': it has nothing yet. */
export async function groupGiven(db: Reader, nodeId: string): Promise<string> {
  const given = await db
    .selectFrom('assignments')
    .select('group_name')
    .where('node_id', '=', nodeId)
    .where('state', '!=', 'withdrawn')
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()
  return given?.group_name ?? ''
}

export type GivenConfig = { config: string; version: number; nodes: number; behind: number }

/** The versions of configs by which nodes were told last to serve the certificate; `behind`: in an older version of it. */
export async function configsGiving(
  db: Reader,
  certificate: { name: string; latest: number },
  scope: Scope,
): Promise<GivenConfig[]> {
  const { name, latest } = certificate
  const { rows } = await sql<GivenConfig>`
    select a.config, a.version, count(*) as nodes, sum(case when cast(c.value ->> 'version' as bigint) < ${latest} then 1 else 0 end) as behind
    from nodes
    join assignments a on a.node_id = nodes.id and a.generation = (
      select b.generation from assignments b
      where b.node_id = nodes.id and b.state <> 'withdrawn' order by b.generation desc limit 1)
    join rendered_texts t on t.id = a.text_id, json_each(t.certificates) c
    where nodes.decommissioned_at_ms is null and ${labelsWithin('nodes.labels', scope)}
      and c.value ->> 'name' = ${name}
    group by a.config, a.version order by a.config, a.version`.execute(db)
  return rows
}

/** The nodes that run this version of the config with an older one of the certificate. */
export async function nodesBehind(
  db: Reader,
  certificate: { name: string; latest: number },
  { config, version }: { config: string; version: number },
): Promise<string[]> {
  const { name, latest } = certificate
  const { rows } = await sql<{ id: string }>`
    select nodes.id from nodes
    join assignments a on a.node_id = nodes.id and a.generation = (
      select b.generation from assignments b
      where b.node_id = nodes.id and b.state <> 'withdrawn' order by b.generation desc limit 1)
    join rendered_texts t on t.id = a.text_id, json_each(t.certificates) c
    where nodes.decommissioned_at_ms is null and a.config = ${config} and a.version = ${version}
      and c.value ->> 'name' = ${name} and cast(c.value ->> 'version' as bigint) < ${latest}
    order by nodes.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** How many nodes were told to serve the certificate, by what each was told last. */
export async function nodesGiven(db: Reader, certificate: string): Promise<number> {
  const all = await configsGiving(db, { name: certificate, latest: 0 }, null)
  return all.reduce((sum, { nodes }) => sum + nodes, 0)
}

/** By which text each node there is was told last what to run. */
export async function textsGiven(db: Reader): Promise<{ nodeId: string; textId: string }[]> {
  const { rows } = await sql<{ nodeId: string; textId: string }>`
    select a.node_id as "nodeId", a.text_id as "textId" from nodes
    join assignments a on a.node_id = nodes.id and a.generation = (
      select b.generation from assignments b
      where b.node_id = nodes.id and b.state <> 'withdrawn' order by b.generation desc limit 1)
    where nodes.decommissioned_at_ms is null`.execute(db)
  return rows
}

export async function renderedTexts(
  db: Reader,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('rendered_texts').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row.text]))
}

/** As the node sent it; null: it has no local change. */
export async function driftText(db: Reader, nodeId: string): Promise<string | null> {
  const row = await db
    .selectFrom('drift_texts')
    .select('text')
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return row?.text ?? null
}

export async function setDriftText(trx: Trx, nodeId: string, text: string): Promise<void> {
  await trx
    .insertInto('drift_texts')
    .values({ node_id: nodeId, text })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ text }))
    .execute()
}

export async function deleteDriftText(trx: Trx, nodeId: string): Promise<void> {
  await trx.deleteFrom('drift_texts').where('node_id', '=', nodeId).execute()
}

const withText = (db: Reader) =>
  db
    .selectFrom('assignments')
    .innerJoin('rendered_texts', 'rendered_texts.id', 'assignments.text_id')
    .selectAll('assignments')
    .select(['rendered_texts.text', 'rendered_texts.certificates', 'rendered_texts.releases'])

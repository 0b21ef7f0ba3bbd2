// SPDX-License-Identifier: MIT
// Which versions of releases nodes get: those that an order names, else what was proved last of each, else the newest.
import { sql } from 'kysely'
import type { ReleaseVersion } from '../agent-protocol/messages.gen.ts'
import type { Reader, Trx } from '../db/database.ts'

/** By name; left out: no version is asked for. */
export type Chosen = ReadonlyMap<string, number>
export const NONE_CHOSEN: Chosen = new Map()

/** In the order of names. One there is none of, in that version or in any, is left out. */
export async function givenReleases(
  db: Reader,
  names: readonly string[],
  chosen: Chosen = NONE_CHOSEN,
): Promise<ReleaseVersion[]> {
  if (names.length === 0) return []
  const wanted = [...new Set(names)].map((name) => ({ name, number: chosen.get(name) ?? null }))
  const { rows } = await sql<ReleaseVersion>`
    select s.name, v.number, v.manifest as "manifestSha256"
    from json_each(${JSON.stringify(wanted)}) wanted
    cross join release_sets s
    join release_versions v on v.release = s.name
      and v.number = coalesce(cast(wanted.value ->> 'number' as bigint), s.released, s.latest)
    where s.name = wanted.value ->> 'name'
    order by s.name`.execute(db)
  return rows
}

/** Of those names the ones that have a version. */
export async function knownReleases(db: Reader, names: readonly string[]): Promise<Set<string>> {
  const given = await givenReleases(db, names)
  return new Set(given.map(({ name }) => name))
}

/** Some that have one, for who misspelt one. */
export async function someReleases(db: Reader, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('release_sets')
    .select('name')
    .where('latest', 'is not', null)
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** By name what a rollout brought to all nodes last, where one did. */
export async function releasedNumbers(
  db: Reader,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<{ name: string; released: number }>`
    select s.name, s.released from json_each(${JSON.stringify([...new Set(names)])}) wanted
    cross join release_sets s
    where s.name = wanted.value and s.released is not null`.execute(db)
  return new Map(rows.map(({ name, released }) => [name, released]))
}

/** A rollout brought them to all nodes: also an older one than before, for somebody went back to it. */
export async function noteReleasedNumbers(
  trx: Trx,
  versions: readonly ReleaseVersion[],
): Promise<void> {
  for (const { name, number } of versions) {
    await trx
      .updateTable('release_sets')
      .set({ released: number })
      .where('name', '=', name)
      .execute()
  }
}

// SPDX-License-Identifier: MIT
// The versions of releases that go with a rollout: those that its order names, and what the plan froze.
import type { Reader } from '../../../db/database.ts'
import type { Changes, ChangesOf } from '../../../release-store/changes.ts'
import { type Chosen, givenReleases, releasedNumbers } from '../../../releases/given-store.ts'
import { NoSuchReleaseVersion, ReleaseNotNamed } from '../shapes/errors.ts'
import type { PlannedRelease } from '../shapes/release-schema.ts'
import type { Checked } from './planner.ts'

/** Throws NoSuchReleaseVersion. */
export async function chosenReleases(
  db: Reader,
  ordered: Readonly<Record<string, number>> = {},
): Promise<Chosen> {
  const chosen: Chosen = new Map(Object.entries(ordered))
  const there = await givenReleases(db, [...chosen.keys()], chosen)
  for (const [name, number] of chosen) {
    if (!there.some((one) => one.name === name)) throw new NoSuchReleaseVersion(name, number)
  }
  return chosen
}

/** Each once, with what was proved of it before. Throws ReleaseNotNamed. */
export async function plannedReleases(
  { db, changesOf }: { db: Reader; changesOf: ChangesOf },
  nodes: readonly Pick<Checked, 'digest' | 'releases'>[],
  chosen: Chosen,
): Promise<PlannedRelease[]> {
  const byName = new Map(nodes.flatMap(({ releases }) => releases.map((one) => [one.name, one])))
  const isWhole = nodes.length > 0 && nodes.every(({ digest }) => digest !== null)
  for (const name of chosen.keys()) {
    if (isWhole && !byName.has(name)) throw new ReleaseNotNamed(name)
  }
  const names = [...byName.keys()]
  const proved = await releasedNumbers(db, names)
  const before = await givenReleases(db, names, proved)
  const planned: PlannedRelease[] = []
  for (const [name, { number, manifestSha256: manifest }] of [...byName].toSorted(byKey)) {
    const was = proved.has(name) ? before.find((one) => one.name === name) : undefined
    const found = await changesOf(was?.manifestSha256 ?? null, manifest)
    planned.push({
      ...{ name, number, manifest },
      before: was ? { number: was.number, manifest: was.manifestSha256 } : null,
      changes: found && shownOf(found),
    })
  }
  return planned
}

/** What of it is another version than the one that was proved last. */
export const newOf = (planned: readonly PlannedRelease[]): PlannedRelease[] =>
  planned.filter(({ manifest, before }) => before !== null && before.manifest !== manifest)

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

const shownOf = ({ heldBytes: _, ...shown }: Changes): PlannedRelease['changes'] => shown

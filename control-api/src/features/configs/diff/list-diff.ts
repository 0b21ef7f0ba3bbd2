// SPDX-License-Identifier: MIT
// Which item of a list became which: one inserted site is one change, not a change of each after it.

import { diffLists, type Hunk } from '../../../base/line-diff.ts'
import type { JsonObject, JsonValue } from '../../../json/values.ts'

/** Places in the two lists; null: on that side there is none. Only what differs or moved is told. */
export type Pair = { from: number | null; to: number | null; moved: boolean }

/** What people know an item by, in this order: a site by its hosts, a rule by what it matches. */
const IDENTITIES: readonly (readonly string[])[] = [
  ['hosts', 'root'],
  ['hosts'],
  ['socket'],
  ['address', 'port'],
  ['match'],
  ['path'],
  ['action', 'name', 'paths', 'types', 'statuses'],
  ['name', 'paths'],
  ['name'],
  ['realm', 'paths'],
  ['realm'],
  ['paths', 'types'],
  ['paths'],
  ['types'],
  ['secretFile'],
]

/** In the order of the new list; what was removed comes where it was. */
export function pairItems(from: readonly JsonValue[], to: readonly JsonValue[]): Pair[] {
  const hunks = diffLists(from.map(written), to.map(written))
  const pairs = pairByIdentity(from, to, hunks)
  const takenFrom = new Set(pairs.map((pair) => pair.from))
  const takenTo = new Set(pairs.map((pair) => pair.to))
  const rest = hunks.flatMap((hunk) => {
    const before = between(hunk.fromStart, hunk.fromEnd).filter((at) => !takenFrom.has(at))
    const after = between(hunk.toStart, hunk.toEnd).filter((at) => !takenTo.has(at))
    // Neither is known by anything they share: what stands in the same place is taken for the same.
    return between(0, Math.max(before.length, after.length)).map((i) => ({
      from: before[i] ?? null,
      to: after[i] ?? null,
      moved: false,
    }))
  })
  return [...pairs, ...rest].sort((a, b) => placeOf(a) - placeOf(b))
}

const placeOf = (pair: Pair) => pair.to ?? pair.from ?? 0

/** Items that differ or stand elsewhere, but are known by the same: first the surest way of knowing. */
function pairByIdentity(
  from: readonly JsonValue[],
  to: readonly JsonValue[],
  hunks: readonly Hunk[],
): Pair[] {
  const hunkOf = { from: new Map<number, number>(), to: new Map<number, number>() }
  for (const [i, hunk] of hunks.entries()) {
    for (const at of between(hunk.fromStart, hunk.fromEnd)) hunkOf.from.set(at, i)
    for (const at of between(hunk.toStart, hunk.toEnd)) hunkOf.to.set(at, i)
  }
  const pairs: Pair[] = []
  for (const members of [null, ...IDENTITIES]) {
    const after = uniquePlaces([...hunkOf.to.keys()], to, members)
    for (const [identity, was] of uniquePlaces([...hunkOf.from.keys()], from, members)) {
      const is = after.get(identity)
      if (is === undefined) continue
      pairs.push({ from: was, to: is, moved: hunkOf.from.get(was) !== hunkOf.to.get(is) })
      hunkOf.from.delete(was)
      hunkOf.to.delete(is)
    }
  }
  return withCrossings(pairs)
}

/** Two that changed places between the same neighbours have moved, too. */
function withCrossings(pairs: readonly Pair[]): Pair[] {
  let furthest = -1
  return pairs
    .toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0))
    .map((pair) => {
      const crossed = !pair.moved && (pair.to ?? 0) < furthest
      if (!pair.moved) furthest = Math.max(furthest, pair.to ?? 0)
      return { ...pair, moved: pair.moved || crossed }
    })
}

/** By identity, those that nothing else shares. `members` null: the whole item is its identity. */
function uniquePlaces(
  places: readonly number[],
  items: readonly JsonValue[],
  members: readonly string[] | null,
): Map<string, number> {
  const found = new Map<string, number>()
  const twice = new Set<string>()
  for (const place of places) {
    const identity = identityOf(items[place] ?? null, members)
    if (identity === null) continue
    if (found.has(identity)) twice.add(identity)
    found.set(identity, place)
  }
  for (const identity of twice) found.delete(identity)
  return found
}

function identityOf(item: JsonValue, members: readonly string[] | null): string | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return null
  if (members === null) return written(item)
  const known = members.filter((member) => Object.hasOwn(item, member))
  if (!known.includes(members[0] ?? '')) return null
  return JSON.stringify(known.map((member) => [member, written(item[member] ?? null)]))
}

/** With its members in order: `{"a":1,"b":2}` is the same as `{"b":2,"a":1}`. */
const written = (value: JsonValue): string =>
  JSON.stringify(value, (_, part: JsonValue) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? sorted(part) : part,
  )

const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

const between = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, i) => start + i)

// SPDX-License-Identifier: MIT
// What nodes answered for each site, all nodes together: of each version of a config a row for each minute and each hour, with
// the counts of its sites by their places. It is added to both in the transaction that takes the windows, so that each is
// counted once. Not by node: ten thousand nodes with 257 sites each would be 2.5 million counts a minute.
import { ByteReader, ByteWriter } from '../histogram/bytes.ts'
import type { MetricsDb } from './metrics-db.ts'
import { readable } from './packed-measured.ts'
import { stepStart } from './rings.ts'
import { HOURS, SITE_RINGS, type SiteRing } from './site-rings.ts'
import { FIRST_SUM } from './steps.ts'
import type { Subjects } from './subjects.ts'
import type { SiteRows } from './windows.ts'

/** In the order of the protocol (`sites` of a window). */
export const SITE_COUNTS = [
  'responses2xx',
  'responses3xx',
  'responses404',
  'responsesOther4xx',
  'responses5xx',
  'aborted',
  'bytesSent',
  'totalMicros',
] as const
export type Counts = number[]
/** Of the sites from here on, and of requests without a site: counted together. */
export const OTHER_SITES = 256

export type CountedSites = { sum: string; endedAtMs: number; rows: SiteRows }

/** In one step of all versions: some half a megabyte. What comes after them is kept by version alone. */
const MOST_PLACES = 20_000
const SUBJECTS = 2 * FIRST_SUM

export const SITE_TABLES = SITE_RINGS.map(
  ({ table }) => `
  create table if not exists ${table} (
    at integer primary key, places integer not null, counts blob not null
  ) strict;`,
).join('')

/** By place. */
type ByPlace = Map<number, Counts>
type Stored = { places: number; counts: Buffer }

export type SiteCounts = ReturnType<typeof createSiteCounts>

export function createSiteCounts(
  db: MetricsDb,
  subjects: Pick<Subjects, 'keyOfSum' | 'find'>,
  mostPlaces = MOST_PLACES,
) {
  const statements = new Map(SITE_RINGS.map((ring) => [ring, prepare(db, ring)]))
  const of = (ring: SiteRing) => {
    const found = statements.get(ring)
    if (!found) throw new Error(`no sites by ${ring.resolutionSeconds} s`)
    return found
  }

  function addStep(ring: SiteRing, step: number, bySum: ReadonlyMap<string, ByPlace>): void {
    const { read, write, placesIn } = of(ring)
    let places = placesIn.get(siteKeyOf(ring, step, 0), siteKeyOf(ring, step, SUBJECTS) - 1) ?? 0
    for (const [sum, byPlace] of bySum) {
      const at = siteKeyOf(ring, step, subjects.keyOfSum(sum))
      const stored = read.get(at)
      const known = stored && readable(() => unpack(stored.counts))
      const all: ByPlace = known?.byPlace ?? new Map()
      for (const [place, counts] of byPlace) addCounts(all, place, counts)
      places -= stored?.places ?? 0
      const isTogether = known?.isTogether || places + all.size > mostPlaces
      const kept = isTogether ? together(all) : all
      places += kept.size
      write.run(at, kept.size, pack(kept, isTogether))
    }
  }

  return {
    /** In the caller's transaction. */
    add(counted: readonly CountedSites[]): void {
      for (const ring of SITE_RINGS) {
        for (const [step, bySum] of byStep(ring, counted)) addStep(ring, step, bySum)
      }
    },

    /** undefined: nothing was counted of the version, or not by site. */
    read(sum: string, ring: SiteRing, step: number): ByPlace | undefined {
      const subject = subjects.find(sum)
      if (subject === undefined) return undefined
      const stored = of(ring).read.get(siteKeyOf(ring, step, subject))
      const known = stored && readable(() => unpack(stored.counts))
      return known && !known.isTogether ? known.byPlace : undefined
    },

    /** Was anything counted of the version in that hour? */
    has(sum: string, hour: number): boolean {
      const subject = subjects.find(sum)
      return (
        subject !== undefined && of(HOURS).has.get(siteKeyOf(HOURS, hour, subject)) !== undefined
      )
    },

    /** Deletes so many of the oldest at most, and returns how many. `share`: of the time that is kept. */
    prune(nowMs: number, share: number, most: number): number {
      let gone = 0
      for (const ring of SITE_RINGS) {
        const before = stepStart(Math.floor(nowMs / 1000 - ring.keepSeconds * share), ring)
        gone += of(ring).prune.run(siteKeyOf(ring, before, 0), most - gone).changes
      }
      return gone
    },
  }
}

/** By time: what comes in is written at the end, and leaves in one piece. */
export const siteKeyOf = ({ resolutionSeconds }: SiteRing, step: number, subject: number) =>
  (step / resolutionSeconds) * SUBJECTS + subject

/** Whose row it is, and of when. */
export const sitePlaceOf = ({ resolutionSeconds }: SiteRing, at: number) => ({
  subject: at % SUBJECTS,
  step: Math.floor(at / SUBJECTS) * resolutionSeconds,
})

function byStep(ring: SiteRing, counted: readonly CountedSites[]) {
  const steps = new Map<number, Map<string, ByPlace>>()
  for (const { sum, endedAtMs, rows } of counted) {
    const step = stepStart(Math.floor(endedAtMs / 1000), ring)
    const bySum = steps.get(step) ?? new Map<string, ByPlace>()
    steps.set(step, bySum)
    const byPlace = bySum.get(sum) ?? new Map<number, Counts>()
    bySum.set(sum, byPlace)
    for (const [place = OTHER_SITES, ...counts] of rows) addCounts(byPlace, place, counts)
  }
  return steps
}

function addCounts(sum: ByPlace, place: number, counts: readonly number[]): void {
  const at = Math.min(place, OTHER_SITES)
  const before = sum.get(at)
  sum.set(
    at,
    SITE_COUNTS.map((_, i) =>
      Math.min((before?.[i] ?? 0) + (counts[i] ?? 0), Number.MAX_SAFE_INTEGER),
    ),
  )
}

function together(byPlace: ByPlace): ByPlace {
  const all: ByPlace = new Map()
  for (const counts of byPlace.values()) addCounts(all, OTHER_SITES, counts)
  return all
}

// format (1: by place, 2: all together), and for each place: the place, its counts; all varints
const BY_PLACE = 1
const TOGETHER = 2
const row = new ByteWriter()

function pack(byPlace: ByPlace, isTogether: boolean): Uint8Array {
  row.varint(isTogether ? TOGETHER : BY_PLACE)
  for (const [place, counts] of byPlace) {
    row.varint(place)
    for (const count of counts) row.varint(count)
  }
  return row.take()
}

function unpack(bytes: Uint8Array): { byPlace: ByPlace; isTogether: boolean } {
  const format = bytes[0]
  if (format !== BY_PLACE && format !== TOGETHER) {
    throw new RangeError(`stored sites have format ${format ?? 'none'}, expected 1 or 2`)
  }
  const byPlace: ByPlace = new Map()
  for (const reader = new ByteReader(bytes, 'stored sites', 1); !reader.isAtEnd; ) {
    const place = reader.varint()
    byPlace.set(
      place,
      SITE_COUNTS.map(() => reader.varint()),
    )
  }
  return { byPlace, isTogether: format === TOGETHER }
}

function prepare(db: MetricsDb, { table }: SiteRing) {
  return {
    read: db.prepare<[number], Stored>(`select places, counts from ${table} where at = ?`),
    has: db.prepare<[number], number>(`select 1 from ${table} where at = ?`).pluck(),
    write: db.prepare<[number, number, Uint8Array]>(
      `replace into ${table} (at, places, counts) values (?, ?, ?)`,
    ),
    placesIn: db
      .prepare<[number, number], number>(
        `select sum(places) from ${table} where at between ? and ?`,
      )
      .pluck(),
    prune: db.prepare<[number, number]>(
      `delete from ${table} where at in (select at from ${table} where at < ? order by at limit ?)`,
    ),
  }
}

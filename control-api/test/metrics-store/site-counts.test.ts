// SPDX-License-Identifier: MIT
// Requests by site: each once, whatever fails; how much of them is kept, and what is read of it.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMetricsDb } from '../../src/metrics-store/open.ts'
import { createRingStore } from '../../src/metrics-store/ring-store.ts'
import { createSiteCounts } from '../../src/metrics-store/site-counts.ts'
import { countedIn, querySites } from '../../src/metrics-store/site-query.ts'
import { lastMinutes, planSites, SITE_RINGS } from '../../src/metrics-store/site-rings.ts'
import { createSubjects } from '../../src/metrics-store/subjects.ts'
import { tempDir } from '../helper.ts'

const T0 = 1_800_000_000_000
const S0 = T0 / 1000
const HOUR = 3600
const DAY = 24 * HOUR
const SHOP = 'version shop/1'
/** As many of each count as there are: told apart by what they are. */
const row = (place: number, n = 1) => [place, n, 2 * n, 3 * n, 4 * n, 5 * n, 6 * n, 7 * n, 8 * n]
const counts = (n = 1) => row(0, n).slice(1)

function open() {
  const db = openMetricsDb(join(tempDir(), 'metrics.db'))
  onTestFinished(() => {
    db.close()
  })
  return db
}
function all<T>(parts: Generator<void, T>): T {
  for (;;) {
    const part = parts.next()
    if (part.done) return part.value
  }
}
const minutes = (from: number, to: number) => ({
  ...{ fromSeconds: from, toSeconds: to, stepSeconds: 60, resolutionSeconds: 60 },
})
const [MINUTES, HOURS] = SITE_RINGS as [(typeof SITE_RINGS)[0], (typeof SITE_RINGS)[0]]

test('windows of many nodes add up by version and place, each once, also after one that fails', () => {
  const db = open()
  const rings = createRingStore(db)
  const window = (seq: number, rows: number[][], atMs = T0) => ({
    ...{ seq, endedAtMs: atMs, durationMs: 5_000, series: [] },
    sites: [{ sum: SHOP, rows }],
  })
  const take = (nodeId: string, windows: ReturnType<typeof window>[]) => ({
    ...{ nodeId, bootId: 'boot', windows, nowMs: T0 },
  })
  const read = (place: number) =>
    all(
      querySites(rings.sites, { ...minutes(S0, S0 + 60), sets: [{ sum: SHOP, places: [place] }] }),
    )
  const first = [take('a', [window(1, [row(0), row(3)])]), take('b', [window(1, [row(0, 10)])])]
  rings.takeAll(first)
  rings.takeAll(first)
  rings.takeAll([take('a', [window(1, [row(0)]), window(2, [row(0, 100), row(300), row(999)])])])
  expect(read(0)).toEqual([[counts(111)]])
  expect(read(3)).toEqual([[counts(1)]])
  expect(read(7)).toEqual([[counts(0)]])
  // From the 257th on they are one.
  expect(read(256)).toEqual([[counts(2)]])
  // One report among others that can't be kept: a boot that SQLite does not take.
  const broken = { ...take('c', [window(1, [row(0, 1000)])]), bootId: null as unknown as string }
  const outcomes = rings.takeAll([broken, take('b', [window(2, [row(3, 10)])])])
  expect(outcomes[0]).toHaveProperty('failed')
  expect(read(0)).toEqual([[counts(111)]])
  expect(read(3)).toEqual([[counts(11)]])
})

test('a step of minutes is a sum, of older times there are hours, and what nothing is known of is a gap', () => {
  const db = open()
  const sites = createSiteCounts(db, createSubjects(db))
  const add = (atSeconds: number, n: number) =>
    sites.add([{ sum: SHOP, endedAtMs: atSeconds * 1000, rows: [row(1, n)] }])
  for (const [i, n] of [1, 10, 100].entries()) add(S0 + i * 60, n)
  add(S0 + 600, 1000)
  const sets = [
    { sum: SHOP, places: [1] },
    { sum: 'version shop/2', places: [1] },
  ]
  const plan = { fromSeconds: S0, toSeconds: S0 + 900, stepSeconds: 300, resolutionSeconds: 60 }
  expect(all(querySites(sites, { ...plan, sets }))).toEqual([
    [counts(111), null, counts(1000)],
    [null, null, null],
  ])
  const hours = {
    fromSeconds: S0,
    toSeconds: S0 + HOUR,
    stepSeconds: HOUR,
    resolutionSeconds: HOUR,
  }
  expect(all(querySites(sites, { ...hours, sets: sets.slice(0, 1) }))).toEqual([[counts(1111)]])
  const sums = [SHOP, 'version shop/2']
  const within = (from: number, to: number) =>
    all(countedIn(sites, { sums, fromSeconds: from, toSeconds: to }))
  expect(within(S0 + 1800, S0 + 1860)).toEqual([SHOP])
  expect(within(S0 - DAY, S0 - HOUR)).toEqual([])
})

test('of more places in a minute than there is room for a version is kept as a whole, and read as a gap', () => {
  const db = open()
  const sites = createSiteCounts(db, createSubjects(db), 3)
  const add = (sum: string, ...places: number[]) =>
    sites.add([{ sum, endedAtMs: T0, rows: places.map((place) => row(place)) }])
  add('version a/1', 0, 1)
  add('version b/1', 0, 1)
  add('version a/1', 0)
  // Its places had to go: they do not come back in that minute.
  add('version b/1', 0)
  expect(sites.read('version a/1', MINUTES, S0)?.get(0)).toEqual(counts(2))
  expect(sites.read('version b/1', MINUTES, S0)).toBeUndefined()
  const places = db.prepare('select sum(places) from site_minutes').pluck().get()
  expect(places).toBe(3)
})

test('minutes are kept for two days and hours for ninety, some at a time', () => {
  const db = open()
  const sites = createSiteCounts(db, createSubjects(db))
  for (const days of [0, 1, 3, 80, 91]) {
    sites.add([{ sum: SHOP, endedAtMs: T0 - days * DAY * 1000, rows: [row(0)] }])
  }
  expect(sites.prune(T0, 1, 2)).toBe(2)
  expect(sites.prune(T0, 1, 10)).toBe(2)
  const count = (table: string) => db.prepare(`select count(*) from ${table}`).pluck().get()
  expect([count('site_minutes'), count('site_hours')]).toEqual([2, 4])
  expect(sites.read(SHOP, HOURS, S0 - 80 * DAY)).toBeDefined()
  expect(sites.read(SHOP, HOURS, S0 - 91 * DAY)).toBeUndefined()
  // A full disk: the share that is left.
  sites.prune(T0, 1 / 32, 100)
  expect([count('site_minutes'), count('site_hours')]).toEqual([1, 2])
})

test('bytes that the disk spoilt are a gap, and what comes later is counted', () => {
  const db = open()
  const sites = createSiteCounts(db, createSubjects(db))
  const add = () => sites.add([{ sum: SHOP, endedAtMs: T0, rows: [row(0)] }])
  add()
  for (const bytes of [[9, 1], [1, 200], []]) {
    db.prepare('update site_minutes set counts = ?').run(Uint8Array.from(bytes))
    if (bytes.length > 0) expect(sites.read(SHOP, MINUTES, S0)).toBeUndefined()
    add()
    expect(sites.read(SHOP, MINUTES, S0)?.get(0)).toEqual(counts(1))
  }
})

test('a range is widened to whole steps, of three hundred at most', () => {
  const now = S0 + 12_345
  expect(lastMinutes(S0 + 29, 5)).toEqual({ fromSeconds: S0 - 360, toSeconds: S0 - 60 })
  expect(lastMinutes(S0 + 30, 5)).toEqual({ fromSeconds: S0 - 300, toSeconds: S0 })
  const rows: [hours: number, step: number, resolution: number][] = [
    [0.25, 60, 60],
    [5, 60, 60],
    [6, 120, 60],
    [47, 600, 60],
    [49, HOUR, HOUR],
    [24 * 30, 6 * HOUR, HOUR],
    [24 * 400, 12 * HOUR, HOUR],
  ]
  for (const [hours, step, resolution] of rows) {
    const plan = planSites({ fromSeconds: now - hours * HOUR, toSeconds: now }, now)
    expect(plan.fromSeconds % plan.stepSeconds).toBe(0)
    expect((plan.toSeconds - plan.fromSeconds) / plan.stepSeconds).toBeLessThanOrEqual(302)
    expect(plan.toSeconds).toBeGreaterThanOrEqual(now)
    expect(plan.resolutionSeconds).toBe(resolution)
    expect(plan.stepSeconds).toBe(step)
  }
})

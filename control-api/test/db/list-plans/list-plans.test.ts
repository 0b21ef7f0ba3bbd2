// SPDX-License-Identifier: MIT
// What each list asks the database, in each of its filters and pages, lies beside this file: another query, or another
// way in which the database goes about it, is a change of that file. Nobody runs ANALYZE in production, nor here, so
// that plans hang on tables and indexes alone; how much a page says hangs on the rows, and they are as many as promised.
// After a change on purpose: `npx vitest run test/db/list-plans -u`, and read the difference.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openEventLog } from '../../../src/audit/log.ts'
import type { Database } from '../../../src/db/database.ts'
import { createNames } from '../../../src/metrics-store/names.ts'
import { openMetricsDb } from '../../../src/metrics-store/open.ts'
import { createSteps } from '../../../src/metrics-store/steps.ts'
import { type Built, build, type Client, tempDir } from '../../helper.ts'
import { fillFarm, idOf } from './fill.ts'
import { KEPT_IN_MEMORY, LISTS, type List, requestsOf } from './lists.ts'
import {
  type Asked,
  asked,
  EXCEPTIONS,
  exceptionOf,
  faultsOf,
  type PlanRow,
  readable,
  stepsOf,
} from './plans.ts'

type Farm = Built & { scoped: Client }
type Sent = { request: string; asked: Asked[] }

async function largeFarm(): Promise<Farm> {
  const dataDir = tempDir()
  await fillFarm(dataDir)
  const service = await build({ config: { dataDir } })
  const { db } = service.services
  const scoped = await service.as('operator')
  await sql`update users set scope = 'zone=eu' where username = 'test-operator'`.execute(db)
  await sql`update nodes set last_seen_at_ms = 1 where id = ${idOf('node', 1)}`.execute(db)
  return { ...service, scoped }
}

const get = async (db: Kysely<Database>, client: Client, path: string): Promise<Asked[]> =>
  asked(db, async () => {
    const answer = await client.inject({ url: `/api/v1${path}`, payloadAsStream: true })
    expect(answer.statusCode, path).toBe(200)
    let bytes = 0
    for await (const { length } of answer.stream()) {
      bytes += length
      // The rest is asked for in the same way.
      if (path.startsWith('/audit/export')) return
    }
    expect(bytes, path).toBeLessThan(PAGE_BYTES)
  })

async function answersOf({ admin, scoped, services }: Farm, list: List): Promise<Sent[]> {
  const sent: Sent[] = []
  for (const { path, shown, isScoped } of requestsOf(list)) {
    sent.push({ request: shown, asked: await get(services.db, isScoped ? scoped : admin, path) })
  }
  return sent
}

type Described = { get?: { parameters?: { name: string; in: string }[] } }

/** What openapi.json says can be paged through. */
function apiLists(): { path: RegExp; filters: string[] }[] {
  const text = readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8')
  const { paths }: { paths: Record<string, Described> } = JSON.parse(text)
  const lists = Object.entries(paths).flatMap(([path, { get: described }]) => {
    const names = (described?.parameters ?? []).flatMap((one) =>
      one.in === 'query' ? [one.name] : [],
    )
    const below = path.replace('/api/v1', '')
    if (!names.includes('cursor') || KEPT_IN_MEMORY.includes(below)) return []
    const pattern = below.replaceAll(/\{\w+\}/g, '[^/]+')
    const filters = names.filter((name) => !['cursor', 'limit', 'offset'].includes(name))
    return [{ path: new RegExp(`^${pattern}$`), filters }]
  })
  expect(lists.length).toBeGreaterThan(8)
  return lists
}

/** What no page is to be larger than, as people ask for it. */
const PAGE_BYTES = 200_000

/** Of those that send the same. */
const SHOWN = 3

/** Each statement with who sends it and its plan. */
function describeSent(sent: readonly Sent[], known: ReadonlySet<string>): string {
  const all = sent.flatMap(({ request, asked }) => asked.map((one) => ({ request, ...one })))
  const statements = [...Map.groupBy(all, planned).values()].filter(
    ([one]) => one && !known.has(one.sql),
  )
  return statements
    .map((same) => {
      const [{ sql = '', steps = [] } = {}] = same
      const requests = same.map(({ request }) => request)
      const more = requests.length - SHOWN
      const who =
        requests.length === sent.length
          ? ['every request']
          : [...requests.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])]
      const plan = steps.map(({ depth, text }) => {
        const why = exceptionOf(sql, text)?.why
        return `--  ${'  '.repeat(depth)}${text}${why ? `  (${why})` : ''}`
      })
      return [...who.map((request) => `-- ${request}`), sql, ...plan, ''].join('\n')
    })
    .join('\n')
}

const planned = ({ sql, steps }: Asked) => JSON.stringify([sql, steps])

describe('a list', () => {
  test('asks by indexes, as it is committed', async () => {
    const farm = await largeFarm()
    const { db } = farm.services
    const common = [
      { request: 'GET /config-schema', asked: await get(db, farm.admin, '/config-schema') },
    ]
    const known = new Set(common.flatMap(({ asked }) => asked.map(({ sql }) => sql)))
    await expect(describeSent(common, new Set())).toMatchFileSnapshot('every-request.sql')
    const log = await openEventLog(db)
    const events = [
      {
        request: 'GET /events, Last-Event-ID',
        asked: await asked(db, () => log.after(500_000, 500)),
      },
      {
        request: 'GET /events?sinceSeconds',
        asked: await asked(db, () => log.lastBefore(900_000, 1000)),
      },
    ]
    await log.close()
    await expect(describeSent(events, known)).toMatchFileSnapshot('events.sql')
    const all = [...common, ...events]
    for (const [name, list] of Object.entries(LISTS)) {
      const sent = await answersOf(farm, list)
      all.push(...sent)
      await expect(describeSent(sent, known)).toMatchFileSnapshot(`${name}.sql`)
    }
    // Once for those who send the same.
    const byStatement = new Map(
      all
        .toReversed()
        .flatMap(({ request, asked }) => asked.map((one) => [planned(one), { request, one }])),
    )
    const faults = [...byStatement.values()].flatMap(({ request, one }) => faultsOf(request, one))
    expect(faults).toEqual([])
    const steps = all.flatMap(({ asked }) =>
      asked.flatMap(({ sql, steps }) => steps.map(({ text }) => exceptionOf(sql, text))),
    )
    expect(EXCEPTIONS.filter((one) => !steps.includes(one))).toEqual([])
  }, 240_000)

  test('of the API is among them, with each of its filters', () => {
    const missing = apiLists().flatMap(({ path, filters }) => {
      const list = Object.values(LISTS).find((one) => path.test(one.path))
      if (!list) return [`GET ${path.source}`]
      const tried = [list.path, ...(list.filters ?? [])].join('&')
      return filters
        .filter((name) => !tried.includes(`${name}=`))
        .map((name) => `${list.path}?${name}`)
    })
    expect(missing).toEqual([])
    const files = globSync('*.sql', { cwd: import.meta.dirname }).map((file) => file.slice(0, -4))
    const others = ['every-request', 'events', 'metrics-db']
    expect(files.sort()).toEqual([...Object.keys(LISTS), ...others].sort())
  })

  test('of measurements walks a part of a key for each of its nodes', async () => {
    const db = openMetricsDb(join(tempDir(), 'metrics.db'))
    onTestFinished(() => {
      db.close()
    })
    const names = createNames(db)
    const prepare = vi.spyOn(db, 'prepare')
    createSteps(db, names)
    const texts = prepare.mock.calls.map(([text]) => text).filter((sql) => sql.startsWith('select'))
    const plans = texts.map((text) => {
      const parameters = Array(text.split('?').length - 1).fill(1)
      const rows = db.prepare<unknown[], PlanRow>(`explain query plan ${text}`).all(...parameters)
      return { sql: readable(text), steps: stepsOf(rows) }
    })
    expect(plans).toHaveLength(12)
    expect(plans.flatMap((one) => faultsOf('GET /metrics/query', one))).toEqual([])
    const sent = [{ request: 'GET /metrics/query', asked: plans }]
    await expect(describeSent(sent, new Set())).toMatchFileSnapshot('metrics-db.sql')
  })

  /** What is dropped, what is asked then, and what is said of it. */
  const LOST: [string, string, string][] = [
    [
      'rollouts_by_state',
      '/rollouts?state=reverted',
      'looks at one row of rollouts after the other for those with one state',
    ],
    [
      'events_by_actor_at_ms',
      '/audit?actor=person-3',
      'looks at one row of events after the other for those with one actor',
    ],
    ['sessions_by_user', '/session/list', 'sorts all that it found before it shows any of it'],
  ]

  test.each(LOST)('that lost %s is told: GET %s', async (index, path, why) => {
    const { admin, services } = await build()
    const { db } = services
    const before = await get(db, admin, path)
    expect(before.flatMap((one) => faultsOf('GET', one))).toEqual([])
    await sql.raw(`drop index ${index}`).execute(db)
    const after = await get(db, admin, path)
    const faults = after.flatMap((one) => faultsOf(`GET ${path}`, one))
    expect(faults.map((fault) => fault.split(' (')[0])).toContain(`GET ${path} ${why}`)
    expect(faults.join()).toContain('Give it an index by a migration, or ask in another way')
    // And it is another file than the one that is committed.
    expect(describeSent([{ request: path, asked: after }], new Set())).not.toBe(
      describeSent([{ request: path, asked: before }], new Set()),
    )
  })
})

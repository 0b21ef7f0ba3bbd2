// SPDX-License-Identifier: MIT
// What each list asks the database, in each of its filters and pages, lies beside this file: another query, or another
// way in which the database goes about it, is a change of that file. Nobody runs ANALYZE in production, nor here.
// After a change on purpose: `npx vitest run test/db/list-plans -u`, and read the difference.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openEventLog } from '../../../src/audit/log.ts'
import type { Database } from '../../../src/db/database.ts'
import { openMetricsDb } from '../../../src/metrics-store/open.ts'
import { createSeriesQuery } from '../../../src/metrics-store/query.ts'
import { type Built, build, type Client, tempDir } from '../../helper.ts'
import { fill, idOf } from './fill.ts'
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

type List = {
  path: string
  /** What a page in the middle goes on after; left out: it has one page. */
  after?: (string | number)[]
  filters?: string[]
  isFilteredAlways?: boolean
  /** It shows less to who may see only some nodes. */
  isScoped?: boolean
}

const NODE = idOf('node', 500)
const TIMES = 'from=1970-01-01T00:00:10.000Z&to=1970-01-01T00:00:20.000Z'

const LISTS: Record<string, List> = {
  nodes: {
    path: '/nodes',
    after: ['nodes', 'edge-0500'],
    filters: [
      ...['name=edge-0600', 'q=edge', 'connected=true', 'connected=false'],
      ...['cordoned=true', 'cordoned=false', 'group=group-3', 'group=default'],
      // Few have it, many have it, and what no index knows.
      ...[
        'selector=rack%3D7',
        'selector=zone%3Deu',
        'selector=!gpu',
        'selector=zone%20notin%20(eu)',
      ],
      'name=edge-0600&q=edge&connected=false&cordoned=false&group=group-3&selector=zone%3Deu',
    ],
    isScoped: true,
  },
  rollouts: {
    path: '/rollouts',
    after: ['rollouts', idOf('rollout', 250)],
    filters: [
      ...['state=reverted', 'config=config-01', 'author=person-3'],
      'state=reverted&config=config-01&author=person-3',
    ],
    isScoped: true,
  },
  rollout: { path: `/rollouts/${idOf('rollout', 250)}`, isScoped: true },
  'rollout-cells': { path: `/rollouts/${idOf('rollout', 250)}/cells`, isScoped: true },
  'rollout-tasks': {
    path: `/rollouts/${idOf('rollout', 250)}/tasks`,
    after: ['rollout-tasks', 0, 'edge-0500', idOf('node', 500)],
    filters: [
      ...['state=done', 'wave=0', 'running=true', 'name=edge-0500', 'q=edge', 'exceptions=false'],
    ],
    isScoped: true,
  },
  'rollout-exceptions': {
    path: `/rollouts/${idOf('rollout', 250)}/tasks?exceptions=true`,
    after: ['rollout-exceptions', 5, 1, idOf('node', 500)],
    filters: ['wave=0'],
    isScoped: true,
  },
  configs: { path: '/configs', after: ['configs', 'config-30'], filters: ['q=fig'] },
  versions: {
    path: '/configs/config-01/versions',
    after: ['versions', 150],
    filters: ['author=person-3', 'source=ui', 'q=change', 'author=person-3&source=ui&q=change'],
    isScoped: true,
  },
  groups: { path: '/groups', after: ['groups', 'group-3'], isScoped: true },
  'group-order': { path: '/group-order' },
  audit: {
    path: '/audit',
    after: ['audit', 25_000, 25_000],
    filters: [
      ...['by=people', 'actor=person-3', 'kind=node', 'action=change-3', `object=${NODE}`],
      ...['without=change-3', 'q=text', TIMES],
      `by=people&actor=person-3&kind=node&action=change-3&object=${NODE}&q=text&${TIMES}`,
    ],
  },
  'audit-export': {
    path: '/audit/export',
    filters: ['actor=person-3&kind=node', `q=text&${TIMES}`],
  },
  metrics: {
    path: '/metrics/query',
    filters: [`node=${NODE}`, `node=${NODE},${idOf('node', 504)}&${TIMES}`],
    isFilteredAlways: true,
    isScoped: true,
  },
  tokens: { path: '/tokens', after: ['tokens', idOf('token', 1000)], filters: ['all=1'] },
  'enrolment-tokens': {
    path: '/enrolment-tokens',
    after: ['enrolment-tokens', idOf('token', 500)],
    filters: ['usable=true', 'usable=false'],
    isScoped: true,
  },
  users: { path: '/users', after: ['users', 'person-250'] },
  sessions: { path: '/session/list' },
  certificates: {
    path: '/certificates',
    after: ['certificates', 'certificate-0100'],
    filters: ['q=a.example', 'order=name'],
  },
  'certificates-by-end': {
    path: '/certificates?order=end',
    after: ['certificates-by-end', 100, 'certificate-0100'],
    filters: ['q=a.example'],
  },
  'certificate-versions': {
    path: '/certificates/certificate-0100/versions',
    after: ['certificate-versions', 3],
  },
  'served-certificates': {
    path: '/certificates/certificate-0001/served',
    after: ['served-certificates', 2, idOf('node', 20), 'host-1'],
    isScoped: true,
  },
  'managed-certificates': {
    path: '/managed-certificates',
    after: ['managed-certificates', 'certificate-0100'],
    filters: ['q=a.example', 'state=paused'],
    isScoped: true,
  },
  'certificate-orders': {
    path: '/managed-certificates/certificate-0100/orders',
    after: ['certificate-orders', idOf('order', 2099)],
    isScoped: true,
  },
  'certificate-authorities': {
    path: '/certificate-authorities',
    after: ['certificate-authorities', 'authority-20'],
  },
  'dns-webhooks': { path: '/dns-webhooks', after: ['dns-webhooks', 'webhook-20'] },
  webhooks: { path: '/webhooks', after: ['webhooks', idOf('webhook', 20)] },
  'webhook-deliveries': {
    path: `/webhooks/${idOf('webhook', 20)}/deliveries`,
    after: ['webhook-deliveries', idOf('delivery', 2000)],
  },
  backups: { path: '/backups', after: ['backups', idOf('backup', 200)] },
}

type Farm = Built & { scoped: Client }
type Sent = { request: string; asked: Asked[] }

async function largeFarm(): Promise<Farm> {
  // What it asks is of interest here, not how long that takes a busy machine.
  const pressure = { maxEventLoopDelay: 0, maxHeapUsedBytes: 0, sampleInterval: 5000 }
  const service = await build({ pressure })
  const { db } = service.services
  const scoped = await service.as('operator')
  await sql`update users set scope = 'zone=eu' where username = 'test-operator'`.execute(db)
  await fill(db)
  return { ...service, scoped }
}

const get = async (db: Kysely<Database>, client: Client, path: string): Promise<Asked[]> =>
  asked(db, async () => {
    const { statusCode } = await client.inject({ url: `/api/v1${path}` })
    expect(statusCode, path).toBe(200)
  })

async function requestsOf(farm: Farm, list: List): Promise<Sent[]> {
  const { admin, scoped, services } = farm
  const { path, after, filters = [], isScoped = false, isFilteredAlways = false } = list
  const sent: Sent[] = []
  const clients = [
    { client: admin, who: '' },
    ...(isScoped ? [{ client: scoped, who: ', within a scope' }] : []),
  ]
  const cursor = after && `cursor=${Buffer.from(JSON.stringify(after)).toString('base64url')}`
  for (const { client, who } of clients) {
    for (const filter of [...(isFilteredAlways ? [] : ['']), ...filters]) {
      for (const page of ['', ...(cursor ? [cursor] : [])]) {
        const query = [filter, page].filter((part) => part !== '').join('&')
        const url = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
        const shown = filter === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${filter}`
        const request = `GET ${shown}${page && ', a later page'}${who}`
        sent.push({ request, asked: await get(services.db, client, url) })
      }
    }
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
    if (!names.includes('cursor')) return []
    const pattern = path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, '[^/]+')
    const filters = names.filter((name) => name !== 'cursor' && name !== 'limit')
    return [{ path: new RegExp(`^${pattern}$`), filters }]
  })
  expect(lists.length).toBeGreaterThan(8)
  return lists
}

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
        asked: await asked(db, () => log.after(25_000, 500)),
      },
      {
        request: 'GET /events?sinceSeconds',
        asked: await asked(db, () => log.lastBefore(49_000, 1000)),
      },
    ]
    await log.close()
    await expect(describeSent(events, known)).toMatchFileSnapshot('events.sql')
    const all = [...common, ...events]
    for (const [name, list] of Object.entries(LISTS)) {
      const sent = await requestsOf(farm, list)
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
    const prepare = vi.spyOn(db, 'prepare')
    createSeriesQuery(db)
    const texts = prepare.mock.calls.map(([text]) => text)
    const plans = texts.map((text) => {
      const parameters = Array(text.split('?').length - 1).fill(1)
      const rows = db.prepare<unknown[], PlanRow>(`explain query plan ${text}`).all(...parameters)
      return { sql: readable(text), steps: stepsOf(rows) }
    })
    expect(plans).toHaveLength(3)
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
    ['nodes_by_name', '/nodes', 'sorts all that it found before it shows any of it'],
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
    await fill(db)
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

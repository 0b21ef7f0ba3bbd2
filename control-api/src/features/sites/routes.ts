// SPDX-License-Identifier: MIT
// Sites as people think of them: what the configs say, which nodes serve it, and since when it is so.
import { Type } from 'typebox'
import { type Scope, scopeOf } from '../../access/scope.ts'
import { NameSchema, some } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { defineError } from '../../api-shapes/errors.ts'
import { Kept } from '../../base/kept.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { EmptyRange, rangeOf } from '../../metrics-store/asked-range.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import { limits } from '../../plugins/limits.ts'
import { historyOf, type SiteHistory, type StoredVersion } from './history.ts'
import { createKnownSites, type KnownSite, type KnownSitesDeps, placeOf } from './known-sites.ts'
import type { SiteReading } from './reading.ts'
import { type Running, runningOf, type SeenNode } from './running.ts'
import {
  HostSchema,
  SitePageSchema,
  SiteSchema,
  SitesQuerySchema,
  SiteTrafficQuerySchema,
  SiteTrafficSchema,
} from './schema.ts'
import { siteFor, type TextSite } from './text-sites.ts'
import { createSiteTraffic } from './traffic.ts'
import { type KnownCertificate, type Shown, viewSite, viewSummary } from './view.ts'

type Deps = KnownSitesDeps & {
  now: () => number
  metrics: Pick<MetricsStore, 'sites' | 'countedIn' | 'sitesOfNode'>
  reading: Pick<SiteReading, 'catchUp' | 'readNow'>
  versionOf: (config: string, number: number) => Promise<StoredVersion | undefined>
  sitesIn: (text: string) => Promise<readonly TextSite[]>
  nodes: (scope: Scope) => Promise<readonly SeenNode[]>
  certificates: (names: readonly string[]) => Promise<ReadonlyMap<string, KnownCertificate>>
  /** What these nodes say that they show for these hosts. */
  shownBy: (nodeIds: readonly string[], hosts: readonly string[]) => Promise<Shown[]>
}

const SiteNotFound = defineError(
  404,
  'site_not_found',
  'No such site',
  (config: string, host: string) =>
    `Neither the newest version of "${config}" nor one that nodes run has a site for "${host}". GET /api/v1/sites lists them.`,
)

const tags = ['sites']
/** A page that is open asks twice a minute, and each may read megabytes of texts. */
const HISTORIES_KEPT = 200
const byHost = defineCursor('sites', 'text', 'text')
const config = {
  permission: 'configs:read',
  scope: 'nodes',
  rateLimit: limits.expensive,
  heavy: true,
} as const

export const siteRoutes = (deps: Deps) => async (app: App) => {
  const { now, reading, versionOf, sitesIn, nodes } = deps
  const known = createKnownSites(deps)
  const traffic = createSiteTraffic({ ...deps, readNow: reading.readNow })
  const histories = new Kept<SiteHistory>({ most: HISTORIES_KEPT })
  /** It ends with the newest version. A config that was removed and made anew has versions of another time. */
  async function rememberedHistory(found: KnownSite, { created_at_ms: atMs }: StoredVersion) {
    const { config, newestVersion, version } = found
    const key = [config, newestVersion, version, atMs, found.hosts[0]].join(' ')
    const history = histories.get(key) ?? (await historyOf({ versionOf, sitesIn }, found))
    histories.set(key, history)
    return history
  }
  /** All of it: none is left unread. */
  async function readConfig(name: string, running: Running): Promise<0> {
    const newest = [...(await deps.newestNumbers([name]))]
    const versions = newest.map(([config, version]) => ({ config, version }))
    await reading.readNow([...versions, ...versionsOf(running, [name])])
    return 0
  }
  /** Nothing for who may not read them. */
  const certificatesOf = async (user: SignedInUser | null, sites: readonly KnownSite[]) => {
    const names = new Set(sites.flatMap((site) => site.certificates))
    return may(user, 'certificates:read') ? deps.certificates([...names]) : new Map()
  }

  app.get(
    '/sites',
    {
      config: { ...config, errors: [] },
      schema: {
        operationId: 'listSites',
        tags,
        summary: 'The sites of all configs, by host',
        description:
          'Of each config those of its newest version, and those that it has no more but nodes still run. A site is an entry of `sites`, and is called as its first host.',
        querystring: SitesQuerySchema,
        response: { 200: SitePageSchema },
      },
    },
    async ({ query: { cursor, limit = 100, q = '', config: wanted }, user }) => {
      const after = byHost.read(cursor)
      const running = runningOf(await nodes(scopeOf(user)))
      const unread =
        wanted === undefined
          ? await reading.catchUp(versionsOf(running))
          : await readConfig(wanted, running)
      const wish = { after, limit: limit + 1, q: q.toLowerCase(), config: wanted }
      const { rows, nextCursor } = byHost.page(await known.list(wish, running), limit, placeOf)
      const certificates = await certificatesOf(user, rows)
      const lately = maySeeTraffic(user) ? await traffic.lately(rows) : []
      const items = rows.map((row, i) =>
        viewSummary(row, certificates, { traffic: lately[i] ?? null, nowMs: now() }),
      )
      return { items, nextCursor, unread }
    },
  )

  app.get(
    '/sites/:config/:host',
    {
      config: { ...config, errors: [SiteNotFound] },
      schema: {
        operationId: 'getSite',
        tags,
        summary: 'One site: its part of the config, who serves it, and what changed it',
        params: Type.Object({ config: NameSchema, host: HostSchema }),
        response: { 200: SiteSchema },
      },
    },
    async ({ params, user }) => {
      const host = params.host.toLowerCase()
      const seen = await nodes(scopeOf(user))
      const running = runningOf(seen)
      await readConfig(params.config, running)
      const found = await known.find(params.config, host, running)
      const stored = found && (await versionOf(found.config, found.version))
      if (!found || !stored) throw new SiteNotFound(params.config, host)
      const { text } = stored
      const inText = await sitesIn(text)
      const at = siteFor(inText, found.hosts)
      if (!at) throw new Error(`the sites of ${found.config} v${found.version} are not its text’s`)
      const rateOf = may(user, 'metrics:read') ? traffic.ofNode : () => null
      const serving = may(user, 'nodes:read') ? servingOf(found, seen, rateOf) : null
      const shown =
        serving &&
        (await deps.shownBy(
          serving.items.map(({ nodeId }) => nodeId),
          found.hosts,
        ))
      return viewSite({
        found,
        ...{ text, at, sitesOfConfig: inText.length },
        certificates: await certificatesOf(user, [found]),
        nodesWithOwnSites: running.withOwnSites(found.config),
        ...{ serving, shown },
        history: await rememberedHistory(found, stored),
        nowMs: now(),
      })
    },
  )

  app.get(
    '/sites/:config/:host/traffic',
    {
      config: { ...config, permission: 'metrics:read', errors: [SiteNotFound, EmptyRange] },
      schema: {
        operationId: 'getSiteTraffic',
        tags,
        summary: 'What nodes answered for one site over time, by version',
        description:
          'The last 15 minutes when no range is given. By minutes for two days, by hours for 90; it comes up to 30 seconds late. Nodes whose override has other sites in place of the config’s, or whose text somebody changed there, are not counted.',
        params: Type.Object({ config: NameSchema, host: HostSchema }),
        querystring: SiteTrafficQuerySchema,
        response: { 200: SiteTrafficSchema },
      },
    },
    async ({ params, query, user }) => {
      const range = rangeOf(query, now())
      const host = params.host.toLowerCase()
      const running = runningOf(await nodes(scopeOf(user)))
      await readConfig(params.config, running)
      const found = await known.find(params.config, host, running)
      if (!found) throw new SiteNotFound(params.config, host)
      return maySeeTraffic(user) ? await traffic.over(found, range) : traffic.unseenOver(range)
    },
  )
}

const may = (
  user: SignedInUser | null,
  permission: 'certificates:read' | 'metrics:read' | 'nodes:read',
) => user?.permissions.includes(permission) ?? false
/** It is of all nodes together. */
const maySeeTraffic = (user: SignedInUser | null) =>
  may(user, 'metrics:read') && scopeOf(user) === null

const versionsOf = (running: Running, configs = running.configs()) =>
  configs.flatMap((config) => running.of(config).map(({ version }) => ({ config, version })))

/** By name. */
function servingOf(
  found: KnownSite,
  seen: readonly SeenNode[],
  rateOf: ReturnType<typeof createSiteTraffic>['ofNode'],
) {
  const versions = new Set(found.running.map(({ version }) => version))
  const { total, items } = some(
    seen.flatMap(({ node: { id, name, running, hasOwnSites }, state }) =>
      running?.config === found.config && versions.has(running.version) && !hasOwnSites
        ? [{ nodeId: id, nodeName: name, version: running.version, state }]
        : [],
    ),
  )
  return {
    total,
    items: items.map((one) => ({
      ...one,
      requestsPerSecond: rateOf(found, one.nodeId, one.version),
    })),
  }
}

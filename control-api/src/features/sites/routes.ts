// SPDX-License-Identifier: MIT
// Sites as people think of them: what the configs say, which nodes serve it, and since when it is so.
import { Type } from 'typebox'
import { type Scope, scopeOf } from '../../access/scope.ts'
import { NameSchema, pageOf, some } from '../../api-shapes/common.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import { defineError } from '../../api-shapes/errors.ts'
import { Kept } from '../../base/kept.ts'
import type { App, SignedInUser } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import { historyOf, type SiteHistory, type StoredVersion } from './history.ts'
import {
  createKnownSites,
  type KnownSite,
  type KnownSitesDeps,
  type TextSite,
} from './known-sites.ts'
import { runningOf, type SeenNode } from './running.ts'
import { HostSchema, SiteSchema, SiteSummarySchema, SitesQuerySchema } from './schema.ts'
import { type KnownCertificate, type Shown, viewSite, viewSummary } from './view.ts'

type Deps = Pick<KnownSitesDeps, 'newestVersions' | 'newestVersion'> & {
  now: () => number
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
  const { now, versionOf, sitesIn, nodes } = deps
  const known = createKnownSites({
    ...{ newestVersions: deps.newestVersions, newestVersion: deps.newestVersion, sitesIn },
    textOf: async (name, number) => (await versionOf(name, number))?.text ?? null,
  })
  const histories = new Kept<SiteHistory>({ most: HISTORIES_KEPT })
  /** It ends with the newest version. A config that was removed and made anew has versions of another time. */
  async function rememberedHistory(found: KnownSite, { created_at_ms: atMs }: StoredVersion) {
    const { config, newestVersion, version } = found
    const key = [config, newestVersion, version, atMs, nameOf(found)].join(' ')
    const history = histories.get(key) ?? (await historyOf({ versionOf, sitesIn }, found))
    histories.set(key, history)
    return history
  }
  /** Nothing for who may not read them. */
  const certificatesOf = async (user: SignedInUser | null, sites: readonly KnownSite[]) => {
    const names = new Set(sites.flatMap(({ site }) => site.certificates))
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
        response: { 200: pageOf(SiteSummarySchema) },
      },
    },
    async ({ query: { cursor, limit = 100, q = '', config: wanted }, user }) => {
      const after = byHost.read(cursor)
      const isFound = isFoundBy(q.toLowerCase())
      const running = runningOf(await nodes(scopeOf(user)))
      let found: KnownSite[] = []
      for await (const sites of known.each(running, wanted)) {
        const more = sites.filter(
          (one) => isFound(one) && (after === undefined || compareKeys(keyOf(one), after) > 0),
        )
        if (more.length > 0) found = firstOf([...found, ...more], limit + 1)
      }
      const { rows, nextCursor } = byHost.page(found, limit, keyOf)
      const certificates = await certificatesOf(user, rows)
      return { items: rows.map((row) => viewSummary(row, certificates, now())), nextCursor }
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
      const found = await known.find(params.config, host, running)
      const stored = found && (await versionOf(found.config, found.version))
      if (!found || !stored) throw new SiteNotFound(params.config, host)
      const { text } = stored
      const serving = may(user, 'nodes:read') ? servingOf(found, seen) : null
      const shown =
        serving &&
        (await deps.shownBy(
          serving.items.map(({ nodeId }) => nodeId),
          found.site.hosts,
        ))
      return viewSite({
        found,
        text,
        sitesOfConfig: (await sitesIn(text)).length,
        certificates: await certificatesOf(user, [found]),
        nodesWithOwnSites: running.withOwnSites(found.config),
        ...{ serving, shown },
        history: await rememberedHistory(found, stored),
        nowMs: now(),
      })
    },
  )
}

const may = (user: SignedInUser | null, permission: 'certificates:read' | 'nodes:read') =>
  user?.permissions.includes(permission) ?? false

const nameOf = ({ site }: KnownSite) => site.hosts[0] ?? ''
/** Within a config a host is one site's. */
const keyOf = (one: KnownSite): [string, string] => [nameOf(one), one.config]
function compareKeys([host, config]: readonly string[], [otherHost, other]: readonly string[]) {
  return byText(host, otherHost) || byText(config, other)
}
const firstOf = (sites: readonly KnownSite[], most: number) =>
  sites.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b))).slice(0, most)
const byText = (a = '', b = '') => Number(a > b) - Number(a < b)

const isFoundBy =
  (q: string) =>
  ({ config: name, site }: KnownSite): boolean =>
    q === '' || name.includes(q) || site.hosts.some((host) => host.includes(q))

/** By name. */
function servingOf(found: KnownSite, seen: readonly SeenNode[]) {
  const versions = new Set(found.running.map(({ version }) => version))
  return some(
    seen.flatMap(({ node: { id, name, running, hasOwnSites }, state }) =>
      running?.config === found.config && versions.has(running.version) && !hasOwnSites
        ? [{ nodeId: id, nodeName: name, version: running.version, state }]
        : [],
    ),
  )
}

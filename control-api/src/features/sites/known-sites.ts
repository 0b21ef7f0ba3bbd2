// SPDX-License-Identifier: MIT
// The sites there are: those of each config's newest version, by rows in their order; and the hosts that only older
// versions have which nodes still run. Of a version these never change, so they are remembered: of most there are none.
import { Kept } from '../../base/kept.ts'
import { nextTurn } from '../../base/slices.ts'
import type { Running } from './running.ts'

type StoredSite = {
  config: string
  version: number
  hosts: readonly string[]
  root: string | null
  certificates: readonly string[]
  hasCertificateFiles: boolean
}
/** In the newest version that has it; of its hosts those that no newer one has which nodes run. */
export type KnownSite = StoredSite & {
  /** Of the config. */
  newestVersion: number
  /** By version, of those that have one of these hosts: so many nodes run it, and where it stands there. */
  running: { version: number; nodes: number; places: readonly number[] }[]
}
/** By host, then config. */
type SitePlace = readonly [host: string, config: string]
type Found = Omit<KnownSite, 'running'>

export type HostPlace = { config: string; host: string; version: number; place: number }

export type KnownSitesDeps = {
  /** Of newest versions; `lookedTo`: there may be more after it. */
  newestSites: (page: { after: SitePlace; limit: number; q: string }) => Promise<{
    sites: readonly StoredSite[]
    lookedTo: SitePlace | null
  }>
  /** By host. */
  sitesOf: (of: { config: string; version: number }) => Promise<readonly StoredSite[]>
  /** With those of their hosts that none of the newer ones has. null: the text of one of them is still to be read. */
  sitesGone: (of: {
    config: string
    version: number
    newer: readonly number[]
  }) => Promise<readonly StoredSite[] | null>
  versionsWith: (
    wanted: readonly (readonly [config: string, host: string])[],
  ) => Promise<readonly HostPlace[]>
  newestNumbers: (configs: readonly string[]) => Promise<ReadonlyMap<string, number>>
}
type SiteWish = {
  after: SitePlace | undefined
  limit: number
  /** In lower case. */
  q: string
  config: string | undefined
}

const BEFORE_ALL: SitePlace = ['', '']
const GONE_KEPT_BYTES = 16 * 1024 * 1024
const BYTES_EACH = 250

export function createKnownSites(deps: KnownSitesDeps) {
  const kept = new Kept<readonly StoredSite[]>({ mostBytes: GONE_KEPT_BYTES })

  async function goneOf(config: string, version: number, newer: readonly number[]) {
    const key = `${config} ${version} ${newer.join()}`
    const known = kept.get(key)
    if (known) return known
    const gone = await deps.sitesGone({ config, version, newer })
    if (gone === null) return []
    kept.set(key, gone, BYTES_EACH + gone.reduce((sum, site) => sum + bytesOf(site), 0))
    await nextTurn()
    return gone
  }

  /** What only older versions of the config have. */
  async function* onlyOlder(config: string, newestVersion: number, running: Running) {
    const newer = [newestVersion]
    const versions = running.of(config).map(({ version }) => version)
    for (const version of versions.toSorted((a, b) => b - a)) {
      if (version === newestVersion) continue
      for (const site of await goneOf(config, version, newer)) yield { ...site, newestVersion }
      newer.push(version)
    }
  }

  async function newestOf({ after = BEFORE_ALL, limit, q, config }: SiteWish): Promise<Found[]> {
    const isFound = isFoundBy(q)
    if (config !== undefined) {
      const version = (await deps.newestNumbers([config])).get(config)
      const all = version === undefined ? [] : await deps.sitesOf({ config, version })
      return all.filter((one) => isFound(one) && isAfter(one, after)).map(asNewest)
    }
    const found: StoredSite[] = []
    for (let from: SitePlace | null = after; from !== null && found.length < limit; ) {
      const { sites, lookedTo } = await deps.newestSites({ after: from, limit, q })
      found.push(...sites.filter(isFound))
      from = lookedTo
      if (from !== null) await nextTurn()
    }
    return found.map(asNewest)
  }

  async function withRunning(found: readonly Found[], running: Running): Promise<KnownSite[]> {
    const wanted = found.flatMap(({ config, hosts }) =>
      hosts.map((host) => [config, host] as const),
    )
    const versions = Map.groupBy(await deps.versionsWith(wanted), (one) => one.config)
    return found.map((site) => {
      const places = placesByVersion(site.hosts, versions.get(site.config) ?? [])
      const run = running.of(site.config).flatMap((one) => {
        const at = places.get(one.version)
        return at ? [{ ...one, places: [...at] }] : []
      })
      return { ...site, running: run }
    })
  }

  return {
    /** So many at most, by host and config. */
    async list(wish: SiteWish, running: Running): Promise<KnownSite[]> {
      const { after = BEFORE_ALL, limit, q } = wish
      const isFound = isFoundBy(q)
      const configs = wish.config === undefined ? running.configs() : [wish.config]
      let found = await newestOf(wish)
      for (const [config, newestVersion] of await deps.newestNumbers(configs)) {
        const more: Found[] = []
        for await (const site of onlyOlder(config, newestVersion, running)) {
          if (isFound(site) && isAfter(site, after)) more.push(site)
        }
        if (more.length > 0) found = firstOf([...found, ...more], limit)
      }
      return withRunning(firstOf(found, limit), running)
    },

    /** The one of the config that answers for the host. */
    async find(config: string, host: string, running: Running): Promise<KnownSite | undefined> {
      const newestVersion = (await deps.newestNumbers([config])).get(config)
      if (newestVersion === undefined) return undefined
      const newest = await deps.sitesOf({ config, version: newestVersion })
      let found: Found | undefined = newest.map(asNewest).find(({ hosts }) => hosts.includes(host))
      if (found === undefined) {
        for await (const site of onlyOlder(config, newestVersion, running)) {
          if (!site.hosts.includes(host)) continue
          found = site
          break
        }
      }
      return found && (await withRunning([found], running))[0]
    },
  }
}

/** Hosts of one site may have been two sites' in an older version. */
export function placesByVersion(
  hosts: readonly string[],
  versions: readonly HostPlace[],
): Map<number, Set<number>> {
  const wanted = new Set(hosts)
  const places = new Map<number, Set<number>>()
  for (const { host, version, place } of versions) {
    if (!wanted.has(host)) continue
    places.set(version, (places.get(version) ?? new Set()).add(place))
  }
  return places
}

const asNewest = (site: StoredSite): Found => ({ ...site, newestVersion: site.version })

export const placeOf = ({ config, hosts }: StoredSite): [string, string] => [hosts[0] ?? '', config]

function compare([host, config]: SitePlace, [otherHost, otherConfig]: SitePlace) {
  return byText(host, otherHost) || byText(config, otherConfig)
}
const byText = (a: string, b: string) => Number(a > b) - Number(a < b)
const isAfter = (site: StoredSite, place: SitePlace) => compare(placeOf(site), place) > 0
const firstOf = (sites: readonly Found[], most: number) =>
  sites.toSorted((a, b) => compare(placeOf(a), placeOf(b))).slice(0, most)

const isFoundBy =
  (q: string) =>
  ({ config, hosts }: StoredSite): boolean =>
    q === '' || config.includes(q) || hosts.some((host) => host.includes(q))

const bytesOf = ({ hosts, root, certificates }: StoredSite) =>
  BYTES_EACH + 2 * [...hosts, ...certificates, root ?? ''].join().length + 50 * hosts.length

// SPDX-License-Identifier: MIT
// The sites there are: those of each config's newest version, and those that only older versions have which nodes still run.
// A version never changes, so what its text says is remembered.
import { Kept } from '../../base/kept.ts'
import { nextTurn } from '../../base/slices.ts'
import type { Running } from './running.ts'

/** A site in the text of a version. */
export type TextSite = {
  index: number
  hosts: readonly string[]
  root: string | null
  certificates: readonly string[]
  hasCertificateFiles: boolean
  offset: number
  length: number
  line: number
  endLine: number
  digest: string
}
export type NewestVersion = { config: string; number: number; createdAtMs: number }
export type KnownSite = {
  config: string
  /** Of the config. */
  newestVersion: number
  /** The newest one that has it. */
  version: number
  site: TextSite
  /** By version, of those that have it: so many nodes run it. */
  running: { version: number; nodes: number }[]
}

export type KnownSitesDeps = {
  /** Of the configs after this name, by name: at most so many. */
  newestVersions: (page: { after: string; limit: number }) => Promise<readonly NewestVersion[]>
  newestVersion: (config: string) => Promise<NewestVersion | undefined>
  /** null: there is no such version. */
  textOf: (config: string, number: number) => Promise<string | null>
  sitesIn: (text: string) => Promise<readonly TextSite[]>
}
type Sites = { list: readonly TextSite[]; byHost: ReadonlyMap<string, TextSite> }

/** Some 130,000 sites of two hosts each. Of more, each look at all reads all texts again: what is asked for in turn finds none of itself. */
const MOST_BYTES = 64 * 1024 * 1024
const BYTES_EACH = 250
const CONFIGS_AT_ONCE = 200

/** The one that answers for one of these hosts. */
export const siteFor = (
  { byHost }: Pick<Sites, 'byHost'>,
  hosts: readonly string[],
): TextSite | undefined => {
  const host = hosts.find((one) => byHost.has(one))
  return host === undefined ? undefined : byHost.get(host)
}

export function toSites(list: readonly TextSite[]): Sites {
  const byHost = new Map<string, TextSite>()
  for (const site of list) for (const host of site.hosts) byHost.set(host, site)
  return { list, byHost }
}

export function createKnownSites(deps: KnownSitesDeps) {
  const { newestVersions, newestVersion, textOf, sitesIn } = deps
  const kept = new Kept<Sites>({ mostBytes: MOST_BYTES })

  async function sitesOf(key: string, config: string, number: number): Promise<Sites> {
    const known = kept.get(key)
    if (known) return known
    const text = await textOf(config, number)
    const sites = toSites(text === null ? [] : await sitesIn(text))
    kept.set(key, sites, bytesOf(sites.list))
    await nextTurn()
    return sites
  }

  async function ofConfig(newest: NewestVersion, running: Running): Promise<KnownSite[]> {
    const { config, number: latest, createdAtMs } = newest
    // A config that no node ever ran may be removed and made anew; one that a node ran is for ever.
    const read = (version: number) =>
      sitesOf(`${config} ${version} ${version === latest ? createdAtMs : ''}`, config, version)
    const run = []
    for (const one of running.of(config)) run.push({ ...one, sites: await read(one.version) })
    const newestFirst = [
      { version: latest, sites: await read(latest) },
      ...run.toSorted((a, b) => b.version - a.version),
    ]
    const found: KnownSite[] = []
    const seen = new Set<string>()
    for (const { version, sites } of newestFirst) {
      for (const site of sites.list) {
        const isNew = !site.hosts.some((host) => seen.has(host))
        for (const host of site.hosts) seen.add(host)
        if (!isNew) continue
        const having = run.filter((one) => siteFor(one.sites, site.hosts))
        found.push({
          ...{ config, newestVersion: latest, version, site },
          running: having.map(({ version, nodes }) => ({ version, nodes })),
        })
      }
    }
    return found
  }

  return {
    /** Config by config, with a turn of the loop after each: of half a million sites nobody holds all at once. */
    async *each(running: Running, wanted?: string): AsyncGenerator<KnownSite[]> {
      if (wanted !== undefined) {
        const newest = await newestVersion(wanted)
        if (newest) yield await ofConfig(newest, running)
        return
      }
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = await newestVersions({ after, limit: CONFIGS_AT_ONCE })
        for (const newest of page) {
          yield await ofConfig(newest, running)
          await nextTurn()
        }
        after = page.length < CONFIGS_AT_ONCE ? undefined : page.at(-1)?.config
      }
    },
    /** The one of the config that answers for the host. */
    async find(config: string, host: string, running: Running): Promise<KnownSite | undefined> {
      const newest = await newestVersion(config)
      if (!newest) return undefined
      const all = await ofConfig(newest, running)
      return all.find(({ site }) => site.hosts.includes(host))
    },
  }
}

const bytesOf = (sites: readonly TextSite[]) =>
  sites.reduce(
    (sum, { hosts, root, certificates }) =>
      sum +
      BYTES_EACH +
      2 * [...hosts, ...certificates, root ?? ''].join().length +
      50 * hosts.length,
    BYTES_EACH,
  )

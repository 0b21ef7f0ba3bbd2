// SPDX-License-Identifier: MIT
// What nodes answered for a site: by the places that it has in the versions they ran.
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import type { Plan, Range } from '../../metrics-store/rings.ts'
import { type Counts, SITE_COUNTS } from '../../metrics-store/site-counts.ts'
import { isCountedAlone, type SiteSteps } from '../../metrics-store/site-query.ts'
import { lastMinutes, planSites } from '../../metrics-store/site-rings.ts'
import { versionSum } from '../../metrics-store/subjects.ts'
import { type HostPlace, type KnownSite, placesByVersion } from './known-sites.ts'
import { type SiteTraffic, TRAFFIC_MINUTES, type Traffic } from './schema.ts'

type Deps = {
  now: () => number
  metrics: Pick<MetricsStore, 'sites' | 'countedIn' | 'sitesOfNode'>
  versionsWith: (
    wanted: readonly (readonly [config: string, host: string])[],
  ) => Promise<readonly HostPlace[]>
  /** Their sites are known then. */
  readNow: (versions: readonly { config: string; version: number }[]) => Promise<void>
}

/** Of a config: with those that nodes run. */
const MOST_VERSIONS = 50
/** Whose newest report is older is silent. */
const REPORT_IS_OLD_MS = 60_000

export function createSiteTraffic({ now, metrics, versionsWith, readNow }: Deps) {
  const nowSeconds = () => now() / 1000

  return {
    /** Of each in the last minutes, in their order. */
    async lately(sites: readonly KnownSite[]): Promise<Traffic[]> {
      const range = lastMinutes(nowSeconds(), TRAFFIC_MINUTES)
      const sets = sites.flatMap((site, i) =>
        site.running.map(({ version, places }) => ({
          ...{ i, places, sum: versionSum(site.config, version) },
        })),
      )
      const steps = await metrics.sites({ ...planSites(range, nowSeconds()), ...range, sets })
      const bySite = Map.groupBy(sets.keys(), (at) => sets[at]?.i)
      return sites.map((_, i) => {
        const mine = [...(bySite.get(i) ?? [])]
        if (!mine.every((at) => sets[at]?.places.every(isCountedAlone))) return null
        return rates(
          mine.map((at) => steps[at] ?? []),
          range,
        )
      })
    },

    /** Of the same steps, for who may not see it. */
    unseenOver(range: Range): SiteTraffic {
      return { ...stepsOf(planSites(range, nowSeconds())), versions: null }
    },

    /** Also of versions that no node runs any more. */
    async over(site: KnownSite, range: Range): Promise<SiteTraffic> {
      const { config, hosts, newestVersion } = site
      const plan = planSites(range, nowSeconds())
      const candidates = new Set(site.running.map(({ version }) => version))
      for (let n = newestVersion; n > 0 && n > newestVersion - MOST_VERSIONS; n--) candidates.add(n)
      const bySum = new Map(
        [...candidates].map((version) => [versionSum(config, version), version]),
      )
      const counted = await metrics.countedIn({ ...plan, sums: [...bySum.keys()] })
      const versions = counted.flatMap((sum) => bySum.get(sum) ?? [])
      await readNow(versions.map((version) => ({ config, version })))
      const places = placesByVersion(hosts, await versionsWith(hosts.map((host) => [config, host])))
      const sets = versions.flatMap((version) => {
        const at = places.get(version)
        return at ? [{ version, sum: versionSum(config, version), places: [...at] }] : []
      })
      const steps = await metrics.sites({ ...plan, sets })
      return {
        ...stepsOf(plan),
        versions: sets
          .flatMap(({ version, places }, i) => {
            const counted = steps[i] ?? []
            if (counted.every((step) => step === null)) return []
            const isAlone = places.every(isCountedAlone)
            return [{ version, isCountedAlone: isAlone, ...columnsOf(counted, isAlone) }]
          })
          .toSorted((a, b) => b.version - a.version),
      }
    },

    /** Requests a second of the site on that node, in its newest window; null: it did not say. */
    ofNode(site: KnownSite, nodeId: string, version: number): number | null {
      const places = site.running.find((one) => one.version === version)?.places ?? []
      const newest = metrics.sitesOfNode(nodeId)
      if (!newest || newest.endedAtMs < now() - REPORT_IS_OLD_MS) return null
      if (!places.every(isCountedAlone)) return null
      const sum = versionSum(site.config, version)
      const requests = newest.sites
        .filter((one) => one.sum === sum)
        .flatMap(({ rows }) => rows)
        .filter(([place]) => place !== undefined && places.includes(place))
        .reduce((all, [, ...counts]) => all + requestsIn(counts), 0)
      return (requests / newest.durationMs) * 1000
    },
  }
}

const STATUSES = SITE_COUNTS.slice(0, SITE_COUNTS.indexOf('aborted'))
const requestsIn = (counts: readonly number[]) =>
  STATUSES.reduce((sum, _, i) => sum + (counts[i] ?? 0), 0)
const countIn = (counts: Counts, name: (typeof SITE_COUNTS)[number]) =>
  counts[SITE_COUNTS.indexOf(name)] ?? 0

function rates(ofVersions: readonly SiteSteps[], { fromSeconds, toSeconds }: Range): Traffic {
  const counted = ofVersions.flat().filter((counts) => counts !== null)
  if (counted.length === 0) return null
  const perSecond = (of: (counts: Counts) => number) =>
    counted.reduce((sum, counts) => sum + of(counts), 0) / (toSeconds - fromSeconds)
  return {
    requestsPerSecond: perSecond(requestsIn),
    serverErrorsPerSecond: perSecond((counts) => countIn(counts, 'responses5xx')),
    bytesPerSecond: perSecond((counts) => countIn(counts, 'bytesSent')),
  }
}

function columnsOf(steps: SiteSteps, isAlone: boolean) {
  const column = (name: (typeof SITE_COUNTS)[number], unit = 1) =>
    steps.map((counts) => (counts && isAlone ? countIn(counts, name) * unit : null))
  return {
    responses2xx: column('responses2xx'),
    responses3xx: column('responses3xx'),
    responses404: column('responses404'),
    responsesOther4xx: column('responsesOther4xx'),
    responses5xx: column('responses5xx'),
    aborted: column('aborted'),
    bytesSent: column('bytesSent'),
    totalSeconds: column('totalMicros', 1e-6),
  }
}

const stepsOf = ({ fromSeconds, toSeconds, stepSeconds }: Plan) => ({
  stepSeconds,
  times: Array.from(
    { length: (toSeconds - fromSeconds) / stepSeconds },
    (_, i) => fromSeconds + i * stepSeconds,
  ),
})

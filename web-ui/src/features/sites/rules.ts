// SPDX-License-Identifier: MIT
// Sites in words and sums. Pure.
import { t } from '../../languages/t.ts'
import type { RequestSample, Site, SiteSummary } from '../../lib/api-types.ts'

/** "*" alone tells nobody what it is. */
export const hostWords = (host: string) => (host === '*' ? t('any other host (*)') : host)

export const isRemoved = ({ version, newestVersion }: Pick<Site, 'version' | 'newestVersion'>) =>
  version < newestVersion

type Certificate = SiteSummary['certificates'][number]
const urgency = ['expired', 'expiring', 'good'] as const

/** The one that ends first, of those whose end is known. */
export function soonestOf(certificates: readonly Certificate[]): Certificate | null {
  const known = certificates.filter(({ notAfter }) => notAfter !== null)
  return (
    known.toSorted(
      (a, b) =>
        urgency.indexOf(a.state ?? 'good') - urgency.indexOf(b.state ?? 'good') ||
        String(a.notAfter).localeCompare(String(b.notAfter)),
    )[0] ?? null
  )
}

export type SlowPath = { path: string; requests: number; slowestSeconds: number; status: string }

const PATHS_SHOWN = 10

/** Most often first; of equally many the slowest. */
export function slowPathsOf(samples: readonly RequestSample[]): SlowPath[] {
  const byPath = Map.groupBy(samples, ({ path }) => path)
  return [...byPath]
    .map(([path, of]) => ({
      path,
      requests: of.length,
      slowestSeconds: of.reduce(
        (most, { stageSeconds }) => Math.max(most, stageSeconds.total ?? 0),
        0,
      ),
      status: [...new Set(of.map(({ status }) => status ?? t('none')))].toSorted().join(', '),
    }))
    .toSorted((a, b) => b.requests - a.requests || b.slowestSeconds - a.slowestSeconds)
    .slice(0, PATHS_SHOWN)
}

// SPDX-License-Identifier: MIT
// A site as the API shows it.
import { some } from '../../api-shapes/common.ts'
import { stateOf } from '../../certificates/expiry.ts'
import type { SiteHistory } from './history.ts'
import type { KnownSite } from './known-sites.ts'
import { HOSTS_LISTED, MOST_TEXT, type Site, type SiteSummary, type Traffic } from './schema.ts'
import type { TextSite } from './text-sites.ts'

export type KnownCertificate = { notBeforeMs: number; notAfterMs: number }
export type Shown = { host: string; fingerprint: string; notAfterMs: number; nodes: number }
type Certificates = ReadonlyMap<string, KnownCertificate>

const iso = (ms: number) => new Date(ms).toISOString()

const viewBoth = (known: KnownSite, certificates: Certificates, nowMs: number) => ({
  config: known.config,
  host: known.hosts[0] ?? '',
  version: known.version,
  newestVersion: known.newestVersion,
  root: known.root,
  nodes: known.running.reduce((sum, { nodes }) => sum + nodes, 0),
  certificates: known.certificates.map((name) => viewCertificate(name, certificates, nowMs)),
  hasCertificateFiles: known.hasCertificateFiles,
})

function viewCertificate(name: string, certificates: Certificates, nowMs: number) {
  const found = certificates.get(name)
  if (!found) return { name, notAfter: null, state: null }
  const { notBeforeMs: fromMs, notAfterMs: toMs } = found
  return { name, notAfter: iso(toMs), state: stateOf({ fromMs, toMs }, nowMs) }
}

export const viewSummary = (
  known: KnownSite,
  certificates: Certificates,
  { traffic, nowMs }: { traffic: Traffic; nowMs: number },
): SiteSummary => ({
  ...viewBoth(known, certificates, nowMs),
  hosts: some(known.hosts, HOSTS_LISTED),
  traffic,
})

type Whole = Pick<Site, 'sitesOfConfig' | 'nodesWithOwnSites' | 'serving'> & {
  found: KnownSite
  /** Of its version, and where in it the site stands. */
  text: string
  at: Pick<TextSite, 'index' | 'offset' | 'length' | 'line' | 'endLine'>
  certificates: Certificates
  shown: Shown[] | null
  history: SiteHistory
  nowMs: number
}

export function viewSite({
  found,
  text,
  at: { index, offset, length, line, endLine },
  certificates,
  shown,
  history,
  nowMs,
  ...said
}: Whole): Site {
  const part = text.slice(offset, offset + length)
  return {
    ...viewBoth(found, certificates, nowMs),
    ...said,
    hosts: some(found.hosts),
    part: {
      ...{ pointer: `/sites/${index}`, line, endLine },
      text: part.slice(0, MOST_TEXT),
      isCut: part.length > MOST_TEXT,
    },
    versions: found.running
      .map(({ version, nodes }) => ({ version, nodes }))
      .toSorted((a, b) => b.version - a.version),
    shown: shown?.map(({ notAfterMs, ...one }) => ({ ...one, notAfter: iso(notAfterMs) })) ?? null,
    changes: history.changes.map(({ number, atMs, ...change }) => ({
      ...{ ...change, version: number, at: iso(atMs) },
    })),
    changesLookedBackTo: history.lookedBackTo,
  }
}

// SPDX-License-Identifier: MIT
// Are there the certificates that a config names, and are they good for the hosts? Asked for each text that somebody saves,
// and for the text of each node before it is offered, with its overrides and variables.
import type { ConfigError } from '../../../api-shapes/common.ts'
import { nearestName } from '../../../base/nearest-name.ts'
import { covers } from '../../../certificates/names.ts'
import type { Placed, SiteCertificates } from '../text/certificates.ts'

export type CertificateNames = {
  /** The hosts that the newest versions of these certificates are good for; of those there are. */
  hostsOf(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Some there are, for who misspelt one. */
  some(): Promise<string[]>
}

/** What is found here, and by nobody else. */
export const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'unknown_certificate',
  'host_not_covered',
])

/** Of a config of the largest size: more would be read by nobody. */
const MAX_FOUND = 100

export async function checkCertificates(
  sites: readonly SiteCertificates[],
  certificates: CertificateNames,
): Promise<ConfigError[]> {
  if (sites.length === 0) return []
  const names = [...new Set(sites.flatMap((site) => site.names.map(({ text }) => text)))]
  const known = await certificates.hostsOf(names)
  const others = names.every((name) => known.has(name)) ? [] : await certificates.some()
  return sites.flatMap((site) => faultsOf(site, known, others)).slice(0, MAX_FOUND)
}

function faultsOf(
  { names, hosts, hasFiles }: SiteCertificates,
  known: ReadonlyMap<string, readonly string[]>,
  others: readonly string[],
): ConfigError[] {
  const missing = names.filter(({ text }) => !known.has(text))
  if (missing.length > 0) {
    return missing.map((name) => {
      const nearest = nearestName(name.text, others)
      const hint = nearest ? `did you mean "${nearest}"?` : 'upload it first, under Certificates'
      return errorAt(name, 'unknown_certificate', `there is no certificate "${name.text}"`, hint)
    })
  }
  if (hasFiles) return []
  const good = names.flatMap(({ text }) => known.get(text) ?? [])
  return hosts
    .filter(({ text }) => needsCover(text) && !covers(good, text))
    .map((host) => {
      const named = names.map(({ text }) => `"${text}"`).join(', ')
      const message = `"${host.text}" is not among the names of ${named}: ${some(good)}`
      const hint = 'add a certificate that is good for it, or give this host a site of its own'
      return errorAt(host, 'host_not_covered', message, hint)
    })
}

/**
 * As farmstead-node has it of certificates in files: no authority vouches for names without a dot, and few for addresses.
 * Sites have those besides, for use within.
 */
const needsCover = (host: string) => host.includes('.') && !/^[\d.]+$/.test(host)

const errorAt = (
  { pointer, line, column, endLine, endColumn }: Placed,
  code: string,
  message: string,
  hint: string,
): ConfigError => ({ pointer, line, column, endLine, endColumn, code, message, hint })

const SHOWN = 5
const some = (names: readonly string[]) =>
  [
    ...names.slice(0, SHOWN),
    ...(names.length > SHOWN ? [`${names.length - SHOWN} more`] : []),
  ].join(', ')

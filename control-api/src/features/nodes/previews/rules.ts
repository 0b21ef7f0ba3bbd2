// SPDX-License-Identifier: MIT
// The name and the address of a preview. Pure.
import { parse } from 'jsonc-parser'
import type { Listeners } from '../urls.ts'

export type HostOf = { release: string; number: number; node: string }

/** A label of a host name has no other characters, and no hyphen at its ends. */
const asLabel = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** null: it would be no host name, for a label of it is too long. */
export function hostFor(template: string, { release, number, node }: HostOf): string | null {
  const host = template
    .replaceAll('{release}', asLabel(release))
    .replaceAll('{version}', String(number))
    .replaceAll('{node}', asLabel(node))
  const areLabels = host.split('.').every((label) => label.length >= 1 && label.length <= 63)
  return areLabels && host.length <= 253 ? host : null
}

/** Does a site of the config say that it answers for this very name? */
export function isNamedIn(text: string, host: string): boolean {
  const config: { sites?: unknown } | undefined = parse(text, [], { allowTrailingComma: true })
  const sites = Array.isArray(config?.sites) ? config.sites : []
  return sites.some(
    (site) =>
      Array.isArray(site?.hosts) &&
      site.hosts.some((one: unknown) => typeof one === 'string' && one.toLowerCase() === host),
  )
}

/** By TLS when the node speaks it; null: nobody knows on which port it listens. */
export function urlFor({ sites }: Listeners, host: string): string | null {
  const known = sites.filter(({ port }) => Number.isInteger(port) && port > 0 && port <= 65_535)
  const listener = known.find(({ scheme }) => scheme === 'https') ?? known[0]
  if (!listener) return null
  const { scheme, port } = listener
  const isDefault = port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${host}${isDefault ? '' : `:${port}`}/`
}

// SPDX-License-Identifier: MIT
// Under which host a config shows each release. Pure.
import { parse } from 'jsonc-parser'

/** By release: the first name of its sites; null: they have none, but one answers for any, as for the address that is connected to. */
export function hostsOfReleases(text: string): Map<string, string | null> {
  const config: { sites?: unknown } | undefined = parse(text, [], { allowTrailingComma: true })
  const sites = Array.isArray(config?.sites) ? config.sites : []
  const hosts = new Map<string, string | null>()
  for (const site of sites) {
    if (typeof site?.release !== 'string' || typeof hosts.get(site.release) === 'string') continue
    const names: unknown[] = Array.isArray(site.hosts) ? site.hosts : []
    const name = names.find((one): one is string => typeof one === 'string' && !one.includes('*'))
    if (name !== undefined || names.includes('*')) hosts.set(site.release, name ?? null)
  }
  return hosts
}

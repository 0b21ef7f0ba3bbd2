// SPDX-License-Identifier: MIT
// The sites of one text, and which of them answers for a host.

/** A site in the text of a version. */
export type TextSite = {
  index: number
  hosts: readonly string[]
  offset: number
  length: number
  line: number
  endLine: number
  digest: string
}

/** The one that answers for one of these hosts. */
export function siteFor(
  sites: readonly TextSite[],
  hosts: readonly string[],
): TextSite | undefined {
  const byHost = new Map(sites.flatMap((site) => site.hosts.map((host) => [host, site] as const)))
  const host = hosts.find((one) => byHost.has(one))
  return host === undefined ? undefined : byHost.get(host)
}

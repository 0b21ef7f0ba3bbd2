// SPDX-License-Identifier: MIT
import { isObject } from '../../../json/values.ts'
import { parseConfigText } from './text.ts'

/** For which hosts its sites answer, in lower case; none of a text that cannot be read. */
export function hostsIn(text: string): string[] {
  const parsed = parseConfigText(text)
  if (!parsed.ok || !isObject(parsed.value) || !Array.isArray(parsed.value.sites)) return []
  return parsed.value.sites.flatMap((site) =>
    isObject(site) && Array.isArray(site.hosts)
      ? site.hosts.flatMap((host) => (typeof host === 'string' ? [host.toLowerCase()] : []))
      : [],
  )
}

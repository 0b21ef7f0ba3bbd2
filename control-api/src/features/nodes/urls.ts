// SPDX-License-Identifier: MIT
// Where a node serves, read from the config it really runs. Pure.
import { isIP } from 'node:net'
import { parse } from 'jsonc-parser'

/** As DNS has it; `_` is seen in the wild. */
const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/i
const EVERYWHERE = new Set(['0.0.0.0', '::', ''])

/** Of each listener; `hostname` stands in where it listens on every address. */
export function urlsOf(configText: string, hostname: string): string[] {
  const config: unknown = parse(configText, [], { allowTrailingComma: true })
  const listen = memberOf(config, 'listen')
  if (!Array.isArray(listen)) return []
  const urls = listen.flatMap((entry: unknown) => {
    const [address, port] = [memberOf(entry, 'address') ?? '', memberOf(entry, 'port')]
    if (typeof address !== 'string' || typeof port !== 'number') return []
    const scheme = memberOf(entry, 'tls') === true ? 'https' : 'http'
    const url = urlOf(scheme, EVERYWHERE.has(address) ? hostname : address, port)
    return url === null ? [] : [url]
  })
  return [...new Set(urls)]
}

/** null: what a node says of itself is no host, and must not become a link to somewhere else. */
function urlOf(scheme: 'http' | 'https', host: string, port: number): string | null {
  const isPort = Number.isInteger(port) && port > 0 && port <= 65_535
  if (!isPort || (isIP(host) === 0 && !NAME.test(host))) return null
  const isDefault = port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}${isDefault ? '' : `:${port}`}/`
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined
}

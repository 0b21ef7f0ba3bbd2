// SPDX-License-Identifier: MIT
// Where a node serves, read from the config it really runs. Pure.
import { parse } from 'jsonc-parser'

const EVERYWHERE = new Set(['0.0.0.0', '::', ''])

/** Of each listener; `hostname` stands in where it listens on every address. */
export function urlsOf(configText: string, hostname: string): string[] {
  const config: unknown = parse(configText, [], { allowTrailingComma: true })
  const listen = memberOf(config, 'listen')
  if (!Array.isArray(listen)) return []
  const urls = listen.flatMap((entry: unknown) => {
    const [address, port] = [memberOf(entry, 'address') ?? '', memberOf(entry, 'port')]
    if (typeof address !== 'string' || typeof port !== 'number' || port === 0) return []
    const host = EVERYWHERE.has(address) ? hostname : address
    return [`http://${host.includes(':') ? `[${host}]` : host}${port === 80 ? '' : `:${port}`}/`]
  })
  return [...new Set(urls)]
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined
}

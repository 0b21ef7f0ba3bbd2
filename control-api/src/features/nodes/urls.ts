// SPDX-License-Identifier: MIT
// Where a node serves, and where it shows its measurements, read from the config it really runs. Pure.
import { isIP } from 'node:net'
import { parse } from 'jsonc-parser'

/** As DNS has it; `_` is seen in the wild. */
const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/i
const EVERYWHERE = new Set(['0.0.0.0', '::', ''])
const LOOPBACK = /^(127\.|::1$)/
const DEFAULT_ADMIN_PORT = 8081

type Listener = { address: string; port: number }
export type Listeners = {
  sites: (Listener & { scheme: 'http' | 'https' })[]
  /** null: there is none, or the system chose its port. */
  admin: Listener | null
}

export function listenersOf(configText: string): Listeners {
  const config: unknown = parse(configText, [], { allowTrailingComma: true })
  const listen = memberOf(config, 'listen')
  const entries: unknown[] = Array.isArray(listen) ? listen : []
  const sites = entries.flatMap((entry) => {
    const listener = listenerOf(entry)
    const scheme = memberOf(entry, 'tls') === true ? 'https' : 'http'
    return listener ? [{ ...listener, scheme } as const] : []
  })
  return { sites, admin: adminOf(memberOf(config, 'admin')) }
}

function adminOf(admin: unknown): Listener | null {
  const listener = listenerOf(admin, DEFAULT_ADMIN_PORT)
  return listener?.address && isPort(listener.port) ? listener : null
}

function listenerOf(entry: unknown, defaultPort?: number): Listener | null {
  const [address, port] = [memberOf(entry, 'address') ?? '', memberOf(entry, 'port') ?? defaultPort]
  return typeof address === 'string' && typeof port === 'number' ? { address, port } : null
}

/** Of each listener; `hostname` stands in where it listens on every address. */
export function urlsOf({ sites }: Pick<Listeners, 'sites'>, hostname: string): string[] {
  const urls = sites.flatMap(({ scheme, address, port }) => {
    const host = hostPart(EVERYWHERE.has(address) ? hostname : address)
    if (host === null || !isPort(port)) return []
    const isDefault = port === (scheme === 'https' ? 443 : 80)
    return [`${scheme}://${host}${isDefault ? '' : `:${port}`}/`]
  })
  return [...new Set(urls)]
}

/** Host and port; null: from another machine there is none. */
export function scrapeTarget(
  { address, port }: Listener,
  { host, withLoopback }: { host: string; withLoopback: boolean },
): string | null {
  if (LOOPBACK.test(address) && !withLoopback) return null
  const part = hostPart(EVERYWHERE.has(address) ? host : address)
  return part === null ? null : `${part}:${port}`
}

/** null: what a node says of itself is no host, and must not become a link to somewhere else. */
function hostPart(host: string): string | null {
  if (isIP(host) === 0 && !NAME.test(host)) return null
  return isIP(host) === 6 ? `[${host}]` : host
}

const isPort = (port: number) => Number.isInteger(port) && port > 0 && port <= 65_535

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined
}

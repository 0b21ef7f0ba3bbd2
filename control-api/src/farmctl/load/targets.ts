// SPDX-License-Identifier: MIT
// Whom a load may fall upon: this machine, and whoever was named twice.
import { lookup } from 'node:dns/promises'
import { BlockList, connect, isIPv6 } from 'node:net'
import { Failure } from '../failures.ts'
import type { LoadTarget, LoadUrl } from './plan.ts'

const TARGETS_MAX = 64
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

export const isLoopback = (address: string): boolean =>
  loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

const CONNECTS_WITHIN_MS = 2000

/** The first that takes connections: "localhost" may be two addresses, and a server at one of them. */
async function firstThatListens(addresses: readonly string[], port: number): Promise<string> {
  const [first = ''] = addresses
  if (addresses.length > 1)
    for (const address of addresses) if (await listens(address, port)) return address
  return first
}

const listens = (host: string, port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect({ host, port, timeout: CONNECTS_WITHIN_MS })
    const end = (does: boolean) => () => {
      socket.destroy()
      done(does)
    }
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false))
  })

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1')
const PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 }

export function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !(url.protocol in PORTS)) {
    throw new Failure(`"${text}" is no URL that begins with http:// or https://.`)
  }
  if (url.username || url.password) {
    throw new Failure(`${url.host}: a name and password are a field: --header 'Authorization: …'.`)
  }
  return url
}

export const pathOf = (url: URL): string => `${url.pathname}${url.search}`
/** Not as a link: "//other/x" is a path here, too, and no other host. */
export const atPath = (base: URL, path: string): URL => new URL(`${base.origin}${path}`)

const addressesOf = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true, order: 'ipv4first' })).map(({ address }) => address)

/** Each host and port once, with the address that was found for it: no other is asked later. */
export class Targets {
  readonly list: LoadTarget[] = []
  readonly #confirmed: ReadonlySet<string>
  readonly #numbers = new Map<string, number>()

  readonly #addressesOf: (name: string) => Promise<string[]>

  constructor(confirmed: readonly string[], lookUp = addressesOf) {
    this.#confirmed = new Set(confirmed.map((name) => name.toLowerCase()))
    this.#addressesOf = lookUp
  }

  async urlOf(url: URL, more: Partial<LoadUrl> = {}): Promise<LoadUrl> {
    const number = this.#numbers.get(url.origin) ?? (await this.#add(url))
    return { target: number, path: pathOf(url), host: url.host, weight: 1, ...more }
  }

  /** Where it is that may be asked. */
  async addressOf(url: URL): Promise<string> {
    const { target } = await this.urlOf(url)
    return (this.list[target] as LoadTarget).address
  }

  async #add(url: URL): Promise<number> {
    const name = withoutBrackets(url.hostname)
    const found = await this.#addressesOf(name).catch((error: Error) => {
      throw new Failure(`${name} was not found: ${error.message}`)
    })
    const confirmed = this.#confirmed.has(name)
    // Nobody else is so much as connected to.
    const allowed = confirmed ? found : found.filter(isLoopback)
    if (allowed.length === 0) {
      throw new Failure(
        `${name} (${found[0]}) is not this machine. A load can stop a server, and who runs it must agree: add --yes-i-may-load ${name} if they did.`,
      )
    }
    if (this.list.length === TARGETS_MAX) {
      throw new Failure(`One run asks at most ${TARGETS_MAX} servers.`)
    }
    const tls = url.protocol === 'https:'
    const port = url.port ? Number(url.port) : (PORTS[url.protocol] ?? 0)
    const address = await firstThatListens(allowed, port)
    this.list.push({ name, address, port, tls, confirmed })
    this.#numbers.set(url.origin, this.list.length - 1)
    return this.list.length - 1
  }
}

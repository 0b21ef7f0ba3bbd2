// SPDX-License-Identifier: MIT
// Which addresses a webhook may reach. Whoever may make one must not make this service talk to what trusts
// its machine or its network place: itself at whatever address, its neighbours on the link, private networks, a
// cloud's metadata. Whoever runs the service opens what receivers need (docs/decisions/0083-one-rule-for-what-leaves.md).
import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { AddressRefused } from '../../api-shapes/errors.ts'

const REFUSED = [
  // Private and shared networks, benchmarks.
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  'fc00::/7',
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '224.0.0.0/3',
  // Metadata that is not on the link: Azure.
  '168.63.129.16/32',
  '::/127',
  // Neither here nor reachable everywhere: discarded, and routers' own segments.
  '100::/64',
  '5f00::/16',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // IPv4 in another dress: what it leads to is not ours to see.
  '::/96',
  '::ffff:0:0:0/96',
  '2001::/32',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
]

export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export type Guard = {
  /** Throws AddressRefused for a literal address that may not be reached. */
  checkLiteral(url: URL): void
  /** Looks names up, once per connection, and hands on only what may be reached. */
  lookup: LookupFunction
}

/** Of this machine, public ones as well. Read each time: they come and go. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))

export function createGuard(
  allow: readonly string[],
  resolve: Resolve = lookup,
  own: () => string[] = ownAddresses,
): Guard {
  const [allowed, refused] = [listOf(allow), listOf(REFUSED)]
  const isRefused = (address: string): boolean => {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (allowed.check(address, family)) return false
    return refused.check(address, family) || listOf(own()).check(address, family)
  }
  return {
    checkLiteral(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) && isRefused(host)) throw new AddressRefused(host, host)
    },
    lookup(host, options, callback) {
      resolve(host, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '')
        const bad = addresses.find(({ address }) => isRefused(address))
        if (bad) return callback(new AddressRefused(host, bad.address), '')
        const [first] = addresses
        if (options.all || !first) return callback(null, addresses)
        callback(null, first.address, first.family)
      })
    },
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    // Of the link an address may carry its interface.
    const [address = '', bits] = network.replace(/%.*$/, '').split('/', 2)
    const version = isIP(address)
    const whole = version === 6 ? 128 : 32
    list.addSubnet(address, Number(bits ?? whole), version === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

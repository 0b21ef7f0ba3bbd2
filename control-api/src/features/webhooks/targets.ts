// SPDX-License-Identifier: MIT
// Which addresses a webhook may reach. Whoever may make one must not make this service talk to what trusts
// its machine or its network place: itself, its neighbours on the link, a cloud's metadata. Private networks
// are open, because that is where receivers live (docs/decisions/0045-webhooks-from-the-audit.md).
import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { defineError } from '../../errors.ts'

export const AddressRefused = defineError(
  422,
  'address_refused',
  'Webhooks may not go there',
  (host: string, address: string) =>
    `${host === address ? host : `${host} is ${address}, which`} is this machine, its link or a cloud’s metadata. FARMSTEAD_WEBHOOK_ALLOW opens networks.`,
)

const REFUSED = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '224.0.0.0/3',
  // Metadata that is not on the link: Alibaba, Azure.
  '100.100.100.200/32',
  '168.63.129.16/32',
  '::/127',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // IPv4 in another dress: what it leads to is not ours to see.
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  // Metadata of AWS.
  'fd00:ec2::/32',
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

export function createGuard(allow: readonly string[], resolve: Resolve = lookup): Guard {
  const [allowed, refused] = [listOf(allow), listOf(REFUSED)]
  const isRefused = (address: string): boolean => {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    return refused.check(address, family) && !allowed.check(address, family)
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
    const [address = '', bits] = network.split('/', 2)
    const version = isIP(address)
    const whole = version === 6 ? 128 : 32
    list.addSubnet(address, Number(bits ?? whole), version === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

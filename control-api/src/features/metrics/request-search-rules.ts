// SPDX-License-Identifier: MIT
// What a search asks nodes for, and which of them. Pure.
import { isIP } from 'node:net'
import { defineError } from '../../api-shapes/errors.ts'
import type { Filter } from '../../fleet/request-searches.ts'
import type { StartSearch } from './request-search-schema.ts'

export const BadFilter = defineError(
  400,
  'bad_filter',
  'No request can be like that',
  (why: string) => why,
)

/** Throws BadFilter. Nodes would refuse it as well, but could not say so to whoever asked. */
export function filterOf(asked: StartSearch): Filter {
  const { site, host, pathPrefix, pathPart, method, statusFrom, statusTo, client } = asked
  const { slowerThanMs, bytesFrom } = asked
  if (pathPrefix !== undefined && pathPart !== undefined) {
    throw new BadFilter('Say pathPrefix or pathPart, not both.')
  }
  const [from, to] = [statusFrom ?? statusTo, statusTo ?? statusFrom]
  if (from !== undefined && to !== undefined && from > to) {
    throw new BadFilter(`statusFrom is ${from} and statusTo ${to}: no status is between them.`)
  }
  if (client !== undefined) requireBlock(client)
  for (const text of [pathPrefix ?? '', pathPart ?? '']) {
    if (Buffer.byteLength(text) > 200) throw new BadFilter('A path has at most 200 bytes here.')
  }
  return {
    ...(site !== undefined && { site: site.toLowerCase() }),
    ...(host !== undefined && { host: host.toLowerCase() }),
    ...(pathPrefix !== undefined && { pathPrefix }),
    ...(pathPart !== undefined && { pathPart }),
    ...(method !== undefined && { method }),
    ...(from !== undefined && to !== undefined && { statusFrom: from, statusTo: to }),
    ...(client !== undefined && { client }),
    ...(slowerThanMs !== undefined && { slowerThanMs }),
    ...(bytesFrom !== undefined && { bytesFrom }),
  }
}

/** As the node reads it: no zone, and no bits after the prefix. */
function requireBlock(text: string): void {
  const [address = '', prefix, ...more] = text.split('/')
  const version = isIP(address)
  const most = version === 4 ? 32 : 128
  const isPrefix =
    prefix === undefined || (/^(0|[1-9]\d?|1[0-2]\d)$/.test(prefix) && +prefix <= most)
  if (version === 0 || address.includes('%') || !isPrefix || more.length > 0) {
    throw new BadFilter(
      `client is "${text}". Say an address, or a block of them: 203.0.113.7, 203.0.113.0/24, 2001:db8::/32.`,
    )
  }
  if (prefix !== undefined && hasBitsAfter(address, version, Number(prefix))) {
    throw new BadFilter(
      `client is "${text}", which has bits after the first ${prefix}. Write the block's first address.`,
    )
  }
}

function hasBitsAfter(address: string, version: number, prefix: number): boolean {
  const bits = version === 4 ? bitsOfV4(address) : bitsOfV6(address)
  return bits.slice(prefix).includes('1')
}

const inBits = (value: number, width: number) => value.toString(2).padStart(width, '0')
const bitsOfV4 = (address: string) =>
  address
    .split('.')
    .map((part) => inBits(Number(part), 8))
    .join('')

function bitsOfV6(address: string): string {
  // The URL parser writes the one form that all have, and without dots.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = '', right = ''] = short.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(left), groups(right)]
  const zeros = short.includes('::') ? 8 - before.length - after.length : 0
  return [...before, ...Array<string>(zeros).fill('0'), ...after]
    .map((group) => inBits(Number.parseInt(group, 16), 16))
    .join('')
}

/** So many of them, each with the same chance (Fisher and Yates). */
export function someOfAll<T>(all: readonly T[], most: number, random = Math.random): T[] {
  const left = [...all]
  for (let i = 0; i < Math.min(most, left.length); i++) {
    const at = i + Math.floor(random() * (left.length - i))
    ;[left[i], left[at]] = [left[at] as T, left[i] as T]
  }
  return left.slice(0, most)
}

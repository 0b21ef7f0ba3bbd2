// SPDX-License-Identifier: MIT
// A list of hosts as people paste it: one a line, or with blanks, commas or semicolons between, often copied as addresses.

/** The API allows no more in one certificate. */
import { t } from '../../../languages/t.ts'

export const MAX_HOSTS = 100

export type WrongHost = { typed: string; why: string }
export type Hosts = {
  /** Lower case, as DNS has them, each once, in the order they were typed. */
  hosts: string[]
  wrong: WrongHost[]
  /** How many stood there more than once. */
  repeated: number
}

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^(\\*\\.)?${LABEL}(\\.${LABEL})*$`)
const HOST_LENGTH = 253

export const isWildcard = (host: string) => host.startsWith('*.')

export function parseHosts(text: string): Hosts {
  const typed = text.split(/[\s,;]+/).filter((one) => one !== '')
  const hosts = new Set<string>()
  const wrong: WrongHost[] = []
  let repeated = 0
  for (const one of typed) {
    const read = readHost(one)
    if ('why' in read) wrong.push({ typed: one, why: read.why })
    else if (hosts.has(read.host)) repeated += 1
    else hosts.add(read.host)
  }
  return { hosts: [...hosts], wrong, repeated }
}

function readHost(typed: string): { host: string } | { why: string } {
  // As in an address, or as OpenSSL lists them.
  const bare = typed
    .replace(/^([a-z]+:\/\/|DNS:)/i, '')
    .replace(/[/?#].*$/, '')
    .replace(/\.$/, '')
  const [, star = '', rest = ''] = bare.match(/^(\*\.)?(.*)$/) ?? []
  // The browser's own reading of a host: without a port, and with letters beyond ASCII as DNS has them.
  const host = `${star}${URL.parse(`http://${rest}`)?.hostname ?? ''}`
  if (/^\[|^\d+(\.\d+){3}$/.test(host)) return { why: t('an address, not a name') }
  if (host.slice(star.length).includes('*')) return { why: t('a star stands only at the start') }
  if (!HOST.test(host) || host.length > HOST_LENGTH) return { why: t('not a host name') }
  return { host }
}

/** Why they cannot be sent; null: they can. */
export function hostsTrouble({ hosts, wrong }: Hosts, isHttp: boolean): string | null {
  const [first] = wrong
  if (first) return `${first.typed}: ${first.why}.`
  if (hosts.length === 0) return t('Enter at least one host.')
  if (hosts.length > MAX_HOSTS) {
    return t('{hosts} hosts are too many for one certificate: at most {maxHosts}.', {
      hosts: hosts.length,
      maxHosts: MAX_HOSTS,
    })
  }
  const wildcard = hosts.find(isWildcard)
  if (isHttp && wildcard !== undefined) {
    return t('{wildcard} needs DNS-01: an authority does not check a wildcard over HTTP.', {
      wildcard,
    })
  }
  return null
}

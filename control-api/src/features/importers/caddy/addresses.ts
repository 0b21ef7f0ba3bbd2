// SPDX-License-Identifier: MIT
// Addresses of sites: "example.org", ":8080", "http://a.test", "localhost:2015".
import { isHost } from '../values.ts'
import { UNKNOWN_VALUE } from './lexer.ts'

export type Address = {
  /** "*": any. */
  host: string
  port: number
  isTls: boolean
  /** A name for which Caddy gets a certificate by itself, from an authority or its own. */
  isAutomatic: boolean
}
export type Ports = { http: number; https: number; isAutomatic: boolean }

/** null: a node has no such address. */
export function addressOf(text: string, { http, https, isAutomatic }: Ports): Address | null {
  const found =
    /^(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|[^:/[\]{}]*)(?::(\d{1,5}|https?))?(\/\*?)?$/i.exec(text)
  if (!found || text.includes(UNKNOWN_VALUE) || text === '') return null
  const [, scheme = '', name = '', named = ''] = found
  const isPlain = scheme === 'http' || named === 'http'
  const number = named === 'http' ? http : named === 'https' ? https : Number(named)
  const bare = name.replace(/[[\]]/g, '').toLowerCase()
  const host = bare === '' || bare === '*' ? '*' : bare
  if (host !== '*' && !isHost(host) && !/^[0-9a-f.:]+$/.test(host)) return null
  const usual = isPlain || (host === '*' && scheme === '' && named === '') ? http : https
  const port = named === '' ? usual : number
  if (!(port > 0 && port <= 65_535)) return null
  const isTls = !isPlain && port !== http && (host !== '*' || scheme === 'https' || port === https)
  return { host, port, isTls, isAutomatic: isTls && host !== '*' && isAutomatic }
}

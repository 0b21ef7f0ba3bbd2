// SPDX-License-Identifier: MIT
// What is searched for, as the address holds it and as the control plane is asked for it. Pure.
import { t } from '../../../languages/t.ts'
import type { StartSearch } from '../../../lib/api-types.ts'

/** Each as it was typed; the address is read anew by whoever it is sent to. */
export type RequestsSearch = {
  /** A selector of labels; none: all nodes. */
  nodes?: string | undefined
  /** The id of one node, in place of a selector. */
  node?: string | undefined
  config?: string | undefined
  site?: string | undefined
  host?: string | undefined
  /** From the beginning when it begins with a slash. */
  path?: string | undefined
  method?: string | undefined
  status?: string | undefined
  client?: string | undefined
  slower?: string | undefined
  bytes?: string | undefined
  /** Who asked is shown. */
  clients?: true | undefined
  seconds?: Seconds | undefined
}

export const durations = { 60: t('1 minute'), 300: t('5 minutes'), 600: t('10 minutes') } as const
export type Seconds = keyof typeof durations
export const DEFAULT_SECONDS: Seconds = 60
export const secondsOf = (value: unknown): Seconds | undefined =>
  ([60, 300, 600] as const).find((one) => one === Number(value))

const textNames = [
  ...(['nodes', 'node', 'config', 'site', 'host', 'path'] as const),
  ...(['method', 'status', 'client', 'slower', 'bytes'] as const),
]
export type TextName = (typeof textNames)[number]
const LONGEST = 1_000

export function parseRequestsSearch(search: Record<string, unknown>): RequestsSearch {
  const texts = textNames.flatMap((name) => {
    // What is all digits arrives as a number.
    const text = search[name] === undefined ? '' : String(search[name]).slice(0, LONGEST)
    return text === '' ? [] : [[name, text] as const]
  })
  const seconds = secondsOf(search.seconds)
  return {
    ...Object.fromEntries(texts),
    ...(search.clients === true && { clients: true as const }),
    ...(seconds !== undefined && { seconds }),
  }
}

export type Wrong = Partial<Record<TextName, string>>
const STATUS = /^([1-5]\d\d)(?:\s*[-–]\s*([1-5]\d\d))?$/
const WHOLE = /^\d{1,9}$/

/** In words beside its field; what only the control plane can know it says itself. */
export function wrongIn({ status, method, slower, bytes }: RequestsSearch): Wrong {
  const isStatus = status === undefined || statusOf(status) !== null
  const isMethod = method === undefined || /^[A-Z][A-Z-]{0,15}$/.test(method.trim().toUpperCase())
  return {
    ...(!isStatus && { status: t('Say 404, 5xx or 400-403.') }),
    ...(!isMethod && { method: t('Letters, as in GET.') }),
    ...(slower !== undefined && !WHOLE.test(slower.trim()) && { slower: t('Say a whole number.') }),
    ...(bytes !== undefined && !WHOLE.test(bytes.trim()) && { bytes: t('Say a whole number.') }),
  }
}

function statusOf(text: string): Pick<StartSearch, 'statusFrom' | 'statusTo'> | null {
  const [, one] = /^([1-5])xx$/i.exec(text.trim()) ?? []
  if (one !== undefined) return { statusFrom: Number(one) * 100, statusTo: Number(one) * 100 + 99 }
  const [, from, to = from] = STATUS.exec(text.trim()) ?? []
  return from === undefined ? null : { statusFrom: Number(from), statusTo: Number(to) }
}

/** As nodes compare it, though it was copied from an address bar: without query, decoded. A space may be a part of it. */
function pathOf(typed = ''): Pick<StartSearch, 'pathPrefix' | 'pathPart'> {
  const path = decoded(typed.replace(/[?#].*$/s, ''))
  if (path === '') return {}
  return path.startsWith('/') ? { pathPrefix: path } : { pathPart: path }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Of a search in which nothing is wrong. */
export function askedBy(search: RequestsSearch): StartSearch {
  const { nodes, node, config, site, host, path, method, status, client, slower, bytes } = search
  const trimmed = (name: string, text: string | undefined) =>
    text === undefined || text.trim() === '' ? {} : { [name]: text.trim() }
  return {
    ...(node !== undefined
      ? { of: `node:${node}` }
      : nodes !== undefined && { of: `nodes:${nodes.trim()}` }),
    ...trimmed('config', config),
    ...trimmed('site', site),
    ...trimmed('host', host),
    ...pathOf(path),
    ...trimmed('method', method?.toUpperCase()),
    ...(status !== undefined && statusOf(status)),
    ...trimmed('client', client),
    ...(slower !== undefined && { slowerThanMs: Number(slower) }),
    ...(bytes !== undefined && { bytesFrom: Number(bytes) }),
    ...(search.clients && { tellsClients: true }),
    seconds: search.seconds ?? DEFAULT_SECONDS,
  }
}

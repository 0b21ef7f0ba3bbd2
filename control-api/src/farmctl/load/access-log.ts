// SPDX-License-Identifier: MIT
// An access log, as what is to be asked for and when. common, combined (with a host before it or not), JSON of our nodes and
// of Caddy; of other lines it is said how many there are.

import { PATH_MAX } from './plan.ts'

export type Logged = { atMs: number; path: string; head: boolean }

const LINE =
  /\[(\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?" \d{3} /
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'

/** 10/Oct/2026:13:55:36 -0700 */
function clfTime(text: string): number {
  const [, day, month = '', year, time, zone = ''] =
    /^(\d\d)\/(\w{3})\/(\d{4}):([\d:]{8}) ([+-]\d{4})$/.exec(text) ?? []
  const at = MONTHS.indexOf(month)
  if (at % 3 !== 0) return Number.NaN
  const number = String(at / 3 + 1).padStart(2, '0')
  return Date.parse(`${year}-${number}-${day}T${time}${zone.slice(0, 3)}:${zone.slice(3)}`)
}

function fromText(line: string): Logged | null {
  const [, time = '', method = '', target = ''] = LINE.exec(line) ?? []
  return logged(clfTime(time), method, unescaped(target))
}

/** As nodes write bytes of a client that would end the line or its quotes. */
const unescaped = (text: string) =>
  text.replaceAll(/\\(?:x([0-9a-f]{2})|(["\\]))/gi, (_all, hex, itself) =>
    hex ? `%${hex}` : itself,
  )

type Members = Record<string, unknown>
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function timeOf({ time, ts }: Members): number {
  const value = time ?? ts
  return typeof value === 'number' ? value * 1000 : Date.parse(textOf(value))
}

function fromJson(line: string): Logged | null {
  let members: Members
  try {
    members = JSON.parse(line)
  } catch {
    return null
  }
  const { request } = members
  if (typeof request === 'object' && request !== null) {
    const { method, uri } = request as Members
    return logged(timeOf(members), textOf(method), textOf(uri))
  }
  const [method = '', target = ''] = textOf(request).split(' ')
  return logged(timeOf(members), method, target)
}

function logged(atMs: number, method: string, target: string): Logged | null {
  if (!Number.isFinite(atMs) || !['GET', 'HEAD'].includes(method)) return null
  // A proxy's clients name the whole URL.
  const path = target.replace(/^https?:\/\/[^/]+/, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no byte that would end the request's line.
  if (!/^\/[^\u0000-\u0020\u007f]*$/.test(path)) return null
  if (!path.isWellFormed() || Buffer.byteLength(path) > PATH_MAX) return null
  return { atMs, path, head: method === 'HEAD' }
}

/** null: it says nothing that can be asked again. */
export const readLogLine = (line: string): Logged | null =>
  line.startsWith('{') ? fromJson(line) : fromText(line)

/**
 * When each is due, in microseconds from the first, `speed` times as fast as it was. A log that counts whole seconds says of
 * those in one of them only their order: they are spread over it, since they did not all come at its first moment.
 */
export function dueTimes(requests: readonly { atMs: number }[], speed: number): number[] {
  const first = requests[0]?.atMs ?? 0
  const isWhole = requests.every(({ atMs }) => atMs % 1000 === 0)
  let [second, from] = [Number.NaN, 0]
  const ends = isWhole ? lastOfEach(requests) : null
  return requests.map(({ atMs }, at) => {
    if (atMs !== second) [second, from] = [atMs, at]
    const many = ends ? (ends.get(atMs) ?? at) - from + 1 : 1
    const within = ends ? (1000 * (at - from)) / many : 0
    return Math.round(((atMs - first + within) * 1000) / speed)
  })
}

const lastOfEach = (requests: readonly { atMs: number }[]) =>
  new Map(requests.map(({ atMs }, at) => [atMs, at]))

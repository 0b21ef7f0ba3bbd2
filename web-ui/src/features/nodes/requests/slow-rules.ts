// SPDX-License-Identifier: MIT
// The slow requests that are kept of a node: which of them are listed, in which order, and what of each took how long.
import { t } from '../../../languages/t.ts'
import type { RequestSample } from '../../../lib/api-types.ts'
import { formatSeconds } from '../../../lib/format.ts'
import { type Part, type Point, partNames, parts } from './rules.ts'

export const outcomes = {
  '2xx': { label: t('Status 2xx'), has: ({ status }) => hundreds(status) === 2 },
  '3xx': { label: t('Status 3xx'), has: ({ status }) => hundreds(status) === 3 },
  '4xx': { label: t('Status 4xx'), has: ({ status }) => hundreds(status) === 4 },
  '5xx': { label: t('Status 5xx'), has: ({ status }) => hundreds(status) === 5 },
  early: { label: t('Ended early'), has: ({ reason }) => reason !== null },
} satisfies Record<string, { label: string; has: (request: RequestSample) => boolean }>
export type Outcome = keyof typeof outcomes
export const outcomeNames = Object.keys(outcomes) as Outcome[]
const hundreds = (status: number | null) => Math.floor((status ?? 0) / 100)

/** The control plane keeps them for a day. */
export const hoursBack = [1, 6, 24] as const
export type HoursBack = (typeof hoursBack)[number]
export const ALL_KEPT_HOURS = 24
/** And so many of a node. */
export const MOST_KEPT = 1000

const orders = {
  began: (a, b) => a.atMs - b.atMs,
  took: (a, b) => a.totalSeconds - b.totalSeconds,
  status: (a, b) => (a.status ?? 0) - (b.status ?? 0),
  path: (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
} satisfies Record<string, (a: Point, b: Point) => number>
export type SlowSort = keyof typeof orders
const sortKeys = Object.keys(orders) as SlowSort[]

/** As the address of the node's page has it. */
export type SlowSearch = {
  slowHours?: HoursBack | undefined
  /** A part of the path. */
  slowPath?: string | undefined
  slowOutcome?: Outcome | undefined
  /** What most of its time was. */
  slowPart?: Part | undefined
  slowSort?: SlowSort | undefined
  slowAscending?: true | undefined
}

export function parseSlowSearch(search: Record<string, unknown>): SlowSearch {
  const parsed: SlowSearch = {}
  const { slowPath } = search
  const known = <Value>(values: readonly Value[], name: string) =>
    values.find((value) => value === search[name])
  const hours = known(hoursBack, 'slowHours')
  const outcome = known(outcomeNames, 'slowOutcome')
  const part = known(partNames, 'slowPart')
  const sort = known(sortKeys, 'slowSort')
  if (hours !== undefined) parsed.slowHours = hours
  if ((typeof slowPath === 'string' || typeof slowPath === 'number') && slowPath !== '')
    parsed.slowPath = String(slowPath)
  if (outcome !== undefined) parsed.slowOutcome = outcome
  if (part !== undefined) parsed.slowPart = part
  if (sort !== undefined) parsed.slowSort = sort
  if (search.slowAscending === true) parsed.slowAscending = true
  return parsed
}

export const isNarrowed = ({ slowPath, slowOutcome, slowPart }: SlowSearch) =>
  slowPath !== undefined || slowOutcome !== undefined || slowPart !== undefined

/** Those that the filters leave, in the order that is asked for; the newest first when none is. */
export function listed(points: readonly Point[], search: SlowSearch): Point[] {
  const { slowPath, slowOutcome, slowPart, slowSort = 'began', slowAscending } = search
  const compare = orders[slowSort]
  const found = points.filter(
    (point) =>
      (slowPath === undefined || point.path.includes(slowPath)) &&
      (slowOutcome === undefined || outcomes[slowOutcome].has(point)) &&
      (slowPart === undefined || point.part === slowPart),
  )
  return found.toSorted((a, b) => (slowAscending ? compare(a, b) : compare(b, a)))
}

/** Of a click on a column's head: times and durations begin with the largest, words with their first. */
export function sortedBy(search: SlowSearch, key: SlowSort): SlowSearch {
  const isNow = (search.slowSort ?? 'began') === key
  const ascending = isNow ? !search.slowAscending : key === 'path' || key === 'status'
  return {
    ...search,
    slowSort: key === 'began' ? undefined : key,
    slowAscending: ascending || undefined,
  }
}

export type Piece = { part: Part; seconds: number; share: number; words: string }

/** Less of a request is no piece of its bar that anybody could see. */
const SMALLEST_SHARE = 0.01

/** What its time was, in the order in which it happened; what is left of it is the node's own. */
export function piecesOf({ stageSeconds, totalSeconds }: Point): Piece[] {
  const of = (stage: string) => stageSeconds[stage] ?? 0
  let left = totalSeconds
  return partNames.flatMap((part) => {
    const seconds =
      part === 'node'
        ? Math.max(0, left)
        : parts[part].stages.reduce((sum, stage) => sum + of(stage), 0)
    left -= seconds
    const share = totalSeconds > 0 ? Math.min(1, seconds / totalSeconds) : 0
    if (share < SMALLEST_SHARE) return []
    return [{ part, seconds, share, words: wordsOf(part, seconds, of) }]
  })
}

/** What a part is made of is said where it is another's fault than the part's name says. */
const within: Partial<Record<Part, [stage: string, words: string][]>> = {
  lookUp: [['statWait', t('in the queue')]],
  disk: [['readWait', t('in the queue')]],
  write: [
    ['writeClient', t('for the client')],
    ['writeNetwork', t('for the network')],
  ],
}

function wordsOf(part: Part, seconds: number, of: (stage: string) => number): string {
  const some = (within[part] ?? [])
    .filter(([stage]) => of(stage) >= seconds * SMALLEST_SHARE)
    .map(([stage, words]) => `${formatSeconds(of(stage))} ${words}`)
  const inner = some.length === 0 ? '' : t(', of it {some}', { some: some.join(', ') })
  return `${parts[part].label} ${formatSeconds(seconds)}${inner}`
}

// SPDX-License-Identifier: MIT
// Rules over measurements. All rules of one length of time are one question, so that each row is read once, in the thread
// that owns them. The time ends a minute ago: windows and sums that come late are there by then. What is
// measured of less than half of it says nothing, neither that it is bad nor that it is over.
import { nextTurn } from '../../base/slices.ts'
import type { MetricsStore } from '../../metrics-store/metrics-store.ts'
import type { Plan } from '../../metrics-store/rings.ts'
import type { AskedSet } from '../../metrics-store/sets.ts'
import type { Measure, Valued } from '../../metrics-store/values.ts'
import { type Bad, type Farm, type Found, nodeSubject } from './look.ts'
import { type Standing, standingOf } from './rules.ts'
import type { Measurement } from './schema.ts'

export type MeasuredDeps = {
  metrics: Pick<MetricsStore, 'values' | 'movingValues' | 'heatmap' | 'sets'>
  /** Throws a refusal when there is no such stage. */
  readMeasure: (by: string) => Measure
}
export type Ruled<C> = { id: string; appliesTo: string; condition: C }

export const LATE_SECONDS = 60
const LEAST_COVERED = 0.5
const MIN_REQUESTS = 50
/** Rows that are read for one question: more, and coarser ones are. */
export const ROWS = 200_000
export const MINUTE = 60
export const QUARTER = 900

export function planOf(windowSeconds: number, subjects: number, nowMs: number): Plan {
  const isFine = (windowSeconds / MINUTE) * subjects <= ROWS || windowSeconds < QUARTER
  const resolutionSeconds = isFine ? MINUTE : QUARTER
  const seconds = Math.ceil(windowSeconds / resolutionSeconds) * resolutionSeconds
  const end = nowMs / 1000 - LATE_SECONDS
  const toSeconds = Math.floor(end / resolutionSeconds) * resolutionSeconds
  const fromSeconds = toSeconds - seconds
  return { fromSeconds, toSeconds, stepSeconds: seconds, resolutionSeconds }
}

/** By the rules' ids; an error of one rule is its own. */
export async function lookAtMeasurements(
  deps: MeasuredDeps,
  rules: readonly Ruled<Measurement>[],
  farm: Farm,
): Promise<Map<string, Found | Error>> {
  const found = new Map<string, Found | Error>()
  for (const some of Map.groupBy(rules, ({ condition }) => condition.windowSeconds).values()) {
    const asked = some.flatMap((rule) => {
      try {
        return [prepared(deps, rule, farm)]
      } catch (error) {
        found.set(rule.id, error instanceof Error ? error : new Error(String(error)))
        return []
      }
    })
    if (asked.length === 0) continue
    const valued = await ask(deps, asked, farm.nowMs)
    for (const one of asked) {
      found.set(one.rule.id, foundIn(one, valued, farm))
      await nextTurn()
    }
  }
  return found
}

type Prepared = {
  rule: Ruled<Measurement>
  title: string
  nodes: AskedSet
  sets: Map<string, AskedSet>
  measure: Measure
}
type AskedValue = (key: string, by: string) => { value: number | null; of: Valued } | null

const keyOf = ({ id, generation }: AskedSet[number]) =>
  generation === null ? id : `${id}@${generation}`

function prepared(deps: MeasuredDeps, rule: Ruled<Measurement>, farm: Farm): Prepared {
  const { appliesTo, condition } = rule
  const { title, nodes } = farm.nodesIn(appliesTo)
  const sets =
    condition.each === 'node'
      ? new Map(nodes.map((one) => [keyOf(one), [one]]))
      : new Map([[setKey(appliesTo), farm.setIn(appliesTo)]])
  return { rule, title, nodes, sets, measure: deps.readMeasure(condition.by) }
}

const setKey = (appliesTo: string) => `set ${appliesTo}`

async function ask(
  { metrics }: MeasuredDeps,
  asked: readonly Prepared[],
  nowMs: number,
): Promise<AskedValue> {
  const sets = new Map(asked.flatMap((one) => [...one.sets]))
  const measures = new Map(asked.map(({ rule, measure }) => [rule.condition.by, measure]))
  const subjects = [...sets.values()].reduce((sum, set) => sum + set.length, 0)
  const plan = planOf(asked[0]?.rule.condition.windowSeconds ?? MINUTE, subjects, nowMs)
  const answer = await metrics.values({
    ...plan,
    sets: [...sets.values()],
    measures: [...measures.values()],
  })
  const places = new Map([...sets.keys()].map((key, i) => [key, i]))
  const columns = new Map([...measures.keys()].map((by, i) => [by, i]))
  return (key, by) => {
    const of = answer[places.get(key) ?? -1]
    return of ? { value: of.values[columns.get(by) ?? -1] ?? null, of } : null
  }
}

function foundIn({ rule, title, nodes }: Prepared, asked: AskedValue, farm: Farm): Found {
  const { condition, appliesTo } = rule
  const measuredOf = (key: string, nodeCount: number): number | null => {
    const one = asked(key, condition.by)
    return one && saysSomething(condition, one.of, nodeCount) ? one.value : null
  }
  const bad: Bad[] = []
  const standings = new Map<string, Exclude<Standing, 'bad'>>()
  const judge = (id: string, value: number | null, subject: () => Bad['subject']) => {
    const standing = standingOf(value, condition)
    if (standing === 'bad') {
      bad.push({ subject: subject(), value, message: sentence(condition, value) })
    } else standings.set(id, standing)
  }
  if (condition.each === 'set') {
    const value = measuredOf(setKey(appliesTo), Math.max(1, connectedIn(nodes, farm)))
    judge(appliesTo, value, () => ({ kind: 'set', id: appliesTo, name: title, nodeId: null }))
  } else {
    for (const one of nodes) {
      const member = farm.members.get(one.id)
      if (member) judge(one.id, measuredOf(keyOf(one), 1), () => nodeSubject(member))
    }
  }
  return { bad, standingOf: (id) => standings.get(id) ?? 'gone' }
}

/** Whether enough of it was measured. */
export function saysSomething(
  { by, windowSeconds, minRequests = MIN_REQUESTS }: Measurement,
  { coveredSeconds, requests }: Pick<Valued, 'coveredSeconds' | 'requests'>,
  nodeCount: number,
): boolean {
  if (coveredSeconds < LEAST_COVERED * windowSeconds * nodeCount) return false
  const needsRequests = by.startsWith('quantile:') || by.startsWith('share:')
  return !needsRequests || requests >= minRequests
}

/** Those of which measurements come now. */
export const connectedIn = (nodes: AskedSet, farm: Pick<Farm, 'members'>): number =>
  nodes.filter(({ id }) => farm.members.get(id)?.connected).length

/** As in "p99 of total over 5 min is 320 ms, above 100 ms." */
export function sentence(condition: Measurement, value: number | null): string {
  const { by, comparison, threshold, windowSeconds } = condition
  const [kind = '', name = '', q = ''] = by.split(':')
  const what = kind === 'quantile' ? `p${round(100 * Number(q))}` : kind
  const of = kind === 'gauge' ? name : `${what} of ${name}`
  const shown = (n: number | null) => (n === null ? 'unknown' : valueWords(kind, name, n))
  return `${of} over ${windowSeconds / 60} min is ${shown(value)}, ${comparison} ${shown(threshold)}.`
}

function valueWords(kind: string, name: string, n: number): string {
  if (kind === 'quantile') return n < 1 ? `${round(n * 1000)} ms` : `${round(n)} s`
  if (kind === 'share' || name.endsWith('Ratio')) return `${round(n * 100)} %`
  if (kind === 'rate') return `${round(n)} a second`
  return name.endsWith('Bytes') ? `${round(n / 2 ** 20)} MiB` : String(round(n))
}

export const round = (n: number) => Number(n.toPrecision(4))

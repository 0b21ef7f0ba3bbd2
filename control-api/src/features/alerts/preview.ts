// SPDX-License-Identifier: MIT
// What a rule would have said of the last days: its windows move over what was measured, and what becomes of its alerts is
// decided as always. What is read is bounded: of each node only some nodes are looked at, of a set of many only a shorter time.
import { nextTurn } from '../../base/slices.ts'
import type { Plan } from '../../metrics-store/rings.ts'
import type { AskedSet } from '../../metrics-store/sets.ts'
import { burnVerdict, COARSE_STEP, countedBySteps, FINE_STEP, sumOf } from './burn-rate.ts'
import { AlertRuleRefused } from './errors.ts'
import { type Farm, nodeSubject, type Subject } from './look.ts'
import {
  connectedIn,
  LATE_SECONDS,
  type MeasuredDeps,
  MINUTE,
  QUARTER,
  ROWS,
  saysSomething,
} from './measured.ts'
import { type Look, replay, type Spell } from './replay.ts'
import { BURN_WINDOWS, type Counted, standingOf, type Times } from './rules.ts'
import type { AlertPreview, BurnRate, Measurement } from './schema.ts'

type Draft<C> = Times & { appliesTo: string; condition: C }
type Past = {
  fromSeconds: number
  toSeconds: number
  stepSeconds: number
  /** Of so many nodes or sets this is a part. */
  subjects: number
  histories: AsyncGenerator<{ subject: Subject; looks: Look[] }>
}

const DAY = 86_400
/** Looks in a window: of a long one the times are told to within a twelfth. */
const LOOKS_IN_WINDOW = 12
const SPELLS_MAX = 200
const POINTS_MAX = 500

type Asked = {
  draft: Draft<Measurement | BurnRate>
  farm: Farm
  days: number
  /** Once the asker has, nothing more is read. */
  gone?: AbortSignal
}

export async function previewOf(
  deps: MeasuredDeps,
  { draft, farm, days, gone }: Asked,
): Promise<AlertPreview> {
  const { condition } = draft
  return condition.kind === 'measurement'
    ? await said(measuredBefore(deps, { ...draft, condition }, farm, days), draft, gone)
    : await said(burntBefore(deps, { ...draft, condition }, farm, days), draft, gone)
}

function measuredBefore(
  deps: MeasuredDeps,
  { appliesTo, condition }: Draft<Measurement>,
  farm: Farm,
  days: number,
): Past {
  const { title, nodes } = farm.nodesIn(appliesTo)
  const measure = deps.readMeasure(condition.by)
  const isOfEach = condition.each === 'node'
  const set = isOfEach ? [] : farm.setIn(appliesTo)
  const { windowSteps, most, ...plan } = movingPlan(condition, isOfEach ? null : set.length, {
    ...{ nodes: nodes.length, days, nowMs: farm.nowMs },
  })
  const looksAt = async (asked: AskedSet, nodeCount: number): Promise<Look[]> => {
    const found = await deps.metrics.movingValues({ ...plan, set: asked, measure, windowSteps })
    return found.values.map((measured, i) => {
      const coveredSeconds = found.coveredSeconds[i] ?? 0
      const of = { coveredSeconds, requests: found.requests[i] ?? 0 }
      const value = saysSomething(condition, of, nodeCount) ? measured : null
      const atSeconds = plan.fromSeconds + (windowSteps + i) * plan.stepSeconds
      return { atSeconds, value, standing: standingOf(value, condition) }
    })
  }
  async function* histories() {
    if (!isOfEach) {
      const looks = await looksAt(set, Math.max(1, connectedIn(nodes, farm)))
      yield { subject: setSubject(appliesTo, title), looks }
      return
    }
    for (const one of evenly(nodes, most)) {
      const member = farm.members.get(one.id)
      if (member) yield { subject: nodeSubject(member), looks: await looksAt([one], 1) }
    }
  }
  const subjects = isOfEach ? nodes.length : 1
  const fromSeconds = plan.fromSeconds + windowSteps * plan.stepSeconds
  return { ...plan, fromSeconds, subjects, histories: histories() }
}

const setSubject = (id: string, name: string): Subject => ({ kind: 'set', id, name, nodeId: null })

type Bounds = { nodes: number; days: number; nowMs: number }

/** `setOf`: how many rows a step of the set has; null: each node is looked at by itself. `most`: so many of them. */
export function movingPlan(
  { windowSeconds }: Measurement,
  setOf: number | null,
  { nodes, days, nowMs }: Bounds,
): Plan & { windowSteps: number; most: number } {
  const wantedRows = (unit: number) => ((setOf ?? nodes) * days * DAY) / unit
  const canBeCoarse =
    windowSeconds >= LOOKS_IN_WINDOW * QUARTER ||
    (windowSeconds >= QUARTER && wantedRows(MINUTE) > ROWS)
  const resolutionSeconds = canBeCoarse ? QUARTER : MINUTE
  const units = Math.ceil(windowSeconds / resolutionSeconds)
  const unitsOfStep = largestDivisor(units, Math.floor(units / LOOKS_IN_WINDOW))
  const stepSeconds = unitsOfStep * resolutionSeconds
  const least = 2 * units * resolutionSeconds
  if (days * DAY < least) {
    throw new AlertRuleRefused(
      `A window of ${windowSeconds} s is looked back at over at least twice that: ask for ${Math.ceil(least / DAY)} days or more.`,
    )
  }
  const affordable = setOf === null ? Infinity : Math.floor(ROWS / Math.max(1, setOf))
  const seconds = Math.min(days * DAY, affordable * resolutionSeconds)
  if (seconds < least) {
    throw new AlertRuleRefused(
      `${setOf} nodes' measurements are too many to look back at. Name fewer, or a group or the farm, of which sums are kept.`,
    )
  }
  const end = nowMs / 1000 - LATE_SECONDS
  const toSeconds = Math.floor(end / resolutionSeconds) * resolutionSeconds
  const fromSeconds = toSeconds - Math.floor(seconds / stepSeconds) * stepSeconds
  const most = Math.max(1, Math.floor((ROWS * resolutionSeconds) / seconds))
  const windowSteps = units / unitsOfStep
  return { fromSeconds, toSeconds, stepSeconds, resolutionSeconds, windowSteps, most }
}

function largestDivisor(of: number, atMost: number): number {
  for (let n = atMost; n > 1; n--) if (of % n === 0) return n
  return 1
}

export const evenly = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most
    ? [...all]
    : Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as T)

/** Looked at every five minutes. Three days back are in every look, of which the oldest are before the time that is told of. */
function burntBefore(
  { metrics }: MeasuredDeps,
  { appliesTo, condition }: Draft<BurnRate>,
  farm: Farm,
  days: number,
): Past {
  const [hour, , threeDays] = BURN_WINDOWS
  const end = farm.nowMs / 1000 - LATE_SECONDS
  const toSeconds = Math.floor(end / FINE_STEP) * FINE_STEP
  const fromSeconds = toSeconds - days * DAY
  const set = farm.setIn(appliesTo)
  const { title } = farm.nodesIn(appliesTo)
  async function sums(from: number, stepSeconds: number, resolutionSeconds: number) {
    const first = Math.floor(from / stepSeconds) * stepSeconds
    const last = Math.floor(toSeconds / stepSeconds) * stepSeconds
    const plan = { fromSeconds: first, toSeconds: last, stepSeconds, resolutionSeconds }
    const counted = await countedBySteps(metrics, condition, { ...plan, set })
    return (until: number, seconds: number): Counted => {
      const at = Math.floor((until - first) / stepSeconds)
      return sumOf(counted.slice(Math.max(0, at - seconds / stepSeconds), Math.max(0, at)))
    }
  }
  async function* histories() {
    const fine = await sums(fromSeconds, FINE_STEP, MINUTE)
    const coarse = await sums(fromSeconds - threeDays.longSeconds, COARSE_STEP, QUARTER)
    const looks: Look[] = []
    for (let at = fromSeconds + FINE_STEP; at <= toSeconds; at += FINE_STEP) {
      if (looks.length % POINTS_MAX === 0) await nextTurn()
      // What is older than the finest steps that are asked for is in the coarse ones.
      const countedIn = (seconds: number) =>
        seconds < threeDays.longSeconds && at - seconds >= fromSeconds
          ? fine(at, seconds)
          : coarse(at, Math.max(seconds, COARSE_STEP))
      const { standing } = burnVerdict(condition, countedIn)
      const { all, bad } = countedIn(hour.longSeconds)
      const value = all === 0 ? null : bad / all / (1 - condition.objective)
      looks.push({ atSeconds: at, standing, value })
    }
    yield { subject: setSubject(appliesTo, title), looks }
  }
  const stepSeconds = FINE_STEP
  return { fromSeconds, toSeconds, stepSeconds, subjects: 1, histories: histories() }
}

async function said(
  past: Past,
  draft: Draft<Measurement | BurnRate>,
  gone?: AbortSignal,
): Promise<AlertPreview> {
  const isBelow = draft.condition.kind === 'measurement' && draft.condition.comparison === 'below'
  const worse = (a: number | null, b: number | null) =>
    a === null || b === null ? (a ?? b) : isBelow ? Math.min(a, b) : Math.max(a, b)
  const looks = Math.max(1, Math.floor((past.toSeconds - past.fromSeconds) / past.stepSeconds))
  const inPoint = Math.ceil(looks / POINTS_MAX)
  const points = Math.ceil(looks / inPoint)
  const values: (number | null)[] = Array(points).fill(null)
  const firing: number[] = Array(points).fill(0)
  const alerts: { subject: Subject; spell: Spell }[] = []
  let lookedAt = 0
  for await (const { subject, looks: ofSubject } of past.histories) {
    if (gone?.aborted) break
    lookedAt++
    const { spells, isFiring } = replay(ofSubject, draft, worse)
    alerts.push(...spells.map((spell) => ({ subject, spell })))
    const fires = new Set<number>()
    for (const [i, { atSeconds, value }] of ofSubject.entries()) {
      const nth = Math.floor((atSeconds - past.fromSeconds) / past.stepSeconds / inPoint)
      const point = Math.min(points - 1, nth)
      values[point] = worse(values[point] ?? null, value)
      if (isFiring[i]) fires.add(point)
    }
    for (const point of fires) firing[point] = (firing[point] ?? 0) + 1
  }
  alerts.sort((a, b) => b.spell.pendingSeconds - a.spell.pendingSeconds)
  const fired = alerts.filter(({ spell }) => spell.firingSeconds !== null)
  const stepSeconds = inPoint * past.stepSeconds
  return {
    ...{ from: iso(past.fromSeconds), to: iso(past.toSeconds) },
    ...{ lookEverySeconds: past.stepSeconds, lookedAt, subjects: past.subjects },
    ...{ fired: fired.length, pendingOnly: alerts.length - fired.length },
    // Those that fired first: of the others there may be many.
    alerts: [...fired, ...alerts.filter(({ spell }) => spell.firingSeconds === null)]
      .slice(0, SPELLS_MAX)
      .map(({ subject: { kind, id, name }, spell }) => ({
        subject: { kind, id, name },
        ...{ pendingSince: iso(spell.pendingSeconds), worst: spell.worst },
        ...{ firingSince: isoOrNull(spell.firingSeconds), overAt: isoOrNull(spell.overSeconds) },
      })),
    stepSeconds,
    times: Array.from({ length: points }, (_, i) => past.fromSeconds + i * stepSeconds),
    ...{ values, firing },
  }
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const isoOrNull = (seconds: number | null) => (seconds === null ? null : iso(seconds))

// SPDX-License-Identifier: MIT
// How fast the error budget of an objective is used. Of a set as one: its windows are added up from two questions, steps of
// 5 min for 6 hours and of 15 min for three days.
import { MIN_INDEX, SCALE } from '../../histogram/histogram.ts'
import type { Plan } from '../../metrics-store/rings.ts'
import type { AskedSet, Heatmap, SetColumns } from '../../metrics-store/sets.ts'
import type { Farm, Found } from './look.ts'
import { LATE_SECONDS, type MeasuredDeps, MINUTE, QUARTER, type Ruled, round } from './measured.ts'
import { BURN_WINDOWS, burning, type Counted } from './rules.ts'
import type { BurnRate } from './schema.ts'

export const FINE_STEP = 300
export const COARSE_STEP = QUARTER
const FINE_SECONDS = 6 * 3600
const STEPS_AT_ONCE = 300

export async function lookAtBurnRate(
  { metrics }: MeasuredDeps,
  { appliesTo, condition }: Ruled<BurnRate>,
  farm: Farm,
): Promise<Found> {
  const set = farm.setIn(appliesTo)
  const { title } = farm.nodesIn(appliesTo)
  const end = farm.nowMs / 1000 - LATE_SECONDS
  const read = async (seconds: number, stepSeconds: number): Promise<Counted[]> => {
    const toSeconds = Math.floor(end / stepSeconds) * stepSeconds
    const resolutionSeconds = stepSeconds === FINE_STEP ? MINUTE : QUARTER
    const plan = { fromSeconds: toSeconds - seconds, toSeconds, stepSeconds, resolutionSeconds }
    return await countedBySteps(metrics, condition, { ...plan, set })
  }
  const fine = await read(FINE_SECONDS, FINE_STEP)
  const coarse = await read(BURN_WINDOWS[2].longSeconds, COARSE_STEP)
  const countedIn = (seconds: number): Counted =>
    seconds <= FINE_SECONDS
      ? sumOf(fine.slice(-seconds / FINE_STEP))
      : sumOf(coarse.slice(-seconds / COARSE_STEP))
  const { standing, burnt } = burnVerdict(condition, countedIn)
  if (standing !== 'bad') {
    return { bad: [], standingOf: (id) => (id === appliesTo ? standing : 'gone') }
  }
  const { rate, longSeconds } = burnt
  const message = `The budget of ${round(100 * condition.objective)} % good requests in 30 days is used ${round(rate)} times too fast over ${longSeconds / 3600} h.`
  const subject = { kind: 'set', id: appliesTo, name: title, nodeId: null } as const
  return { bad: [{ subject, value: rate, message }], standingOf: () => 'gone' }
}

type BurnVerdict =
  | { standing: 'bad'; burnt: NonNullable<ReturnType<typeof burning>> }
  | { standing: 'clear' | 'no-data'; burnt: null }

export function burnVerdict(
  { objective }: BurnRate,
  countedIn: (seconds: number) => Counted,
): BurnVerdict {
  const burnt = burning(objective, countedIn)
  if (burnt !== null) return { standing: 'bad', burnt }
  // Without a request in the shortest window nothing says that it is over.
  return { standing: countedIn(FINE_STEP).all > 0 ? 'clear' : 'no-data', burnt }
}

export const sumOf = (some: readonly Counted[]): Counted =>
  some.reduce((sum, { all, bad }) => ({ all: sum.all + all, bad: sum.bad + bad }), {
    all: 0,
    bad: 0,
  })

export async function countedBySteps(
  metrics: MeasuredDeps['metrics'],
  { slowerThanSeconds }: BurnRate,
  query: Plan & { set: AskedSet },
): Promise<Counted[]> {
  if (slowerThanSeconds !== undefined) {
    const counted: Counted[] = []
    // A step's histogram is two hundred numbers: those of a week, as one answer, would hold everybody up while they arrive.
    const seconds = STEPS_AT_ONCE * query.stepSeconds
    for (let from = query.fromSeconds; from < query.toSeconds; from += seconds) {
      const toSeconds = Math.min(query.toSeconds, from + seconds)
      const steps = await metrics.heatmap({
        ...query,
        fromSeconds: from,
        toSeconds,
        stage: 'total',
      })
      counted.push(...steps.map((step) => slowIn(step, slowerThanSeconds)))
    }
    return counted
  }
  const { set, ...plan } = query
  const counters = ['requests', 'responses5xx']
  const wanted = { stages: [], quantiles: [], counters, gauges: [] }
  const [columns] = await metrics.sets({ ...plan, sets: [set], wanted })
  return failedIn(columns)
}

/** Requests of the buckets above the one that the limit is in. */
export function slowIn(step: Heatmap[number], slowerThanSeconds: number): Counted {
  if (!step) return { all: 0, bad: 0 }
  const limit = Math.max(MIN_INDEX, Math.ceil(2 ** SCALE * Math.log2(slowerThanSeconds)) - 1)
  let all = step.zeroCount
  let bad = 0
  for (const [i, n] of step.counts.entries()) {
    all += n
    if (step.offset + i > limit) bad += n
  }
  return { all, bad }
}

const failedIn = (columns: SetColumns | undefined): Counted[] =>
  (columns?.counters.requests ?? []).map((all, i) => ({
    all: all ?? 0,
    bad: columns?.counters.responses5xx?.[i] ?? 0,
  }))

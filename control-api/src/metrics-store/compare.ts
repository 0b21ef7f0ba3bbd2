// SPDX-License-Identifier: MIT
// Two sets beside each other, or one at two times: how much slower, and how far that may be trusted (bootstrap.ts). What is
// drawn again are whole steps, for the requests of one have a cause in common.
import { type Histogram, mergeHistograms, quantile } from '../histogram/histogram.ts'
import {
  FEWEST_UNITS,
  type Interval,
  quantileRatio,
  type Share,
  shareDifference,
} from './bootstrap.ts'
import type { RingStore } from './ring-store.ts'
import type { Plan } from './rings.ts'
import { type AskedSet, histogramOf, readSet, type Step } from './sets.ts'
import type { StageName } from './windows.ts'

export type Side = { set: AskedSet; plan: Plan }
export type CompareQuery = {
  a: Side
  b: Side
  stages: readonly StageName[]
  /** 0…1 */
  quantiles: readonly number[]
}
export type StageOfSide = {
  count: number
  meanSeconds: number | null
  /** In the order of what was asked for; null: it had no such stage. */
  quantiles: (number | null)[]
}
export type StageComparison = {
  stage: StageName
  a: StageOfSide
  b: StageOfSide
  /** For each quantile how many times b's a's is; null: one of them has nothing, or too few steps for an interval. */
  ratios: (Interval | null)[]
}
export type ErrorsOfSide = { requests: number; errors: number }
export type Comparison = {
  stages: StageComparison[]
  errors: {
    a: ErrorsOfSide
    b: ErrorsOfSide
    /** By how much a's share of responses 5xx is greater; null: too few steps. */
    difference: Interval | null
  }
}

/** The same question has the same answer. */
const SEED = 1
const ERRORS = 'responses5xx'

export function* compareSets(
  rings: Pick<RingStore, 'steps' | 'subjects' | 'rollUp'>,
  { a, b, stages, quantiles }: CompareQuery,
): Generator<void, Comparison> {
  const wanted = { stages, quantiles: [], counters: ['requests', ERRORS], gauges: [] }
  const ours = (yield* readSet(rings, a.set, a.plan, wanted)).filter((step) => step !== null)
  const theirs = (yield* readSet(rings, b.set, b.plan, wanted)).filter((step) => step !== null)
  const compared: StageComparison[] = []
  for (const stage of stages) {
    compared.push(compareStage(stage, ours, theirs, quantiles))
    yield
  }
  const shares = [ours, theirs].map((steps) => steps.map(shareOfErrors))
  const [left = [], right = []] = shares
  const difference =
    isEnough(left) && isEnough(right) ? shareDifference(left, right, { seed: SEED }) : null
  return { stages: compared, errors: { a: errorsOf(left), b: errorsOf(right), difference } }
}

function compareStage(
  stage: StageName,
  ours: readonly Step[],
  theirs: readonly Step[],
  quantiles: readonly number[],
): StageComparison {
  const [left = [], right = []] = [ours, theirs].map((steps) =>
    steps.map((step) => histogramOf(step, stage)).filter(({ count }) => count > 0),
  )
  return {
    stage,
    a: sideOf(left, quantiles),
    b: sideOf(right, quantiles),
    ratios: quantiles.map((q) =>
      isEnough(left) && isEnough(right) ? quantileRatio(left, right, { q, seed: SEED }) : null,
    ),
  }
}

const isEnough = (units: readonly unknown[]) => units.length >= FEWEST_UNITS

function sideOf(units: readonly Histogram[], quantiles: readonly number[]): StageOfSide {
  const [first, ...others] = units
  if (!first) return { count: 0, meanSeconds: null, quantiles: quantiles.map(() => null) }
  const whole = others.reduce(mergeHistograms, first)
  return {
    count: whole.count,
    meanSeconds: whole.sumSeconds / whole.count,
    quantiles: quantiles.map((q) => quantile(whole, q)),
  }
}

const shareOfErrors = ({ counters }: Step): Share => ({
  part: counters.get(ERRORS) ?? 0,
  whole: counters.get('requests') ?? 0,
})

const errorsOf = (shares: readonly Share[]): ErrorsOfSide => ({
  requests: shares.reduce((sum, { whole }) => sum + whole, 0),
  errors: shares.reduce((sum, { part }) => sum + part, 0),
})

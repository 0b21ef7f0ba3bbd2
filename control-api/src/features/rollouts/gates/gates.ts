// SPDX-License-Identifier: MIT
// The nodes that have the version against those that have not: may the next wave begin? Pure. Without
// evidence no gate passes, whatever else is well.
import { type Histogram, mergeHistograms, quantile } from '../../../histogram/histogram.ts'
import {
  addShares,
  FEWEST_UNITS,
  type Interval,
  meanRatio,
  quantileRatio,
  type Share,
  shareDifference,
  shareOf,
} from '../../../metrics-store/bootstrap.ts'
import {
  type WatchCount,
  type WatchedPath,
  type WatchOrder,
  watchedCounter,
  watchOf,
} from '../../../metrics-store/watched-paths.ts'
import type {
  Evidence,
  Gate,
  GateEvidence,
  GateMetric,
  OnFailure,
  Verdict,
} from '../shapes/schema.ts'
import { judgeLooked, type Looked } from './looks.ts'
import type { Window } from './windows.ts'

type Quantile = {
  kind: 'quantile'
  stage: 'firstByte' | 'total' | 'readWait' | 'handshake'
  q: number
}
type Mean = { kind: 'mean'; part: string; of: readonly string[]; isEitherWay?: true }
type Part = { kind: 'share'; part: string; of: readonly string[]; isGood: boolean }
/** unit: what is counted, when it is not requests. */
type Named = { name: string; unit?: 'requests' | 'handshakes' | 'pages' }
type Metric = (Quantile | Part | Mean) & Named
/** What windows say nothing of: looks.ts. */
type LookedAt = 'releaseFiles' | 'mediaTypes'
/** Nodes count it only while a rollout asks: below a path. */
type OfPages = 'bytesPerPage'
/**
 * A quantile may be so many times the control's; a share may be so much worse than the control's; a mean may be
 * so many times less than the control's, or less and more.
 */
const METRICS: Record<Exclude<GateMetric, LookedAt | OfPages>, Metric> = {
  errors5xx: share('the share of 5xx', 'responses5xx', ['requests']),
  errors4xx: share('the share of 4xx', 'responses4xx', ['requests']),
  errors404: share('the share of 404', 'responses404', ['requests']),
  cacheHits: share('the stat cache’s hit ratio', 'cacheHits', ['cacheHits', 'cacheMisses'], true),
  bytesPerRequest: { kind: 'mean', name: 'bytes per request', part: 'bytesSent', of: ['requests'] },
  firstByteP50: { kind: 'quantile', stage: 'firstByte', q: 0.5, name: 'first byte p50' },
  firstByteP99: { kind: 'quantile', stage: 'firstByte', q: 0.99, name: 'first byte p99' },
  totalP50: { kind: 'quantile', stage: 'total', q: 0.5, name: 'total p50' },
  totalP99: { kind: 'quantile', stage: 'total', q: 0.99, name: 'total p99' },
  readWaitP99: { kind: 'quantile', stage: 'readWait', q: 0.99, name: 'read wait p99' },
  handshakeFailures: {
    ...share('the share of failed handshakes', 'tlsHandshakeFailures', [
      'tlsHandshakes',
      'tlsHandshakeFailures',
    ]),
    unit: 'handshakes',
  },
  handshakeP99: {
    ...{ kind: 'quantile', stage: 'handshake', q: 0.99, name: 'handshake p99' },
    unit: 'handshakes',
  },
}

export const isLookedAt = (metric: GateMetric): metric is LookedAt =>
  metric === 'releaseFiles' || metric === 'mediaTypes'

/** A gate of all pages is one of what lies below /. */
export function watchedPathOf({ metric, host, path }: Gate): WatchedPath | null {
  if (metric !== 'bytesPerPage' && path === undefined) return null
  return { ...(host !== undefined && { host }), path: path ?? '/' }
}

/** What nodes are to count for these gates; null: nothing besides. */
export function watchFor(gates: readonly Gate[]): WatchOrder | null {
  const paths = gates.flatMap((gate) => watchedPathOf(gate) ?? [])
  return paths.length > 0 ? watchOf(paths) : null
}

/** Below which path, in words. */
const belowOf = ({ host = '', path }: WatchedPath) => `below ${host}${path}`

/** null: it is read of no window. */
function metricOf(gate: Gate, gates: readonly Gate[]): Metric | null {
  if (isLookedAt(gate.metric)) return null
  const path = watchedPathOf(gate)
  const order = watchFor(gates)
  if (path === null || order === null)
    return gate.metric === 'bytesPerPage' ? null : METRICS[gate.metric]
  const counter = (count: WatchCount) => watchedCounter(order, path, count)
  return gate.metric === 'bytesPerPage'
    ? {
        ...{ kind: 'mean', name: `bytes per page ${belowOf(path)}`, unit: 'pages' },
        ...{ part: counter('pageBytes'), of: [counter('pages')], isEitherWay: true },
      }
    : share(`the share of 404 ${belowOf(path)}`, counter('notFound'), [counter('requests')])
}

/** Several gates may have one metric, each of another path. */
export const gateKey = ({
  metric,
  host = '',
  path = '',
}: Pick<Gate, 'metric' | 'host' | 'path'>): string => `${metric} ${host}${path}`

function share(name: string, part: string, of: readonly string[], isGood = false) {
  return { kind: 'share' as const, name, part, of, isGood }
}

/** Of one group: its windows, and of how many nodes they are. */
export type Group = { nodes: number; samples: readonly Window[] }
export type Case = {
  gates: readonly Gate[]
  /** The control is the same node before it had the version: it has nobody else to compare with. */
  isBefore?: boolean
  minSamples: number
  canary: Group
  control: Group
  /** What the nodes answered for files of releases; null, or left out: they were not asked. */
  looked?: Looked | null
  /** What the draws follow from: the same case has the same verdict. */
  seed: number
}

/** Of answers: then the control has a trouble of its own, and going back would not mend it. */
const ILL_SHARE = 0.05
const WORST_FIRST: readonly Verdict[] = ['fail', 'no_data', 'inconclusive', 'pass']
const HARDEST_FIRST: readonly OnFailure[] = ['revert', 'freeze', 'pause']

/** Nodes report every few seconds. */
export const MAX_GAP_SECONDS = 30

/** What of each window the gates read: beside their own, what tells a control that is ill, and what probes did. */
export function readBy(gates: readonly Gate[]) {
  const metrics = [METRICS.errors5xx, ...gates.flatMap((gate) => metricOf(gate, gates) ?? [])]
  const counters = metrics.flatMap((one) => (one.kind === 'quantile' ? [] : [one.part, ...one.of]))
  const stages = metrics.flatMap((one) => (one.kind === 'quantile' ? [one.stage] : []))
  return {
    counters: [...new Set(['requests', 'probeRequests', ...counters])],
    stages: [...new Set(stages)],
  }
}

export function judgeGates(given: Case): Evidence & { onFail: OnFailure } {
  const gates = given.gates.map((gate) => judgeGate(gate, given))
  const isIll = isControlIll(given.control)
  const judged = isIll
    ? gates.map((gate) => (isLookedAt(gate.metric) ? gate : withIllControl(gate)))
    : gates
  const verdict = worst(judged.map((one) => one.verdict))
  const worstOnes = judged.filter((one) => one.verdict === verdict)
  const failing = given.gates.filter((gate) =>
    worstOnes.some((one) => gateKey(one) === gateKey(gate)),
  )
  const onFail = HARDEST_FIRST.find((one) => failing.some((gate) => gate.onFail === one))
  const message = worstOnes.map((one) => one.message).join('; ')
  return { verdict, message, gates: judged, onFail: onFail ?? 'pause' }
}

/** Who sends no measurements may be ill unseen: without them no wave is through. */
export function withSilent<T extends Evidence>(evidence: T, silent: readonly string[]): T {
  const verdict = worst([evidence.verdict, 'no_data'])
  if (silent.length === 0 || verdict === evidence.verdict) return evidence
  const names = silent.slice(0, 3).join(', ')
  const more = silent.length > 3 ? ` and ${silent.length - 3} more` : ''
  const message = `no measurements have come from ${names}${more} for ${MAX_GAP_SECONDS} s`
  return { ...evidence, verdict, message }
}

export const worst = (verdicts: readonly Verdict[]): Verdict =>
  WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? 'no_data'

const isControlIll = ({ samples }: Group) => {
  const answers = sumOf(samples, METRICS.errors5xx)
  return answers.whole > 0 && shareOf(answers) > ILL_SHARE
}

const withIllControl = (gate: GateEvidence): GateEvidence => ({
  ...gate,
  verdict: worst([gate.verdict === 'fail' ? 'inconclusive' : gate.verdict, 'inconclusive']),
  message: `the nodes without the version answer 5xx too often themselves; ${gate.message}`,
})

function judgeGate(gate: Gate, given: Case): GateEvidence {
  const metric = metricOf(gate, given.gates)
  if (metric === null) return judgeLooked(gate, given.looked ?? null)
  switch (metric.kind) {
    case 'quantile':
      return judgeQuantile(gate, metric, given)
    case 'mean':
      return judgeMean(gate, metric, given)
    case 'share':
      return judgeShare(gate, metric, given)
  }
}

/** Who answers much less than the others do does not serve what they serve. */
function judgeMean(gate: Gate, metric: Mean & Named, given: Case): GateEvidence {
  const { ours, theirs, both, lack } = partsOf(gate, metric, given)
  if (lack !== null) return without(both, `${metric.name}: ${lack}`)
  const comparable = metric.isEitherWay ? notEmpty : same
  const found = meanRatio(comparable(ours), comparable(theirs), { seed: given.seed })
  if (!found) return without(both, `${metric.name}: nothing was sent that can be compared`)
  const whose = whoseIs(given)
  if (metric.isEitherWay) {
    const apart = eitherWay(found)
    const message = `${metric.name} are ${shown(apart.value)} times ${found.value > 1 ? 'fewer' : 'more'} than ${whose} (${range(apart)}), at most ${gate.max}${probesIn(both)}`
    return { ...both, ...apart, verdict: verdictOf(apart, gate.max), message }
  }
  const shownMean = `${whose} ${metric.name} are ${found.value.toFixed(2)} times as many (${range(found)}), at most ${gate.max}${probesIn(both)}`
  return { ...both, ...found, verdict: verdictOf(found, gate.max), message: shownMean }
}

/** A page of nothing counts as one byte: to nothing there is no ratio, and empty pages are what this is to find. */
const notEmpty = (pages: readonly Share[]): Share[] =>
  pages.map(({ part, whole }) => ({ part: Math.max(part, whole), whole }))
const same = (shares: readonly Share[]) => shares

/** How far apart, whichever is more. */
function eitherWay({ value, low, high }: Interval): Interval {
  const apart = { value: Math.max(value, 1 / value), high: Math.max(high, 1 / low) }
  if (low > 1) return { ...apart, low }
  return { ...apart, low: high < 1 ? 1 / high : 1 }
}

function judgeQuantile(gate: Gate, metric: Quantile & Named, given: Case): GateEvidence {
  const { q, stage, name } = metric
  const [ours, theirs] = [given.canary, given.control].map(({ samples }) =>
    samples.map((sample) => sample.stages[stage]).filter((one) => one !== undefined),
  )
  const canary = sideOf(given.canary, merged(ours), q)
  const control = sideOf(given.control, merged(theirs), q)
  const both = { ...gate, canary, control }
  const lack = lackOf(given, metric, { ours: canary.samples, theirs: control.samples })
  if (lack !== null) return without(both, `${name}: ${lack}`)
  const found = quantileRatio(ours ?? [], theirs ?? [], { q, seed: given.seed })
  if (!found) return without(both, `${name}: nothing was measured that can be compared`)
  const whose = whoseIs(given)
  const message = `${name} is ${shown(found.value)} times ${whose} (${range(found)}), at most ${gate.max}${probesIn(both)}`
  return { ...both, ...found, verdict: verdictOf(found, gate.max), message }
}

function judgeShare(gate: Gate, metric: Part & Named, given: Case): GateEvidence {
  const { ours, theirs, both, lack } = partsOf(gate, metric, given)
  if (lack !== null) return without(both, `${metric.name}: ${lack}`)
  const more = shareDifference(ours, theirs, { seed: given.seed })
  const found = metric.isGood ? { value: -more.value, low: -more.high, high: -more.low } : more
  const how = metric.isGood ? 'lower' : 'higher'
  const whose = whoseIs(given)
  const message = `${metric.name} is ${shown(found.value)} ${how} than ${whose} (${range(found)}), at most ${gate.max}${probesIn(both)}`
  return { ...both, ...found, verdict: verdictOf(found, gate.max), message }
}

function partsOf(gate: Gate, metric: (Part | Mean) & Named, given: Case) {
  const [ours, theirs] = [given.canary, given.control].map(({ samples }) =>
    samples.map((sample) => partOf(sample, metric)),
  )
  const [mine, others] = [given.canary, given.control].map((side) => sumOf(side.samples, metric))
  const sideOfThose = (group: Group, sum: Share = NONE) => ({
    ...headOf(group),
    samples: sum.whole,
    value: shareOf(sum),
  })
  const canary = sideOfThose(given.canary, mine)
  const control = sideOfThose(given.control, others)
  const lack = lackOf(given, metric, { ours: canary.samples, theirs: control.samples })
  return { ours: ours ?? [], theirs: theirs ?? [], both: { ...gate, canary, control }, lack }
}

function verdictOf({ low, high }: Interval, max: number): Verdict {
  if (low > max) return 'fail'
  return high <= max ? 'pass' : 'inconclusive'
}

/** Why the two cannot be compared; null: they can. */
function lackOf(
  { minSamples, canary, control, isBefore = false }: Case,
  { unit = 'requests' }: Named,
  { ours, theirs }: { ours: number; theirs: number },
) {
  if (ours < minSamples) return `${ours} of ${minSamples} ${unit} that are needed`
  if (control.nodes === 0) {
    return isBefore
      ? 'what it did before, which it is compared with, is not known any more'
      : `no other node had ${unit} to compare with`
  }
  if (theirs < minSamples)
    return `${theirs} of ${minSamples} ${unit} that are needed to compare with`
  const fewest = Math.min(canary.samples.length, control.samples.length)
  return fewest < FEWEST_UNITS ? 'too few windows yet' : null
}

const whoseIs = ({ isBefore }: Case) => (isBefore ? 'its own before' : 'the others’')

type Sides = Pick<GateEvidence, 'metric' | 'max' | 'canary' | 'control'>

const without = (sides: Sides, message: string): GateEvidence => ({
  ...sides,
  value: null,
  low: null,
  high: null,
  verdict: 'no_data',
  message,
})

/** As a person reads it: three digits say all that is known. */
const shown = (value: number) => String(Number(value.toPrecision(3)))

const range = ({ low, high }: Interval) => `${shown(low)} to ${shown(high)} with 95 %`

const merged = (histograms: readonly Histogram[] = []) =>
  histograms.length > 0 ? histograms.reduce(mergeHistograms) : null

/** Made by the nodes themselves: never hidden among visitors'. */
const headOf = ({ nodes, samples }: Group) => ({
  nodes,
  probed: samples.reduce((sum, { counters }) => sum + (counters.probeRequests ?? 0), 0),
})

const probesIn = ({ canary, control }: Sides) =>
  canary.probed + control.probed > 0
    ? `; probes: ${canary.probed}, and ${control.probed} of the others`
    : ''

const sideOf = (group: Group, histogram: Histogram | null, q: number) => ({
  ...headOf(group),
  samples: histogram?.count ?? 0,
  value: histogram ? quantile(histogram, q) : null,
})

function partOf({ counters }: Window, { part, of }: Part | Mean): Share {
  const whole = of.reduce((sum, name) => sum + (counters[name] ?? 0), 0)
  return { part: counters[part] ?? 0, whole }
}

const NONE: Share = { part: 0, whole: 0 }
const sumOf = (samples: readonly Window[], metric: Metric | Part | Mean): Share =>
  metric.kind === 'quantile'
    ? NONE
    : samples.map((sample) => partOf(sample, metric)).reduce(addShares, NONE)

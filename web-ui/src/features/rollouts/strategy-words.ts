// SPDX-License-Identifier: MIT
// What each value of a policy is called, in which unit, and what it is for.
import type { OnFailure, Policy } from '../../lib/api-types.ts'
import { gateTitle, isApart, isMean, isShare, isWrong } from './rules.ts'
import type { KnobKey, Preset, WaveKind } from './strategy.ts'

export const presets: readonly { value: Preset; label: string; help: string }[] = [
  {
    value: 'careful',
    label: 'Careful',
    help: 'One node of each kind first, then 5, 25 and 100 % of the throughput. Each wave is watched and compared with the nodes that have not got it. When it is worse, all go back. Without traffic there is nothing to compare, and it pauses.',
  },
  {
    value: 'custom',
    label: 'Custom',
    help: 'Your own waves, gates and limits. What is left empty is as “Careful” has it.',
  },
  {
    value: 'at-once',
    label: 'All at once',
    help: 'All nodes get it now, and nothing is watched: when the first refuses it or goes back, the others have it already.',
  },
]

export const waveKinds: Record<WaveKind, string> = {
  nodes: 'nodes',
  percent: '% of the nodes',
  throughputPercent: '% of the throughput',
  eachKind: 'of each kind',
}

export const onFailureWords: Record<OnFailure, string> = {
  revert: 'take it back',
  pause: 'pause',
  freeze: 'freeze',
}

type Knob = {
  key: KnobKey
  label: string
  unit: string
  help: string
  /** What there is when it has no value. */
  none?: string
}

export const knobs: readonly Knob[] = [
  {
    key: 'maxParallel',
    label: 'At a time',
    unit: 'nodes',
    help: 'Most nodes that were offered it and are not yet healthy',
  },
  {
    key: 'blastBudget',
    label: 'Blast budget',
    unit: 'nodes',
    help: 'Most nodes between two configs at once, also when all go back',
  },
  {
    key: 'ackSeconds',
    label: 'Checked within',
    unit: 's',
    help: 'From the offer on, until a node says that it can take it',
  },
  {
    key: 'applySeconds',
    label: 'Running within',
    unit: 's',
    help: 'From then on, until the node runs it',
  },
  {
    key: 'confirmSeconds',
    label: 'Confirmed within',
    unit: 's',
    help: 'From then on; a node that nobody confirms goes back automatically',
  },
  {
    key: 'minHealthySeconds',
    label: 'Healthy for',
    unit: 's',
    help: 'So long without a break: connected, not restarted',
  },
  {
    key: 'maxFlaps',
    label: 'Breaks allowed',
    unit: 'times',
    help: 'After one more, the node counts as unhealthy',
  },
  {
    key: 'soakSeconds',
    label: 'Watch each wave',
    unit: 's',
    help: 'After its last node is healthy',
  },
  {
    key: 'maxSoakSeconds',
    label: 'Watch at most',
    unit: 's',
    help: 'When there is no clear evidence',
  },
  {
    key: 'minSamples',
    label: 'Evidence from',
    unit: 'requests',
    help: 'On each side; of fewer nothing is concluded',
  },
  {
    key: 'progressDeadlineSeconds',
    label: 'Progress within',
    unit: 's',
    help: 'One more node must become healthy in it',
  },
  {
    key: 'filesFirstSeconds',
    label: 'Wait for files',
    unit: 's',
    help: 'Before the first wave, as long as no node comes further with them',
    none: 'does not wait for files',
  },
  {
    key: 'maxFailedPercent',
    label: 'May fail',
    unit: '%',
    help: 'Of the nodes so far. Of the first wave none may',
  },
  {
    key: 'maxUnreachablePercent',
    label: 'May be away',
    unit: '%',
    help: 'Of the rollout’s nodes; with more it pauses',
  },
]

export const FAST_PATH =
  'Fast path: the version succeeded not long ago; gates that only pause are left out'

/** Where no host is said it is the node's own address. */
export const probeText = ({ host = 'the node’s address', path }: Policy['probes'][number]) =>
  `${host}${path}`

type Gate = Policy['gates'][number]

/** "5xx answers: at most 1 % more than the others, else take it back" */
export function gateSentence({ max, onFail, ...gate }: Gate): string {
  return `${gateTitle(gate)}: ${limitWords(gate.metric, max)}, else ${onFailureWords[onFail]}`
}

function limitWords(metric: Gate['metric'], max: number): string {
  if (isMean(metric)) return `at least 1/${max} of the others’`
  const percent = `${Number((max * 100).toPrecision(9))} %`
  if (isWrong(metric)) return `at most ${percent} of the answers wrong`
  if (isShare(metric)) return `at most ${percent} worse than the others`
  return isApart(metric)
    ? `at most ${max} times as many as the others’, or as few`
    : `at most ${max} times the others’`
}

/** null: there is no such limit. */
export function knobText(policy: Policy, { key, unit }: Knob): string | null {
  const value = policy[key]
  if (value === null) return null
  const isOne = value === 1 && unit.length > 1
  return `${value} ${isOne ? unit.replace(/s$/, '') : unit}`
}

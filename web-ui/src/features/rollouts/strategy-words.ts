// SPDX-License-Identifier: MIT
// What each value of a policy is called, in which unit, and what it is for.
import { t } from '../../languages/t.ts'
import type { OnFailure, Policy } from '../../lib/api-types.ts'
import { gateTitle, isApart, isMean, isShare, isWrong } from './rules.ts'
import type { KnobKey, Preset, WaveKind } from './strategy.ts'

export const presets: readonly { value: Preset; label: string; help: string }[] = [
  {
    value: 'careful',
    label: t('Careful'),
    help: t(
      'One node of each kind first, then 5, 25 and 100 % of the throughput. Each wave is watched and compared with the nodes that have not got it. When it is worse, all go back. Without traffic there is nothing to compare, and it pauses.',
    ),
  },
  {
    value: 'custom',
    label: t('Custom'),
    help: t('Your own waves, gates and limits. What is left empty is as “Careful” has it.'),
  },
  {
    value: 'at-once',
    label: t('All at once'),
    help: t(
      'All nodes get it now, and nothing is watched: when the first refuses it or goes back, the others have it already.',
    ),
  },
]

export const waveKinds: Record<WaveKind, string> = {
  nodes: t('nodes'),
  percent: t('% of the nodes'),
  throughputPercent: t('% of the throughput'),
  eachKind: t('of each kind'),
}

export const onFailureWords: Record<OnFailure, string> = {
  revert: t('take it back'),
  pause: t('pause'),
  freeze: t('freeze'),
}

type KnobUnit = 'nodes' | 'times' | 'requests' | 's' | '%'
/** As it stands beside a field. */
export const unitWords: Record<KnobUnit, string> = {
  nodes: t('nodes'),
  times: t('times'),
  requests: t('requests'),
  s: 's',
  '%': '%',
}

function countIn(unit: KnobUnit, count: number): string {
  switch (unit) {
    case 'nodes':
      return t('{count, plural, one {# node} other {# nodes}}', { count })
    case 'times':
      return t('{count, plural, one {# time} other {# times}}', { count })
    case 'requests':
      return t('{count, plural, one {# request} other {# requests}}', { count })
    default:
      return `${count} ${unit}`
  }
}

type Knob = {
  key: KnobKey
  label: string
  unit: KnobUnit
  help: string
  /** What there is when it has no value. */
  none?: string
}

export const knobs: readonly Knob[] = [
  {
    key: 'maxParallel',
    label: t('At a time'),
    unit: 'nodes',
    help: t('Most nodes that were offered it and are not yet healthy'),
  },
  {
    key: 'blastBudget',
    label: t('Blast budget'),
    unit: 'nodes',
    help: t('Most nodes between two configs at once, also when all go back'),
  },
  {
    key: 'ackSeconds',
    label: t('Checked within'),
    unit: 's',
    help: t('From the offer on, until a node says that it can take it'),
  },
  {
    key: 'applySeconds',
    label: t('Running within'),
    unit: 's',
    help: t('From then on, until the node runs it'),
  },
  {
    key: 'confirmSeconds',
    label: t('Confirmed within'),
    unit: 's',
    help: t('From then on; a node that nobody confirms goes back automatically'),
  },
  {
    key: 'minHealthySeconds',
    label: t('Healthy for'),
    unit: 's',
    help: t('So long without a break: connected, not restarted'),
  },
  {
    key: 'maxFlaps',
    label: t('Breaks allowed'),
    unit: 'times',
    help: t('After one more, the node counts as unhealthy'),
  },
  {
    key: 'soakSeconds',
    label: t('Watch each wave'),
    unit: 's',
    help: t('After its last node is healthy'),
  },
  {
    key: 'maxSoakSeconds',
    label: t('Watch at most'),
    unit: 's',
    help: t('When there is no clear evidence'),
  },
  {
    key: 'minSamples',
    label: t('Evidence from'),
    unit: 'requests',
    help: t('On each side; of fewer nothing is concluded'),
  },
  {
    key: 'progressDeadlineSeconds',
    label: t('Progress within'),
    unit: 's',
    help: t('One more node must become healthy in it'),
  },
  {
    key: 'filesFirstSeconds',
    label: t('Wait for files'),
    unit: 's',
    help: t('Before the first wave, as long as no node comes further with them'),
    none: t('does not wait for files'),
  },
  {
    key: 'maxFailedPercent',
    label: t('May fail'),
    unit: '%',
    help: t('Of the nodes so far. Of the first wave none may'),
  },
  {
    key: 'maxUnreachablePercent',
    label: t('May be away'),
    unit: '%',
    help: t('Of the rollout’s nodes; with more it pauses'),
  },
]

export const FAST_PATH = t(
  'Fast path: the version succeeded not long ago; gates that only pause are left out',
)

/** Where no host is said it is the node's own address. */
export const probeText = ({ host = t('the node’s address'), path }: Policy['probes'][number]) =>
  `${host}${path}`

type Gate = Policy['gates'][number]

/** "5xx answers: at most 1 % more than the others, else take it back" */
export function gateSentence({ max, onFail, ...gate }: Gate): string {
  return t('{gateTitle}: {limitWords}, else {onFail}', {
    gateTitle: gateTitle(gate),
    limitWords: limitWords(gate.metric, max),
    onFail: onFailureWords[onFail],
  })
}

function limitWords(metric: Gate['metric'], max: number): string {
  if (isMean(metric)) return t('at least 1/{max} of the others’', { max })
  const percent = `${Number((max * 100).toPrecision(9))} %`
  if (isWrong(metric)) return t('at most {percent} of the answers wrong', { percent })
  if (isShare(metric)) return t('at most {percent} worse than the others', { percent })
  return isApart(metric)
    ? t('at most {max} times as many as the others’, or as few', { max })
    : t('at most {max} times the others’', { max })
}

/** null: there is no such limit. */
export function knobText(policy: Policy, { key, unit }: Knob): string | null {
  const value = policy[key]
  return value === null ? null : countIn(unit, value)
}

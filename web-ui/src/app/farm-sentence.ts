// SPDX-License-Identifier: MIT
// The farm's state in one sentence, in parts that each lead somewhere.

import { isWaiting, progressText, rolloutVerdict } from '../features/rollouts/rules.ts'
import type { FarmSummary, SyncState } from '../lib/api-types.ts'
import { formatCount, plural } from '../lib/format.ts'
import { formatDuration } from '../lib/time.ts'

export type SentencePart = {
  key: string
  text: string
  to: { farm: SyncState | null } | { node: string } | { rollout: string } | { rollouts: true }
}

const stateWords: Record<SyncState, string> = {
  'in-sync': 'in sync',
  applying: 'applying',
  'out-of-sync': 'out of sync',
  drift: 'drifted',
  unknown: 'silent',
  waiting: 'waiting for a first version',
}

const inOrder: readonly SyncState[] = ['in-sync', 'applying', 'out-of-sync', 'drift', 'waiting']

/** Silent nodes are named while they are few, with how long they have been silent; rollouts likewise. */
const MAX_NAMED = 2

export function farmSentence(
  { nodes, mixed, rollouts }: FarmSummary,
  now: number,
): SentencePart[][] {
  return [
    nodesClause(nodes),
    mixed.map(mixedPart),
    rollouts === null ? [] : rolloutsClause(rollouts),
    silentClause(nodes, now),
  ].filter((clause) => clause.length > 0)
}

function nodesClause({ total, byState }: FarmSummary['nodes']): SentencePart[] {
  const all: SentencePart = {
    key: 'all',
    text: total === 0 ? 'no node enrolled' : plural(total, 'node'),
    to: { farm: null },
  }
  const counts = inOrder.flatMap((state): SentencePart[] => {
    const count = byState[state]
    return count === 0
      ? []
      : [{ key: state, text: `${formatCount(count)} ${stateWords[state]}`, to: { farm: state } }]
  })
  return [all, ...counts]
}

function mixedPart({ config, versions, more }: FarmSummary['mixed'][number]): SentencePart {
  const count = versions.length + more
  const which = [...versions.map((number) => `v${number}`), ...(more > 0 ? ['…'] : [])].join(', ')
  const text = `${config} on ${count === 2 ? 'two' : formatCount(count)} versions (${which})`
  return { key: `versions ${config}`, text, to: { farm: null } }
}

type Rollouts = NonNullable<FarmSummary['rollouts']>

function rolloutsClause({ underWay, waiting, named }: Rollouts): SentencePart[] {
  if (underWay + waiting === 0) {
    return [{ key: 'rollouts', text: 'no rollout running', to: { rollouts: true } }]
  }
  const begun = named.filter(({ state }) => !isWaiting(state))
  const toCome = named.filter(({ state }) => isWaiting(state))
  return [...partsOf(begun, underWay, 'under way'), ...partsOf(toCome, waiting, 'waiting')]
}

function partsOf(named: Rollouts['named'], count: number, how: string): SentencePart[] {
  if (count <= MAX_NAMED) return named.map(rolloutPart)
  return [{ key: how, text: `${formatCount(count)} rollouts ${how}`, to: { rollouts: true } }]
}

function rolloutPart(rollout: Rollouts['named'][number]): SentencePart {
  const { id, config, version, state, totalNodes, doneNodes } = rollout
  const words = `rollout of ${config} v${version} ${rolloutVerdict[state].label.toLowerCase()}`
  const text = isWaiting(state) ? words : `${words}, ${progressText(doneNodes, totalNodes)}`
  return { key: id, text, to: { rollout: id } }
}

function silentClause({ byState, silent }: FarmSummary['nodes'], now: number): SentencePart[] {
  const count = byState.unknown
  if (count > MAX_NAMED) {
    return [{ key: 'silent', text: `${plural(count, 'node')} silent`, to: { farm: 'unknown' } }]
  }
  return silent.map(({ id, name, lastSeenAt }) => {
    const since = lastSeenAt === null ? null : (now - Date.parse(lastSeenAt)) / 1000
    return {
      key: id,
      text:
        since === null ? `${name} never connected` : `${name} silent for ${formatDuration(since)}`,
      to: { node: id },
    }
  })
}

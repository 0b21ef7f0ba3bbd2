// SPDX-License-Identifier: MIT
// The farm's state in one sentence, in parts that each lead somewhere.

import { isOver, isWaiting, progressText, rolloutVerdict } from '../features/rollouts/rules.ts'
import type { Node, Rollout, SyncState } from '../lib/api-types.ts'
import { plural } from '../lib/format.ts'
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
  nodes: readonly Node[],
  rollouts: readonly Rollout[],
  now: number,
): SentencePart[][] {
  return [
    nodesClause(nodes),
    versionsClause(nodes, rollouts),
    rolloutsClause(rollouts),
    silentClause(nodes, now),
  ].filter((clause) => clause.length > 0)
}

function nodesClause(nodes: readonly Node[]): SentencePart[] {
  const all: SentencePart = {
    key: 'all',
    text: nodes.length === 0 ? 'no node enrolled' : plural(nodes.length, 'node'),
    to: { farm: null },
  }
  const counts = inOrder.flatMap((state): SentencePart[] => {
    const count = nodes.filter((node) => node.sync.state === state).length
    return count === 0
      ? []
      : [{ key: state, text: `${count} ${stateWords[state]}`, to: { farm: state } }]
  })
  return [all, ...counts]
}

/** Until it is one again, but for configs that a rollout is just bringing. */
function versionsClause(nodes: readonly Node[], rollouts: readonly Rollout[]): SentencePart[] {
  const underWay = rollouts.filter(({ state }) => !isOver(state) && !isWaiting(state))
  const versions = nodes.flatMap(({ sync }) => sync.effective?.version ?? [])
  return [...Map.groupBy(versions, ({ config }) => config)].flatMap(([config, of]) => {
    const numbers = [...new Set(of.map(({ number }) => number))].toSorted((a, b) => a - b)
    const isBrought = underWay.some((rollout) => rollout.config === config)
    if (numbers.length < 2 || isBrought) return []
    const count = numbers.length === 2 ? 'two' : String(numbers.length)
    const which = numbers.map((number) => `v${number}`).join(', ')
    const text = `${config} on ${count} versions (${which})`
    return [{ key: `versions ${config}`, text, to: { farm: null } }]
  })
}

function rolloutsClause(rollouts: readonly Rollout[]): SentencePart[] {
  const active = rollouts.filter((rollout) => !isOver(rollout.state))
  if (active.length === 0) {
    return [{ key: 'rollouts', text: 'no rollout running', to: { rollouts: true } }]
  }
  const waiting = active.filter(({ state }) => isWaiting(state))
  const underWay = active.filter(({ state }) => !isWaiting(state))
  return [...partsOf(underWay, 'under way'), ...partsOf(waiting, 'waiting')]
}

function partsOf(rollouts: readonly Rollout[], how: string): SentencePart[] {
  if (rollouts.length <= MAX_NAMED) return rollouts.map(rolloutPart)
  return [{ key: how, text: `${rollouts.length} rollouts ${how}`, to: { rollouts: true } }]
}

function rolloutPart(rollout: Rollout): SentencePart {
  const { id, config, version, state } = rollout
  const words = `rollout of ${config} v${version} ${rolloutVerdict[state].label.toLowerCase()}`
  const text = isWaiting(state) ? words : `${words}, ${progressText(rollout)}`
  return { key: id, text, to: { rollout: id } }
}

function silentClause(nodes: readonly Node[], now: number): SentencePart[] {
  const silent = nodes.filter((node) => node.sync.state === 'unknown')
  if (silent.length > MAX_NAMED) {
    return [{ key: 'silent', text: `${silent.length} nodes silent`, to: { farm: 'unknown' } }]
  }
  return silent.map((node) => {
    const since = node.lastSeenAt === null ? null : (now - Date.parse(node.lastSeenAt)) / 1000
    return {
      key: node.id,
      text:
        since === null
          ? `${node.name} never heard`
          : `${node.name} silent for ${formatDuration(since)}`,
      to: { node: node.id },
    }
  })
}

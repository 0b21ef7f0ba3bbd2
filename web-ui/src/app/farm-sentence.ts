// SPDX-License-Identifier: MIT
// The farm's state in one sentence, in parts that each lead somewhere.

import { isWaiting, progressText, rolloutVerdict } from '../features/rollouts/rules.ts'
import { inSentence, t } from '../languages/t.ts'
import type { FarmSummary, SyncState } from '../lib/api-types.ts'
import { formatCount } from '../lib/format.ts'
import { formatDuration } from '../lib/time.ts'

export type SentencePart = {
  key: string
  text: string
  to: { farm: SyncState | null } | { node: string } | { rollout: string } | { rollouts: true }
}

/** Of so many nodes; silent ones have a clause of their own. */
const stateWords: Record<Exclude<SyncState, 'unknown'>, (count: string) => string> = {
  'in-sync': (count) => t('{count} in sync', { count }),
  applying: (count) => t('{count} applying', { count }),
  'out-of-sync': (count) => t('{count} out of sync', { count }),
  drift: (count) => t('{count} drifted', { count }),
  waiting: (count) => t('{count} waiting for a first version', { count }),
}

const inOrder = ['in-sync', 'applying', 'out-of-sync', 'drift', 'waiting'] as const

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
    text:
      total === 0
        ? t('no node enrolled')
        : t('{total, plural, one {# node} other {# nodes}}', { total }),
    to: { farm: null },
  }
  const counts = inOrder.flatMap((state): SentencePart[] => {
    const count = byState[state]
    return count === 0
      ? []
      : [{ key: state, text: stateWords[state](formatCount(count)), to: { farm: state } }]
  })
  return [all, ...counts]
}

function mixedPart({ config, versions, more }: FarmSummary['mixed'][number]): SentencePart {
  const count = versions.length + more
  const which = [...versions.map((number) => `v${number}`), ...(more > 0 ? ['…'] : [])].join(', ')
  const text =
    count === 2
      ? t('{config} on two versions ({which})', { config, which })
      : t('{config} on {count} versions ({which})', { config, count: formatCount(count), which })
  return { key: `versions ${config}`, text, to: { farm: null } }
}

type Rollouts = NonNullable<FarmSummary['rollouts']>

function rolloutsClause({ underWay, waiting, named }: Rollouts): SentencePart[] {
  if (underWay + waiting === 0) {
    return [{ key: 'rollouts', text: t('no rollout running'), to: { rollouts: true } }]
  }
  const begun = named.filter(({ state }) => !isWaiting(state))
  const toCome = named.filter(({ state }) => isWaiting(state))
  return [
    ...partsOf(begun, underWay, (count) => t('{count} rollouts under way', { count })),
    ...partsOf(toCome, waiting, (count) => t('{count} rollouts waiting', { count })),
  ]
}

function partsOf(
  named: Rollouts['named'],
  count: number,
  words: (count: string) => string,
): SentencePart[] {
  if (count <= MAX_NAMED) return named.map(rolloutPart)
  const text = words(formatCount(count))
  return [{ key: text, text, to: { rollouts: true } }]
}

function rolloutPart(rollout: Rollouts['named'][number]): SentencePart {
  const { id, config, version, state, totalNodes, doneNodes } = rollout
  const words = t('rollout of {config} v{version} {label}', {
    config,
    version,
    label: inSentence(rolloutVerdict[state].label),
  })
  const text = isWaiting(state) ? words : `${words}, ${progressText(doneNodes, totalNodes)}`
  return { key: id, text, to: { rollout: id } }
}

function silentClause({ byState, silent }: FarmSummary['nodes'], now: number): SentencePart[] {
  const count = byState.unknown
  if (count > MAX_NAMED) {
    return [
      {
        key: 'silent',
        text: t('{count, plural, one {# node} other {# nodes}} silent', { count }),
        to: { farm: 'unknown' },
      },
    ]
  }
  return silent.map(({ id, name, lastSeenAt }) => {
    const since = lastSeenAt === null ? null : (now - Date.parse(lastSeenAt)) / 1000
    return {
      key: id,
      text:
        since === null
          ? t('{name} never connected', { name })
          : t('{name} silent for {since}', { name, since: formatDuration(since) }),
      to: { node: id },
    }
  })
}

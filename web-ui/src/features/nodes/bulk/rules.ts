// SPDX-License-Identifier: MIT
// A change of many nodes: what is asked, and what the answers of its parts say together. Pure.
import { t } from '../../../languages/t.ts'
import type { Impact, NodeResult, NodesAnswer, NodesChange } from '../../../lib/api-types.ts'
import { parseLabels } from '../labels.ts'

export type BulkKind = NodesChange['kind']

type Said = {
  /** As the button that leads there says it. */
  verb: string
  /** As the one says it that does it. */
  todo: (nodes: number) => string
  done: (nodes: number) => string
  would: (nodes: number) => string
}
export const bulkWords: Record<BulkKind, Said> = {
  label: {
    verb: t('Label'),
    todo: (nodes) => t('Label {nodes, plural, one {# node} other {# nodes}}', { nodes }),
    done: (nodes) => t('{nodes, plural, one {# node} other {# nodes}} labelled', { nodes }),
    would: (nodes) =>
      t('{nodes, plural, one {# node} other {# nodes}} would be labelled', { nodes }),
  },
  move: {
    verb: t('Move'),
    todo: (nodes) => t('Move {nodes, plural, one {# node} other {# nodes}}', { nodes }),
    done: (nodes) => t('{nodes, plural, one {# node} other {# nodes}} moved', { nodes }),
    would: (nodes) => t('{nodes, plural, one {# node} other {# nodes}} would be moved', { nodes }),
  },
  cordon: {
    verb: t('Cordon'),
    todo: (nodes) => t('Cordon {nodes, plural, one {# node} other {# nodes}}', { nodes }),
    done: (nodes) => t('{nodes, plural, one {# node} other {# nodes}} cordoned', { nodes }),
    would: (nodes) =>
      t('{nodes, plural, one {# node} other {# nodes}} would be cordoned', { nodes }),
  },
  uncordon: {
    verb: t('Uncordon'),
    todo: (nodes) => t('Uncordon {nodes, plural, one {# node} other {# nodes}}', { nodes }),
    done: (nodes) => t('{nodes, plural, one {# node} other {# nodes}} uncordoned', { nodes }),
    would: (nodes) =>
      t('{nodes, plural, one {# node} other {# nodes}} would be uncordoned', { nodes }),
  },
  decommission: {
    verb: t('Decommission'),
    todo: (nodes) => t('Decommission {nodes, plural, one {# node} other {# nodes}}', { nodes }),
    done: (nodes) => t('{nodes, plural, one {# node} other {# nodes}} decommissioned', { nodes }),
    would: (nodes) =>
      t('{nodes, plural, one {# node} other {# nodes}} would be decommissioned', { nodes }),
  },
}

export const bulkKinds = Object.keys(bulkWords) as BulkKind[]

export type Fields = { set: string; remove: string; group: string; reason: string }
export const emptyFields: Fields = { set: '', remove: '', group: '', reason: '' }

type Reading = { ok: true; change: NodesChange } | { ok: false; why: string }

const wordsOf = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '')

/** What the fields say, or what is still missing, as a sentence beside the button. */
export function readFields(kind: BulkKind, fields: Fields): Reading {
  switch (kind) {
    case 'label': {
      const set = parseLabels(fields.set)
      if (!set.ok) return { ok: false, why: set.message }
      const remove = wordsOf(fields.remove)
      const withValue = remove.find((word) => word.includes('='))
      if (withValue !== undefined) {
        return {
          ok: false,
          why: t('To remove "{withValue}", write its name alone.', { withValue }),
        }
      }
      if (Object.keys(set.labels).length + remove.length === 0) {
        return { ok: false, why: t('Name a label to set or to remove.') }
      }
      return { ok: true, change: { kind, set: set.labels, remove } }
    }
    case 'move':
      return fields.group === ''
        ? { ok: false, why: t('Choose a group.') }
        : { ok: true, change: { kind, group: fields.group } }
    case 'cordon': {
      const reason = fields.reason.trim()
      return reason === ''
        ? { ok: false, why: t('Give a reason first.') }
        : { ok: true, change: { kind, reason } }
    }
    default:
      return { ok: true, change: { kind } }
  }
}

/** One request's worth: the control plane takes no more in a transaction. */
export const NODES_IN_PART = 200

export function partsOf(ids: readonly string[]): string[][] {
  const parts: string[][] = []
  for (let from = 0; from < ids.length; from += NODES_IN_PART) {
    parts.push(ids.slice(from, from + NODES_IN_PART))
  }
  return parts
}

export const nothingYet: NodesAnswer = { results: [], impact: null }

/** The answers of two parts as one. */
export const joined = (one: NodesAnswer, other: NodesAnswer): NodesAnswer => ({
  results: [...one.results, ...other.results],
  impact: joinedImpact(one.impact, other.impact),
})

function joinedImpact(one: Impact | null, other: Impact | null): Impact | null {
  if (one === null || other === null) return one ?? other
  const both = <Item>(a: Some<Item>, b: Some<Item>): Some<Item> => ({
    ...{ total: a.total + b.total, items: [...a.items, ...b.items] },
  })
  return {
    moves: both(one.moves, other.moves),
    changes: both(one.changes, other.changes),
    invalid: both(one.invalid, other.invalid),
    forgets: both(one.forgets, other.forgets),
    unchecked: one.unchecked + other.unchecked,
  }
}
type Some<Item> = { total: number; items: Item[] }

export const countsOf = (results: readonly NodeResult[]) => {
  const count = (outcome: NodeResult['outcome']) =>
    results.filter((one) => one.outcome === outcome).length
  return { changed: count('changed'), unchanged: count('unchanged'), refused: count('refused') }
}

/** "3 nodes labelled, 1 stays as it is, 2 refused" */
export function outcomeSentence(kind: BulkKind, results: readonly NodeResult[]): string {
  const { changed, unchanged, refused } = countsOf(results)
  return [
    bulkWords[kind].done(changed),
    ...(unchanged > 0
      ? [t('{unchanged, plural, one {# stays as it is} other {# stay as they are}}', { unchanged })]
      : []),
    ...(refused > 0 ? [t('{refused} refused', { refused })] : []),
  ].join(', ')
}

export type Alike = { outcome: NodeResult['outcome']; message: string; names: string[] }

/** Nodes of which the same is to say, what is refused first: each is in one of them. */
export function alikeOf(results: readonly NodeResult[]): Alike[] {
  const order = ['refused', 'unchanged', 'changed'] satisfies NodeResult['outcome'][]
  const groups = Map.groupBy(
    results,
    ({ outcome, message }) => `${order.indexOf(outcome)} ${message}`,
  )
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [first, ...others]]) =>
      first === undefined
        ? []
        : {
            ...{ outcome: first.outcome, message: first.message },
            names: [first, ...others].map(({ nodeId, nodeName }) => nodeName ?? nodeId),
          },
    )
}

export const resultRows = (results: readonly NodeResult[]): string[][] => [
  ['node', 'id', 'outcome', 'message', 'labels'],
  ...results.map(({ nodeName, nodeId, outcome, message, labels }) => [
    ...[nodeName ?? '', nodeId, outcome, message],
    labels === null
      ? ''
      : Object.entries(labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(' '),
  ]),
]

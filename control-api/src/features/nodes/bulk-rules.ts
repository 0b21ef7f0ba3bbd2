// SPDX-License-Identifier: MIT
// What a change of many nodes does to one of them, or why it does nothing. Pure: a dry run and the change itself decide by the same.
import { isWithin, type Labels, type Scope } from '../../access/scope.ts'
import type { Cordon } from '../../fleet/cordon.ts'
import { DEFAULT_GROUP, type Grouping } from '../../labels/grouping.ts'
import { matches, type Selector } from '../../labels/selector.ts'
import type { BulkChange, REFUSALS } from './bulk-schema.ts'

export type BulkNode = { name: string; labels: Labels; cordon: Cordon | null; connected: boolean }
export type BulkView = {
  grouping: Grouping
  scope: Scope
  /** Of the group that nodes are to move to. */
  target: Selector
}

type Refusal = (typeof REFUSALS)[number]
export type Decision =
  | { outcome: 'changed'; message: string; labels: Labels | null }
  | { outcome: 'unchanged'; message: string }
  | { outcome: 'refused'; code: Refusal; message: string }

const MOST_LABELS = 32

const changed = (message: string, labels: Labels | null = null): Decision => ({
  ...{ outcome: 'changed', message, labels },
})
const unchanged = (message: string): Decision => ({ outcome: 'unchanged', message })
const refused = (code: Refusal, message: string): Decision => ({
  ...{ outcome: 'refused', code, message },
})

export function decide(change: BulkChange, node: BulkNode, view: BulkView): Decision {
  switch (change.kind) {
    case 'label':
      return relabelled(node, withLabels(node.labels, change), view)
    case 'move':
      return moved(node, change.group, view)
    case 'cordon':
      return cordoned(node, change.reason)
    case 'uncordon':
      return node.cordon === null
        ? unchanged('It is not cordoned.')
        : changed(`It was cordoned by ${node.cordon.by}: ${node.cordon.reason}`)
    case 'decommission':
      return changed(
        node.connected
          ? 'It is connected, and goes on serving what it has until it is stopped on its machine.'
          : '',
      )
  }
}

function cordoned({ cordon }: BulkNode, reason: string): Decision {
  if (cordon === null) return changed('')
  return cordon.reason === reason
    ? unchanged('It is cordoned for this reason already.')
    : changed(`It is cordoned already, by ${cordon.by}: ${cordon.reason}`)
}

function withLabels(
  labels: Labels,
  { set = {}, remove = [] }: Extract<BulkChange, { kind: 'label' }>,
) {
  const gone = new Set(remove)
  const kept = Object.entries(labels).filter(([key]) => !gone.has(key))
  return { ...Object.fromEntries(kept), ...set }
}

function relabelled({ labels: before }: BulkNode, labels: Labels, { scope }: BulkView): Decision {
  const keys = Object.keys(labels)
  const isSame =
    keys.length === Object.keys(before).length && keys.every((key) => labels[key] === before[key])
  if (isSame) return unchanged('It has these labels already.')
  if (keys.length > MOST_LABELS) {
    return refused(
      'too_many_labels',
      `It would have ${keys.length} labels, and a node has at most ${MOST_LABELS}. Remove some.`,
    )
  }
  return isWithin(scope, labels)
    ? changed('', labels)
    : refused('outside_scope', 'With these labels it would leave the nodes your roles count for.')
}

function moved(node: BulkNode, group: string, view: BulkView): Decision {
  const { grouping, target } = view
  if (grouping.of(node.labels).name === group) return unchanged(`It is in ${group} already.`)
  const wanted = labelsFor(target, node.labels)
  if ('needs' in wanted) {
    return refused(
      'label_needed',
      `${group} takes nodes with a label "${wanted.needs}", whatever its value. Set one with the change "label".`,
    )
  }
  const taken = grouping.of(wanted.labels).name
  if (taken !== group) return refused('other_group', whyOther(group, taken))
  return relabelled(node, wanted.labels, view)
}

const whyOther = (group: string, taken: string): string =>
  group === DEFAULT_GROUP
    ? `Its labels put it into ${taken}, and ${DEFAULT_GROUP} takes only what no other group takes. Change the labels that ${taken} asks for.`
    : `With the labels of ${group} it would be in ${taken}, which stands before it or which it does not match. Change the order of the groups, or its other labels.`

/** The labels as near as can be to these that match; `needs`: a label whose value nobody can guess. */
function labelsFor(
  selector: Selector,
  labels: Labels,
): { labels: Record<string, string> } | { needs: string } {
  const wanted = new Map(Object.entries(labels))
  for (const requirement of selector) {
    const { key } = requirement
    const value = wanted.get(key)
    switch (requirement.kind) {
      case 'in': {
        // What the selector says elsewhere of the same label holds as well.
        const ofKey = selector.filter((one) => one.key === key)
        const fits = (one: string) => matches(ofKey, { [key]: one })
        if (value === undefined || !fits(value)) {
          wanted.set(key, requirement.values.find(fits) ?? '')
        }
        break
      }
      case 'notin':
        if (value !== undefined && requirement.values.includes(value)) wanted.delete(key)
        break
      case 'exists':
        if (value === undefined) return { needs: key }
        break
      case 'absent':
        wanted.delete(key)
    }
  }
  return { labels: Object.fromEntries(wanted) }
}

// SPDX-License-Identifier: MIT
// Which group a node belongs to, and what it therefore gets. Pure; the groups feature reads the rows.
import { matches, type Selector } from './selector.ts'

export type Labels = Readonly<Record<string, string>>
export type MergePatch = Record<string, unknown>
export type NodeGroup = {
  name: string
  /** The config its nodes get; null: whatever no other group has. */
  config: string | null
  mergePatch: MergePatch
  /** Away for so long, its nodes are decommissioned by themselves. */
  forgetAfterHours: number | null
}
/** Takes the nodes no other group takes: last in order, with the empty selector. */
export const DEFAULT_GROUP = 'default'

export type Grouping = {
  /** Changes when any group does. */
  fingerprint: string
  /** The first in order whose selector matches; the last one matches everything. */
  of(labels: Labels): NodeGroup
  /** By name. */
  selectors: ReadonlyMap<string, Selector>
  /** The configs that are some group's own. */
  claimed: ReadonlySet<string>
  /** Does any group say that its nodes may be forgotten? */
  forgets: boolean
}
export type OrderedGroup = NodeGroup & { selector: Selector; revision: number }

/** `groups` in their order, the default group last. */
export function groupingOf(groups: readonly OrderedGroup[]): Grouping {
  const last = groups.at(-1)
  if (!last) throw new Error('there is no default group: control.db is damaged')
  return {
    fingerprint: groups.map(({ name, revision }) => `${name}:${revision}`).join(),
    of: (labels) => groups.find(({ selector }) => matches(selector, labels)) ?? last,
    selectors: new Map(groups.map(({ name, selector }) => [name, selector])),
    claimed: new Set(groups.flatMap(({ config }) => config ?? [])),
    forgets: groups.some(({ forgetAfterHours }) => forgetAfterHours !== null),
  }
}

/** For whom a config is: a group, and the configs that are some group's own. */
export type Recipient = { group: Pick<NodeGroup, 'config'>; claimed: ReadonlySet<string> }

/** A config that is a group's own goes to that group alone; others go to all groups without one. */
export const takesConfig = ({ group, claimed }: Recipient, config: string): boolean =>
  group.config === null ? !claimed.has(config) : group.config === config

/** What a version's text becomes on a node depends on this, and on nothing else. */
export type RenderTarget = {
  group: Pick<NodeGroup, 'name' | 'mergePatch'>
  node: { name: string; labels: Labels; mergePatch: MergePatch }
}

type NodeColumns = { name: string; labels: string; merge_patch: string }

export function targetOf(grouping: Grouping, row: NodeColumns) {
  const labels: Labels = JSON.parse(row.labels)
  const group = grouping.of(labels)
  const node = { name: row.name, labels, mergePatch: JSON.parse(row.merge_patch) as MergePatch }
  return { group, node }
}

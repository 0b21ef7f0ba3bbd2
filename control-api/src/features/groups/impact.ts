// SPDX-License-Identifier: MIT
// What a change would do before anybody makes it: every node's group and text as they are and as they
// would be. Reads only; asks farmstead-node about texts that would be new, a bounded number of them.
import type { Kysely } from 'kysely'
import { type ConfigError, some } from '../../api-shapes/common.ts'
import { type Impact, MAX_POINTERS } from '../../api-shapes/impact.ts'
import { latestAssignments } from '../../assignments/store.ts'
import { inSlices, inTurns, nextTurn } from '../../base/slices.ts'
import type { Database } from '../../db/database.ts'
import type {
  NodeChanges,
  OpenPreviews,
  OwnedPreview,
  Preview,
  Previews,
  VersionRef,
} from '../../fleet/config-ports.ts'
import { type AbsenceOf, type ForgetRule, overdueRule } from '../../fleet/forgetting.ts'
import { type Grouping, type RenderTarget, takesConfig, targetOf } from '../../labels/grouping.ts'
import { allGroups, type GroupedNode, type GroupRow, groupedNodes, toGrouping } from './store.ts'

export type Fleet = { groups: readonly GroupRow[]; nodes: readonly GroupedNode[] }
export type FleetChange = (fleet: Fleet) => Fleet
export type Deps = {
  db: Kysely<Database>
  now: () => number
  openPreviews: OpenPreviews
  absenceOf: AbsenceOf
}

/** A check is a process on the control plane's own machine. */
export const MAX_CHECKS = 100
const MAX_ERRORS_EACH = 10

/** `only`: the change is of these nodes, so no others are read. */
export async function impactOf(
  deps: Deps,
  change: FleetChange,
  only?: readonly string[],
): Promise<Impact> {
  const { db, now: clock, openPreviews, absenceOf } = deps
  const before = { groups: await allGroups(db), nodes: await groupedNodes(db, only) }
  const after = change(before)
  const groupings = [toGrouping(before.groups), toGrouping(after.groups)] as const
  const reached = await reachedBy(before, after, groupings)
  const assigned = await assignedTo(
    db,
    reached.map(({ node }) => node.id),
  )
  const previews = openPreviews()
  const found = new Findings(previews)
  const giveWay = inTurns()
  for (const { node, changed } of reached) {
    await giveWay()
    const [old, now] = [targetOf(groupings[0], node), targetOf(groupings[1], changed)]
    const { id: nodeId, name: nodeName, policy_rules: rulesId } = node
    const who = { nodeId, nodeName, rulesId }
    const [from, to] = [
      await versionFor(previews, groupings[0], old, assigned.get(nodeId)),
      await versionFor(previews, groupings[1], now, assigned.get(nodeId)),
    ]
    if (old.group.name !== now.group.name) {
      found.moves.push({ nodeId, nodeName, from: old.group.name, to: now.group.name })
    }
    const absence = { ...absenceOf(nodeId), nowMs: clock() }
    found.forgotten(
      who,
      [old, now].map(({ group }) =>
        overdueRule(
          { token: node.forget_after_hours, group: group.forgetAfterHours },
          node,
          absence,
        ),
      ),
    )
    if (!isSame([old, from], [now, to])) await found.compare(who, { old, from }, { now, to })
  }
  await found.askOwners()
  return found.impact()
}

type Reached = { node: GroupedNode; changed: GroupedNode }

/** For a node that stays as it is, in a group that stays as it is, nothing changes. */
async function reachedBy(
  before: Fleet,
  after: Fleet,
  [old, now]: readonly [Grouping, Grouping],
): Promise<Reached[]> {
  const isClaimedAlike = isSame([...old.claimed].toSorted(), [...now.claimed].toSorted())
  const same = isClaimedAlike ? groupsThatStay(before.groups, after.groups) : new Set()
  const giveWay = inTurns()
  const reached: Reached[] = []
  for (const [i, node] of before.nodes.entries()) {
    await giveWay()
    const changed = after.nodes[i] ?? node
    const labels = JSON.parse(node.labels)
    const { name } = old.of(labels)
    const isSame = changed === node && same.has(name) && now.of(labels).name === name
    if (!isSame) reached.push({ node, changed })
  }
  return reached
}

/** Those whose nodes get the same, by name, as long as the same configs are some group's own. */
function groupsThatStay(
  before: readonly GroupRow[],
  after: readonly GroupRow[],
): ReadonlySet<string> {
  const given = ({ name, config, merge_patch, forget_after_hours }: GroupRow) =>
    JSON.stringify([name, config, merge_patch, forget_after_hours])
  const old = new Set(before.map(given))
  return new Set(after.filter((row) => old.has(given(row))).map(({ name }) => name))
}

const ASSIGNMENTS_AT_A_TIME = 500

export async function assignedTo(db: Kysely<Database>, nodeIds: readonly string[]) {
  const assigned = new Map<string, VersionRef>()
  for (const some of inSlices(nodeIds, ASSIGNMENTS_AT_A_TIME)) {
    for (const [nodeId, { config, version }] of await latestAssignments(db, some)) {
      assigned.set(nodeId, { config, number: version })
    }
    if (some.length === ASSIGNMENTS_AT_A_TIME) await nextTurn()
  }
  return assigned
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** What the next rollout to it would be about: what it has, unless that is no longer for its group. */
export async function versionFor(
  previews: Previews,
  { claimed }: Grouping,
  { group }: ReturnType<typeof targetOf>,
  assigned: VersionRef | undefined,
): Promise<VersionRef | null> {
  if (assigned && takesConfig({ group, claimed }, assigned.config)) return assigned
  return await previews.released({ group, claimed })
}

type Who = { nodeId: string; nodeName: string; rulesId: string | null }
type Owned = OwnedPreview & { node: Named; version: VersionRef }
type Named = Pick<Who, 'nodeId' | 'nodeName'>

class Findings {
  readonly moves: Impact['moves']['items'] = []
  readonly changes: Impact['changes']['items'] = []
  readonly forgets: Impact['forgets']['items'] = []
  readonly invalid: Impact['invalid']['items'] = []
  unchecked = 0
  /** What nothing else is wrong with. */
  readonly #owned: Owned[] = []
  readonly #previews: Previews

  constructor(previews: Previews) {
    this.#previews = previews
  }

  /** Who is to go anyway is no effect of the change. */
  forgotten({ nodeId, nodeName }: Named, [before, after]: (ForgetRule | null)[]): void {
    if (after && !before) this.forgets.push({ nodeId, nodeName, ...after })
  }

  async compare(
    { rulesId, ...who }: Who,
    { old, from }: { old: RenderTarget; from: VersionRef | null },
    { now, to }: { now: RenderTarget; to: VersionRef | null },
  ): Promise<void> {
    const before = from && (await this.#previews.render(from, old))
    const after = to && (await this.#previews.render(to, now))
    const [fromDigest, toDigest] = [before?.digest ?? null, after?.digest ?? null]
    const isInvalid = after !== null && after.errors.length > 0
    if (isInvalid || fromDigest !== toDigest) {
      const pointers = this.#previews.pointers(before, after).slice(0, MAX_POINTERS)
      this.changes.push({ ...who, from, to, fromDigest, toDigest, pointers })
    }
    if (to && after && (isInvalid || fromDigest !== toDigest)) {
      const isGood = await this.#check(who, to, after)
      if (isGood && rulesId !== null) {
        this.#owned.push({ node: who, version: to, preview: after, rulesId })
      }
    }
  }

  async #check(who: Named, version: VersionRef, after: Preview): Promise<boolean> {
    const checked = await this.#previews.check(after, MAX_CHECKS)
    this.#note(who, version, checked)
    return checked?.length === 0
  }

  /** Many nodes at once: those that are alike are one question. */
  async askOwners(): Promise<void> {
    const refused = await this.#previews.askOwners(this.#owned)
    for (const owned of this.#owned) this.#note(owned.node, owned.version, refused(owned))
  }

  #note(who: Named, version: VersionRef, errors: ConfigError[] | null): void {
    if (errors === null) this.unchecked += 1
    else if (errors.length > 0) {
      this.invalid.push({ ...who, version, errors: errors.slice(0, MAX_ERRORS_EACH) })
    }
  }

  impact(): Impact {
    return {
      moves: some(this.moves),
      changes: some(this.changes),
      invalid: some(this.invalid),
      forgets: some(this.forgets),
      unchecked: this.unchecked,
    }
  }
}

/** Nodes with another name, other labels or another override. */
export const nodeChange =
  (changes: NodeChanges): FleetChange =>
  ({ groups, nodes }) => ({
    groups,
    nodes: nodes.map((node) => {
      const change = changes.get(node.id)
      return change ? { ...node, ...change } : node
    }),
  })

export const groupChange =
  (change: (groups: readonly GroupRow[]) => readonly GroupRow[]): FleetChange =>
  ({ groups, nodes }) => ({ groups: change(groups), nodes })

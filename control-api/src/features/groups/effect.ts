// SPDX-License-Identifier: MIT
// What a config's text would do to the nodes that the config is for, before it is a version: who would get another
// one than now, and who would refuse it. Reads only; asks farmstead-node about a bounded number of texts.
import type { Kysely } from 'kysely'
import { nodeIsWithin, type Scope } from '../../access/scope.ts'
import { type ConfigError, some } from '../../api-shapes/common.ts'
import type { Effect } from '../../api-shapes/effect.ts'
import { Found, MOST_ERRORS_EACH } from '../../api-shapes/findings.ts'
import { inTurns } from '../../base/slices.ts'
import type { Database } from '../../db/database.ts'
import type {
  OpenPreviews,
  OwnedPreview,
  Preview,
  Previews,
  VersionRef,
} from '../../fleet/config-ports.ts'
import { type NodeGroup, targetOf } from '../../labels/grouping.ts'
import { assignedTo, MAX_CHECKS, versionFor } from './impact.ts'
import { type GroupedNode, groupedNodes, readGrouping } from './store.ts'

type Deps = { db: Kysely<Database>; openPreviews: OpenPreviews }
/** `scope`: of nobody else is anything said. */
export type EffectQuestion = { config: string; text: string; scope: Scope }

export async function effectOf(
  deps: Deps,
  { config, text, scope }: EffectQuestion,
): Promise<Effect> {
  const { db, openPreviews } = deps
  const grouping = await readGrouping(db)
  const nodes = (await groupedNodes(db)).filter((node) => nodeIsWithin(scope, node))
  const assigned = await assignedTo(
    db,
    nodes.map(({ id }) => id),
  )
  const previews = openPreviews()
  const tally = new Tally(previews)
  const giveWay = inTurns()
  for (const node of nodes) {
    await giveWay()
    const target = targetOf(grouping, node)
    const from = await versionFor(previews, grouping, target, assigned.get(node.id))
    if (!isFor(target.group, from, config)) continue
    const before = from && (await previews.render(from, target))
    await tally.add(
      { node, from, before, group: target.group.name },
      previews.renderText(text, target),
    )
  }
  return await tally.effect()
}

/** A config that no group gives is for those who have it. */
const isFor = ({ config: given }: NodeGroup, from: VersionRef | null, config: string): boolean =>
  given === null ? from?.config === config : given === config

type Reached = {
  node: GroupedNode
  from: VersionRef | null
  before: Preview | null
  group: string
}
type Named = Pick<GroupedNode, 'id' | 'name'>

class Tally {
  readonly #groups = new Map<string, { group: string; nodes: number; changed: number }>()
  readonly #versions = new Map<string, { from: VersionRef | null; nodes: number }>()
  readonly #found = new Found()
  /** Nothing else is wrong with what they would get. */
  readonly #owned: (OwnedPreview & { node: Named })[] = []
  readonly #previews: Previews
  #refusing = 0
  #unchecked = 0

  constructor(previews: Previews) {
    this.#previews = previews
  }

  async add({ node, from, before, group }: Reached, after: Preview): Promise<void> {
    const changes = after.digest === null || after.digest !== before?.digest
    this.#count(group, from, changes)
    if (!changes) return
    const errors = await this.#previews.check(after, MAX_CHECKS)
    this.#note(node, errors)
    if (errors?.length === 0 && node.policy_rules !== null) {
      this.#owned.push({ node, preview: after, rulesId: node.policy_rules })
    }
  }

  #count(group: string, from: VersionRef | null, changes: boolean): void {
    const inGroup = this.#groups.get(group) ?? { group, nodes: 0, changed: 0 }
    this.#groups.set(group, inGroup)
    inGroup.nodes += 1
    if (changes) inGroup.changed += 1
    const key = from === null ? '' : `${from.config} ${from.number}`
    const having = this.#versions.get(key) ?? { from, nodes: 0 }
    this.#versions.set(key, having)
    having.nodes += 1
  }

  #note(node: Named, errors: readonly ConfigError[] | null): void {
    if (errors === null) this.#unchecked += 1
    else if (errors.length > 0) {
      this.#refusing += 1
      for (const error of errors.slice(0, MOST_ERRORS_EACH)) this.#found.add(error, [node])
    }
  }

  async effect(): Promise<Effect> {
    const refused = await this.#previews.askOwners(this.#owned)
    for (const owned of this.#owned) this.#note(owned.node, refused(owned))
    const groups = [...this.#groups.values()].toSorted((a, b) => b.nodes - a.nodes)
    const versions = [...this.#versions.values()].toSorted((a, b) => b.nodes - a.nodes)
    const sum = (of: 'nodes' | 'changed') => groups.reduce((all, one) => all + one[of], 0)
    return {
      nodes: sum('nodes'),
      changed: sum('changed'),
      groups: some(groups),
      versions: some(
        versions.map(({ from, nodes }) => ({
          config: from?.config ?? null,
          version: from?.number ?? null,
          nodes,
        })),
      ),
      refused: { nodes: this.#refusing, findings: this.#found.view() },
      unchecked: this.#unchecked,
    }
  }
}

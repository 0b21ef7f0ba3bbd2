// SPDX-License-Identifier: MIT
// What a rollout released goes to those who joined meanwhile: they got the version before it, never a candidate. So many of
// them at once; behind whom the next are is kept in the rollout's progress, so that a crash loses none.
import { contentId } from '../../../agent-protocol/content.ts'
import type { Assignments, KeptAssignment } from '../../../assignments/assignments.ts'
import { DEADLINES } from '../../../assignments/deadlines.ts'
import { keepText, latestAssignments } from '../../../assignments/store.ts'
import type { Unit } from '../../../audit/write.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import type { Releases, Rendered } from '../../../fleet/agent-ports.ts'
import type { ReadGrouping } from '../../../fleet/config-ports.ts'
import { takesConfig, targetOf } from '../../../labels/grouping.ts'
import { type JoinedNode, joinedAfter, whoNeverHadARollout } from '../store/nodes.ts'

export type NewcomerDeps = {
  assignments: Assignments
  rendererOf: Releases['rendererOf']
  readGrouping: ReadGrouping
  /** Its overrides make the version unreadable, or a variable has no value: for the log. */
  onUnrenderable: (nodeId: string) => void
  versionText: (unit: Unit, config: string, version: number) => Promise<string | null>
  /** The last version of the config that was released. */
  releasedVersion: (unit: Unit, config: string) => Promise<number | null>
}
type Released = Pick<RolloutRow, 'id' | 'config' | 'version'>

/** Gives it to the next of them; returns behind whom the others are, null: that was all. */
export type GiveNewcomers = (
  unit: Unit,
  released: Released,
  after: string,
) => Promise<string | null>

export function createNewcomers(deps: NewcomerDeps, atOnce: number): GiveNewcomers {
  const { assignments, rendererOf, readGrouping, onUnrenderable, versionText } = deps

  async function give(unit: Unit, { config, version }: Released, nodes: readonly JoinedNode[]) {
    const { trx } = unit
    const given = await latestAssignments(
      trx,
      nodes.map(({ id }) => id),
    )
    const text = await versionText(unit, config, version)
    if (text === null)
      throw new Error(`${config} version ${version} is gone: control.db is damaged`)
    const grouping = await readGrouping(trx)
    const render = rendererOf(text)
    /** Of nodes that get the same. */
    const kept = new Map<Rendered, string>()
    const wanted: KeptAssignment[] = []
    for (const node of nodes) {
      const target = targetOf(grouping, node)
      const { group } = target
      if (!takesConfig({ group, claimed: grouping.claimed }, config)) continue
      const rendered = await render(trx, target)
      // One node's override must not undo what the others have proved: that node keeps what it has.
      if (!rendered) onUnrenderable(node.id)
      if (!rendered || given.get(node.id)?.digest === rendered.digest) continue
      const { digest, configDigest, certificates, releases } = rendered
      const textId = kept.get(rendered) ?? contentId(rendered.text, certificates, releases)
      if (!kept.has(rendered))
        await keepText(trx, { id: textId, text: rendered.text, certificates, releases })
      kept.set(rendered, textId)
      const own = configDigest === digest ? null : configDigest
      const content = { textId, digest, configDigest: own, group: group.name }
      const about = { nodeId: node.id, rolloutId: null, config, version, within: DEADLINES }
      wanted.push({ ...about, ...content })
    }
    if (wanted.length > 0) await assignments.assignAll(unit, wanted)
  }

  return async (unit, released, after) => {
    // Of a later release they are given that, by the rollout that released it.
    if ((await deps.releasedVersion(unit, released.config)) !== released.version) return null
    const joined = await joinedAfter(unit.trx, released.id, after, atOnce)
    const nodes = await whoNeverHadARollout(unit.trx, joined)
    if (nodes.length > 0) await give(unit, released, nodes)
    return joined.length < atOnce ? null : (joined.at(-1)?.id ?? null)
  }
}

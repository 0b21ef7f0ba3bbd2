// SPDX-License-Identifier: MIT
// What follows from a decision of the reducer, in the transaction that stores it.
import type { Assignments } from '../../../assignments/assignments.ts'
import {
  certificatesOfTexts,
  contentOf,
  givenWith,
  latestAssignments,
} from '../../../assignments/store.ts'
import type { Unit } from '../../../audit/write.ts'
import { noteReleased } from '../../../certificates/store.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import type { Releases } from '../../../fleet/agent-ports.ts'
import type { ReadGrouping } from '../../../fleet/config-ports.ts'
import { takesConfig, targetOf } from '../../../labels/grouping.ts'
import type { Effect, RolloutEvent } from '../reducer/model.ts'
import { freeLeases } from '../store/leases.ts'
import { newcomers } from '../store/nodes.ts'
import type { Loaded } from '../store/rollouts.ts'
import { taskContent, textIdsOf } from '../store/tasks.ts'

export type EffectDeps = {
  assignments: Assignments
  renderForNode: Releases['renderForNode']
  readGrouping: ReadGrouping
  /** Its overrides make the version unreadable, or a variable has no value: for the log. */
  onUnrenderable: (nodeId: string) => void
  versionText: (unit: Unit, config: string, version: number) => Promise<string | null>
  release: (
    unit: Unit,
    released: { config: string; version: number; rolloutId: string },
  ) => Promise<void>
}

/** Returns what follows for the reducer; null: nothing. */
export type Act = (
  unit: Unit,
  loaded: Loaded,
  effect: Effect,
) => Promise<Extract<RolloutEvent, { kind: 'offered' }> | null>

export function createEffects({
  assignments,
  renderForNode,
  readGrouping,
  onUnrenderable,
  versionText,
  release,
}: EffectDeps): Act {
  /** Who joined meanwhile got the version before this one, never a candidate. */
  async function assignToNewcomers(unit: Unit, row: RolloutRow): Promise<void> {
    const nodes = await newcomers(unit.trx, row)
    if (nodes.length === 0) return
    const { config, version } = row
    const given = await latestAssignments(
      unit.trx,
      nodes.map(({ id }) => id),
    )
    const text = await versionText(unit, config, version)
    if (text === null)
      throw new Error(`${config} version ${version} is gone: control.db is damaged`)
    const grouping = await readGrouping(unit.trx)
    const { claimed } = grouping
    for (const node of nodes) {
      const target = targetOf(grouping, node)
      const { group } = target
      if (!takesConfig({ group, claimed }, config)) continue
      const rendered = await renderForNode(unit.trx, text, target)
      // One node's override must not undo what the others have proved: that node keeps what it has.
      if (!rendered) onUnrenderable(node.id)
      if (!rendered || given.get(node.id)?.digest === rendered.digest) continue
      await assignments.assign(unit, {
        nodeId: node.id,
        rolloutId: null,
        config,
        version,
        group: group.name,
        ...rendered,
      })
    }
  }

  return async (unit, { row, rollout }, effect) => {
    const { id, config, version } = row
    const isOffer = effect.kind === 'offer' || effect.kind === 'give-back'
    // What the node said must be stored all the same; its turn comes with offerHeld.
    if (isOffer && assignments.isHeld()) return null
    switch (effect.kind) {
      case 'offer': {
        const { nodeId } = effect
        const content = await taskContent(unit.trx, id, nodeId)
        const within = rollout.policy
        const assignment = { nodeId, rolloutId: id, config, version, ...content, within }
        const { generation } = await assignments.assign(unit, assignment)
        return { kind: 'offered', nodeId, generation }
      }
      case 'give-back': {
        const { nodeId, generation: earlier } = effect
        const given = await givenWith(unit.trx, nodeId, earlier)
        const { config, version, group_name: group } = given
        const within = rollout.policy
        const about = { nodeId, rolloutId: id, config, version, group, within }
        const assignment = { ...about, ...contentOf(given) }
        const { generation } = await assignments.assign(unit, assignment)
        return { kind: 'offered', nodeId, generation }
      }
      case 'withdraw':
        await assignments.withdraw(unit, effect)
        return null
      case 'release':
        // What a part has proved is not yet what all of the config's nodes should have.
        if (row.selector !== '' || row.names_nodes === 1) return null
        await noteReleased(
          unit.trx,
          await certificatesOfTexts(unit.trx, await textIdsOf(unit.trx, id)),
        )
        await release(unit, { config, version, rolloutId: id })
        await assignToNewcomers(unit, row)
        return null
      case 'release-leases':
        await freeLeases(unit.trx, id)
        return null
    }
  }
}

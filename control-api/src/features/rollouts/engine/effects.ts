// SPDX-License-Identifier: MIT
// What follows from a decision of the reducer, in the transaction that stores it.
import type { Assignments } from '../../../assignments/assignments.ts'
import { certificatesOfTexts, givenWith, releasesOfTexts } from '../../../assignments/store.ts'
import type { Unit } from '../../../audit/write.ts'
import { noteReleased } from '../../../certificates/store.ts'
import type { Trx } from '../../../db/database.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import { noteReleasedNumbers } from '../../../releases/given-store.ts'
import type { Effect } from '../reducer/model.ts'
import type { Offered } from '../reducer/rules.ts'
import { freeLeases, ownedByOthers } from '../store/leases.ts'
import type { Loaded } from '../store/rollouts.ts'
import { keptContents, textIdsOf } from '../store/tasks.ts'

export type EffectDeps = {
  assignments: Assignments
  release: (
    unit: Unit,
    released: { config: string; version: number; rolloutId: string },
  ) => Promise<void>
}

type Kind = Effect['kind']
type Of<K extends Kind> = Extract<Effect, { kind: K }>
/** Effects of one kind, done at once. */
export type Alike = { [K in Kind]: { kind: K; all: Of<K>[] } }[Kind]

/** In their order, those of one kind that follow each other together. */
export function inTurn(effects: readonly Effect[]): Alike[] {
  const turns: { kind: Kind; all: Effect[] }[] = []
  for (const effect of effects) {
    const last = turns.at(-1)
    if (last?.kind === effect.kind) last.all.push(effect)
    else turns.push({ kind: effect.kind, all: [effect] })
  }
  return turns as Alike[]
}

/** What a part has proved is not yet what all of the config's nodes should have. */
export const isForAll = ({ selector, names_nodes }: RolloutRow) =>
  selector === '' && names_nodes !== 1

/** Returns what follows for the reducer; none: nothing. */
export type Act = (unit: Unit, loaded: Loaded, effects: Alike) => Promise<Offered[]>

export function createEffects({ assignments, release }: EffectDeps): Act {
  /** What the nodes are to get, as it was rendered when the plan was made. */
  async function offer(
    unit: Unit,
    { row, rollout }: Loaded,
    wanted: readonly { nodeId: string }[],
  ) {
    const { id: rolloutId, config, version } = row
    const nodeIds = wanted.map(({ nodeId }) => nodeId)
    const kept = await keptContents(unit.trx, rolloutId, nodeIds)
    const byNode = new Map(kept.map((one) => [one.node_id, one]))
    const within = rollout.policy
    const given = nodeIds.flatMap((nodeId) => {
      const one = byNode.get(nodeId)
      if (!one) return []
      const { text_id: textId, digest, config_digest: configDigest, group_name: group } = one
      const content = { textId, digest, configDigest, group }
      return [{ nodeId, rolloutId, config, version, ...content, within }]
    })
    return await assignments.assignAll(unit, given)
  }

  /** Without those that a later rollout owns: it is about to say so. */
  async function ownAmong<T extends { nodeId: string }>(unit: Unit, id: string, all: readonly T[]) {
    const others = await ownedByOthers(
      unit.trx,
      id,
      all.map(({ nodeId }) => nodeId),
    )
    return all.filter(({ nodeId }) => !others.has(nodeId))
  }

  async function giveBack(
    unit: Unit,
    { row, rollout }: Loaded,
    wanted: readonly { nodeId: string; generation: number }[],
  ) {
    const earlier = await givenWith(unit.trx, wanted)
    const byNode = new Map(earlier.map((one) => [one.node_id, one]))
    const given = wanted.map(({ nodeId }) => {
      const one = byNode.get(nodeId)
      if (!one) throw new Error(`what ${nodeId} had is gone: control.db is damaged`)
      const { config, version, text_id: textId, group_name: group, digest } = one
      const content = { textId, digest, configDigest: one.config_digest, group }
      const about = { nodeId, rolloutId: row.id, config, version }
      return { ...about, ...content, within: rollout.policy }
    })
    return await assignments.assignAll(unit, given)
  }

  return async (unit, loaded, { kind, all }) => {
    const { row } = loaded
    const { id, config, version } = row
    const isOffer = kind === 'offer' || kind === 'give-back'
    // What the node said must be stored all the same; its turn comes with offerHeld.
    if (isOffer && assignments.isHeld()) return []
    switch (kind) {
      case 'offer':
        return await offer(unit, loaded, await ownAmong(unit, id, all))
      case 'give-back':
        return await giveBack(unit, loaded, await ownAmong(unit, id, all))
      case 'withdraw':
        await assignments.withdraw(unit, all)
        return []
      case 'release':
        if (!isForAll(row)) return []
        await noteParts(unit.trx, await textIdsOf(unit.trx, id))
        await release(unit, { config, version, rolloutId: id })
        return []
      case 'release-leases':
        await freeLeases(unit.trx, id)
        return []
    }
  }
}

/** What went with it to all. */
async function noteParts(trx: Trx, textIds: readonly string[]): Promise<void> {
  await noteReleased(trx, await certificatesOfTexts(trx, textIds))
  await noteReleasedNumbers(trx, await releasesOfTexts(trx, textIds))
}

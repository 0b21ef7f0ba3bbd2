// SPDX-License-Identifier: MIT
// Starts a rollout: planned outside, stored with its leases and first offers in one transaction.
import type { Unit, Write } from '../../db/write.ts'
import { newId } from '../../ids.ts'
import { NodeCheckUnavailable } from '../../node-check/errors.ts'
import { isWithin, OutsideScope, type Scope } from '../../scope.ts'
import type { Engine } from './engine.ts'
import { FleetChanged, RolloutActive, RolloutInvalid, VersionNotFound } from './errors.ts'
import { type CheckForNode, isSameFleet, type PlannedNode, planRollout } from './planner.ts'
import {
  activeNodes,
  type FleetNode,
  insertRollout,
  leaseHolder,
  type NewTask,
  type Reader,
  takeLeases,
} from './store.ts'

export type StartDeps = {
  db: Reader
  write: Write
  now: () => number
  engine: Pick<Engine, 'start'>
  checkForNode: CheckForNode
  findVersionText: (config: string, version: number) => Promise<string | null>
  releasedVersion: (unit: Unit) => Promise<{ config: string; version: number } | null>
}
type Wanted = { config: string; version: number; scope: Scope }
type Order = Wanted & { message: string; author: string }

/** Nodes may change while the binary checks; then the plan is made again, but not for ever. */
const ATTEMPTS = 3

export async function planVersion(
  deps: StartDeps,
  { config, version, scope }: Wanted,
): Promise<PlannedNode[]> {
  const text = await deps.findVersionText(config, version)
  if (text === null) throw new VersionNotFound(config, version)
  const plan = await planRollout(deps, { config, text })
  refuseNodesOutside(
    plan.map(({ node }) => node),
    scope,
  )
  return plan
}

export async function startRollout(deps: StartDeps, order: Order): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const plan = await planVersion(deps, order)
    refuseBadPlan(plan)
    const id = await deps.write((unit) => store(deps, unit, order, plan))
    if (id !== null) return id
  }
  throw new FleetChanged()
}

/** A rollout reaches every node of the farm, so who starts it must have them all in their scope. */
function refuseNodesOutside(nodes: readonly FleetNode[], scope: Scope): void {
  const outside = nodes.filter((node) => !isWithin(scope, JSON.parse(node.labels))).length
  if (outside > 0) throw new OutsideScope(`${outside} of the nodes it would reach are not`, scope)
}

function refuseBadPlan(plan: readonly PlannedNode[]): void {
  const unavailable = plan.find((planned) => planned.unavailable !== null)?.unavailable
  if (unavailable) throw new NodeCheckUnavailable(unavailable)
  const bad = plan.filter((planned) => planned.digest === null)
  if (bad.length === 0) return
  const names = bad.slice(0, 3).map(({ node }) => node.name)
  const more = bad.length > names.length ? ` and ${bad.length - names.length} more` : ''
  throw new RolloutInvalid(`${names.join(', ')}${more}`).withErrors(bad[0]?.errors ?? [])
}

/** null: the fleet is another one by now. */
async function store(
  { now, engine, releasedVersion }: StartDeps,
  unit: Unit,
  { config, version, message, author }: Order,
  plan: readonly PlannedNode[],
): Promise<string | null> {
  const { trx } = unit
  if (!isSameFleet(plan, await activeNodes(trx))) return null
  const nodeIds = plan.map(({ node }) => node.id)
  const holder = nodeIds.length > 0 ? await leaseHolder(trx, nodeIds) : undefined
  if (holder) {
    throw new RolloutActive(
      holder.id,
      `${holder.config} version ${holder.version}`,
      holder.state,
    ).withMembers({
      rolloutId: holder.id,
    })
  }
  const id = newId('rollout')
  const released = await releasedVersion(unit)
  await insertRollout(
    trx,
    {
      id,
      config,
      version,
      previous_version: released?.config === config ? released.version : null,
      state: 'planned',
      state_version: 1,
      reason: 'Planned.',
      author,
      message,
      created_at_ms: now(),
      ended_at_ms: null,
    },
    plan.map(toTask),
  )
  await takeLeases(trx, id, nodeIds)
  const nodes = plan.map(({ node, digest }) => ({ nodeId: node.id, digest }))
  const data = { config, version, message, nodes }
  await unit.emit({ kind: 'rollout', id, action: 'created', actor: author, data })
  await engine.start(unit, id)
  return id
}

const toTask = ({ node, text, textId, digest, settledGeneration }: PlannedNode): NewTask => ({
  node_id: node.id,
  state: settledGeneration === null ? 'pending' : 'done',
  generation: settledGeneration,
  digest: digest ?? '',
  text,
  textId,
})

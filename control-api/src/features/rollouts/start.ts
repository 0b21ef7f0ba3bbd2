// SPDX-License-Identifier: MIT
// Starts a rollout: planned outside, stored with its leases and first offers in one transaction.
import { noteGroup } from '../../agents/assignments.ts'
import type { Unit, Write } from '../../db/write.ts'
import { SelectorInvalid } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { NodeCheckUnavailable } from '../../node-check/errors.ts'
import type { ReadGrouping } from '../../ports.ts'
import { nodeIsWithin, OutsideScope, type Scope } from '../../scope.ts'
import { parseSelector } from '../../selector.ts'
import type { Engine } from './engine.ts'
import { FleetChanged, RolloutActive, RolloutInvalid, VersionNotFound } from './errors.ts'
import { type CheckFor, isSameFleet, type Plan, type PlannedNode, planRollout } from './planner.ts'
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
  checkFor: CheckFor
  readGrouping: ReadGrouping
  findVersionText: (config: string, version: number) => Promise<string | null>
  /** The last version of the config that was released. */
  releasedVersion: (unit: Unit, config: string) => Promise<number | null>
}
type Ordered = { config: string; version: number; selector: string; scope: Scope }
type Order = Ordered & { message: string; author: string }

/** Nodes may change while the binary checks; then the plan is made again, but not for ever. */
const ATTEMPTS = 3

export async function planVersion(
  deps: StartDeps,
  { config, version, selector, scope }: Ordered,
): Promise<Plan> {
  const parsed = parseSelector(selector)
  if (!parsed.ok) throw new SelectorInvalid(parsed.column, parsed.message)
  const text = await deps.findVersionText(config, version)
  if (text === null) throw new VersionNotFound(config, version)
  const plan = await planRollout(deps, { config, text, selector: parsed.selector })
  refuseNodesOutside(
    plan.nodes.map(({ node }) => node),
    scope,
  )
  return plan
}

export async function startRollout(deps: StartDeps, order: Order): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const plan = await planVersion(deps, order)
    refuseBadPlan(plan.nodes)
    const id = await deps.write((unit) => store(deps, unit, order, plan))
    if (id !== null) return id
  }
  throw new FleetChanged()
}

/** Who starts it must have in their scope all that it reaches. */
function refuseNodesOutside(nodes: readonly FleetNode[], scope: Scope): void {
  const outside = nodes.filter((node) => !nodeIsWithin(scope, node)).length
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
  { now, engine, releasedVersion, readGrouping }: StartDeps,
  unit: Unit,
  { config, version, selector, message, author }: Order,
  plan: Plan,
): Promise<string | null> {
  const { trx } = unit
  const fleet = { nodes: await activeNodes(trx), grouping: await readGrouping(trx) }
  if (!isSameFleet(plan, fleet)) return null
  const nodeIds = plan.nodes.map(({ node }) => node.id)
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
  await insertRollout(
    trx,
    {
      id,
      config,
      version,
      previous_version: await releasedVersion(unit, config),
      state: 'planned',
      state_version: 1,
      reason: 'Planned.',
      selector,
      author,
      message,
      created_at_ms: now(),
      ended_at_ms: null,
    },
    plan.nodes.map(toTask),
  )
  await takeLeases(trx, id, nodeIds)
  for (const { node, group, settledGeneration: generation } of plan.nodes) {
    if (generation !== null) await noteGroup(unit, { nodeId: node.id, generation, group })
  }
  const nodes = plan.nodes.map(({ node, digest }) => ({ nodeId: node.id, digest }))
  const data = { config, version, selector, message, nodes }
  await unit.emit({ kind: 'rollout', id, action: 'created', actor: author, data })
  await engine.start(unit, id)
  return id
}

const toTask = ({
  node,
  group,
  text,
  textId,
  digest,
  settledGeneration,
}: PlannedNode): NewTask => ({
  node_id: node.id,
  state: settledGeneration === null ? 'pending' : 'done',
  generation: settledGeneration,
  digest: digest ?? '',
  group_name: group,
  text,
  textId,
})

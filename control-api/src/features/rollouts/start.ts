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
import {
  FleetChanged,
  PlanChanged,
  RolloutActive,
  RolloutInvalid,
  VersionNotFound,
} from './errors.ts'
import { activeNodes, type FleetNode, lastGood } from './fleet-store.ts'
import { leaseHolders, takeLeases } from './lease-store.ts'
import { firstProgress } from './model.ts'
import { type CheckFor, isSameFleet, type Plan, type PlannedNode, planRollout } from './planner.ts'
import { overlap } from './rules.ts'
import type { Strategy } from './schema.ts'
import { insertRollout, type Reader } from './store.ts'
import { type Arranged, arrange, planDigestOf } from './strategy.ts'
import { type NewTask, tasksOf } from './task-store.ts'
import type { WaveNode } from './waves.ts'

export type StartDeps = {
  db: Reader
  write: Write
  now: () => number
  engine: Pick<Engine, 'start' | 'giveWay'>
  checkFor: CheckFor
  readGrouping: ReadGrouping
  findVersionText: (config: string, version: number) => Promise<string | null>
  /** The last version of the config that was released. */
  releasedVersion: (unit: Unit, config: string) => Promise<number | null>
  isConnected: (nodeId: string) => boolean
  /** Requests per second, lately; a node that was not measured is absent. */
  throughputOf: (nodeIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
}
type Ordered = {
  config: string
  version: number
  selector: string
  scope: Scope
  strategy?: Strategy | undefined
}
type Order = Ordered & {
  message: string
  author: string
  onOverlap: 'refuse' | 'supersede'
  /** Of the plan that was looked at; undefined: nobody did. */
  planDigest?: string | undefined
}
export type Arrangement = Plan & { arranged: Arranged; planDigest: string }

/** Nodes may change while the binary checks; then the plan is made again, but not for ever. */
const ATTEMPTS = 3

export async function planVersion(
  deps: StartDeps,
  { config, version, selector, scope, strategy }: Ordered,
): Promise<Arrangement> {
  const parsed = parseSelector(selector)
  if (!parsed.ok) throw new SelectorInvalid(parsed.column, parsed.message)
  const text = await deps.findVersionText(config, version)
  if (text === null) throw new VersionNotFound(config, version)
  const plan = await planRollout(deps, { config, text, selector: parsed.selector })
  refuseNodesOutside(
    plan.nodes.map(({ node }) => node),
    scope,
  )
  const arranged = arrange(await waveNodes(deps, plan.nodes, strategy), strategy)
  const targets = plan.nodes.map(({ node, digest }) => ({ nodeId: node.id, digest }))
  return { ...plan, arranged, planDigest: planDigestOf({ config, version }, arranged, targets) }
}

/** Only what changes proves anything. */
async function waveNodes(
  { isConnected, throughputOf }: StartDeps,
  planned: readonly PlannedNode[],
  strategy: Strategy | undefined,
): Promise<WaveNode[]> {
  const changing = planned.filter(({ settledGeneration }) => settledGeneration === null)
  const throughput = await throughputOf(changing.map(({ node }) => node.id))
  return changing.map(({ node }) => ({
    id: node.id,
    throughput: throughput.get(node.id) ?? null,
    kind: [node.os, node.version, node.capabilities].join('\n'),
    domain: strategy?.failureDomain ? domainOf(node.labels, strategy.failureDomain) : null,
    isConnected: isConnected(node.id),
  }))
}

function domainOf(labels: string, label: string): string | null {
  const all: Record<string, string> = JSON.parse(labels)
  return all[label] ?? null
}

export async function startRollout(deps: StartDeps, order: Order): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const plan = await planVersion(deps, order)
    refuseBadPlan(plan.nodes)
    if (order.planDigest !== undefined && order.planDigest !== plan.planDigest) {
      throw new PlanChanged(order.planDigest, plan.planDigest)
    }
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
export async function store(
  { now, engine, releasedVersion, readGrouping }: StartDeps,
  unit: Unit,
  { config, version, selector, scope, message, author, onOverlap }: Order,
  plan: Arrangement,
): Promise<string | null> {
  const { trx } = unit
  const fleet = { nodes: await activeNodes(trx), grouping: await readGrouping(trx) }
  if (!isSameFleet(plan, fleet)) return null
  const nodeIds = plan.nodes.map(({ node }) => node.id)
  const id = newId('rollout')
  await makeWay(engine, unit, { id, nodeIds, onOverlap, scope })
  const { policy, waves } = plan.arranged
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
      policy: JSON.stringify(policy),
      plan_digest: plan.planDigest,
      progress: JSON.stringify(firstProgress(waves, policy)),
      evidence: null,
    },
    await Promise.all(plan.nodes.map((planned) => toTask(unit, planned, plan.arranged))),
  )
  await takeLeases(trx, id, nodeIds)
  for (const { node, group, settledGeneration: generation } of plan.nodes) {
    if (generation !== null) await noteGroup(unit, { nodeId: node.id, generation, group })
  }
  const nodes = plan.nodes.map(({ node, digest }) => ({ nodeId: node.id, digest }))
  const data = { config, version, selector, message, nodes, planDigest: plan.planDigest, policy }
  await unit.emit({ kind: 'rollout', id, action: 'created', actor: author, data })
  await engine.start(unit, id)
  return id
}

type Overlap = Pick<Order, 'onOverlap' | 'scope'> & { id: string; nodeIds: readonly string[] }

async function makeWay(
  engine: StartDeps['engine'],
  unit: Unit,
  { id, nodeIds, onOverlap, scope }: Overlap,
): Promise<void> {
  const holders = nodeIds.length > 0 ? await leaseHolders(unit.trx, nodeIds) : []
  const { refusedBy, giveWay } = overlap(
    holders.map((holder) => holder.id),
    onOverlap,
  )
  const inTheWay = holders.find((holder) => holder.id === refusedBy)
  if (inTheWay) {
    const what = `${inTheWay.config} version ${inTheWay.version}`
    const refusal = new RolloutActive(inTheWay.id, what, inTheWay.state)
    throw refusal.withMembers({ rolloutId: inTheWay.id })
  }
  if (giveWay.length > 0) await refuseRolloutsOutside(unit, giveWay, scope)
  for (const holder of giveWay) await engine.giveWay(unit, holder, id)
}

/** To freeze a rollout is to do something to all its nodes. */
async function refuseRolloutsOutside(
  { trx }: Unit,
  rolloutIds: readonly string[],
  scope: Scope,
): Promise<void> {
  const all = await tasksOf(trx, rolloutIds, null)
  const outside = all.length - (await tasksOf(trx, rolloutIds, scope)).length
  if (outside > 0) {
    throw new OutsideScope(`${outside} nodes of the rollouts under way are not`, scope)
  }
}

async function toTask(
  { trx }: Unit,
  { node, group, text, textId, digest, settledGeneration }: PlannedNode,
  { waveOf }: Arranged,
): Promise<NewTask> {
  const notDigest = digest ?? ''
  const previous = await lastGood(trx, { nodeId: node.id, notDigest })
  return {
    node_id: node.id,
    wave: waveOf.get(node.id) ?? 0,
    state: settledGeneration === null ? 'pending' : 'done',
    generation: settledGeneration,
    digest: notDigest,
    previous_generation: previous?.generation ?? null,
    previous_digest: previous?.digest ?? null,
    group_name: group,
    text,
    textId,
  }
}

// SPDX-License-Identifier: MIT
// Rollouts and plans as the API shows them.
import { viewCordon } from '../../cordon.ts'
import { some } from '../../schema/common.ts'
import type { Scope } from '../../scope.ts'
import { approvalsOf } from './approvals.ts'
import { RolloutNotFound } from './errors.ts'
import type { HoldKind, Progress } from './model.ts'
import { naming, rolloutsIn, withoutOthers } from './own-part.ts'
import { type ExcludedNode, kindOf, type PlannedNode } from './planner.ts'
import type { Rollout } from './schema.ts'
import type { Arrangement } from './start.ts'
import { findRollout, policyOf, type Reader, type RolloutRow, rolloutTouches } from './store.ts'
import { viewPolicy } from './strategy.ts'
import { failsGate } from './task-states.ts'
import { type TaskWithName, taskCounts, tasksOf } from './task-store.ts'
import { countTasks, wasPassedBy } from './tasks.ts'

type ApprovalRow = Awaited<ReturnType<typeof approvalsOf>>[number]

/** Of the nodes within the scope; without one of those it is not there. Throws RolloutNotFound. */
export async function showRollout(db: Reader, id: string, scope: Scope): Promise<Rollout> {
  const row = await findRollout(db, id)
  const [shown] = row ? await showRollouts(db, [row], scope) : []
  if (!shown || (scope !== null && shown.tasks.length === 0)) throw new RolloutNotFound(id)
  return shown
}

export async function showRollouts(
  db: Reader,
  rows: readonly RolloutRow[],
  scope: Scope,
): Promise<Rollout[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const tasks = Map.groupBy(await tasksOf(db, ids, scope), (task) => task.rollout_id)
  const approvals = Map.groupBy(await approvalsOf(db, ids), (one) => one.rollout_id)
  const partsOf = (id: string) => ({
    tasks: tasks.get(id) ?? [],
    approvals: approvals.get(id) ?? [],
  })
  const whole = rows.map((row) => viewRollout(row, partsOf(row.id)))
  if (scope === null) return whole
  const held = new Map(rows.map((row) => [row.id, holdOf(row)]))
  return await ownPartOf(db, whole, { scope, held })
}

/** Of those that have nodes outside the scope as well, only what is of the nodes inside. */
async function ownPartOf(
  db: Reader,
  shown: Rollout[],
  { scope, held }: { scope: Scope; held: ReadonlyMap<string, HoldKind | null> },
): Promise<Rollout[]> {
  const all = await taskCounts(
    db,
    shown.map(({ id }) => id),
  )
  const others = new Set(
    shown.flatMap(({ blockedBy, reason }) => [...blockedBy, ...rolloutsIn(reason)]),
  )
  const visible = new Set<string>()
  for (const id of others) if (await rolloutTouches(db, id, scope)) visible.add(id)
  return shown.map((rollout) => {
    const blockedBy = rollout.blockedBy.filter((id) => visible.has(id))
    const isWhole = all.get(rollout.id) === rollout.tasks.length
    const own = isWhole ? rollout : withoutOthers(rollout, held.get(rollout.id) ?? null)
    return { ...own, blockedBy, reason: naming(own.reason, visible) }
  })
}

const holdOf = ({ progress }: RolloutRow): HoldKind | null =>
  (JSON.parse(progress) as Progress).hold?.kind ?? null

type Parts = { tasks: readonly TaskWithName[]; approvals: readonly ApprovalRow[] }

function viewRollout(row: RolloutRow, parts: Parts): Rollout {
  const policy = policyOf(row)
  const { wave, phase, soakedMs }: Progress = JSON.parse(row.progress)
  const tasks = parts.tasks.map((task) => ({
    nodeId: task.node_id,
    nodeName: task.node_name,
    wave: task.wave,
    state: task.state,
    generation: task.generation,
    digest: task.digest,
    code: task.code,
    message: task.message,
    errors: JSON.parse(task.errors),
    isCordoned: task.cordon !== null,
    updatedAt: timeOf(task.updated_at_ms),
  }))
  const waves = [...Map.groupBy(tasks, (task) => task.wave)].map(([index, inWave]) => ({
    index,
    nodes: inWave.length,
    done: countTasks(inWave.filter((task) => !failsGate(task))).done,
  }))
  const evidence: Rollout['evidence'] = row.evidence === null ? null : JSON.parse(row.evidence)
  return {
    id: row.id,
    config: row.config,
    version: row.version,
    previousVersion: row.previous_version,
    selector: row.selector,
    namesNodes: row.names_nodes === 1,
    strategy: row.strategy === null ? null : JSON.parse(row.strategy),
    state: row.state,
    stateVersion: row.state_version,
    reason: row.reason,
    waves: waves.toSorted((a, b) => a.index - b.index),
    wave,
    phase,
    soakedSeconds: soakedMs / 1000,
    policy: viewPolicy(policy),
    isFastPath: policy.isFastPath,
    planDigest: row.plan_digest,
    evidence,
    tasks,
    pendingNodes: countTasks(tasks).pending,
    cordonedNodes: tasks.filter(wasPassedBy).length,
    author: row.author,
    message: row.message,
    emergency: row.emergency,
    approvals: parts.approvals.map((one) => ({ by: one.username, at: timeOf(one.at_ms) })),
    approvalsNeeded: row.approvals_needed,
    startAt: timeOrNull(row.start_at_ms),
    blockedBy: row.state === 'queued' ? JSON.parse(row.blocked_by) : [],
    createdAt: timeOf(row.created_at_ms),
    startedAt: timeOrNull(row.started_at_ms),
    endedAt: timeOrNull(row.ended_at_ms),
  }
}

const timeOf = (ms: number) => new Date(ms).toISOString()
const timeOrNull = (ms: number | null) => (ms === null ? null : timeOf(ms))

type Seen = { isConnected: (nodeId: string) => boolean; refusing: ReadonlySet<string> }

export function viewPlan(plan: Arrangement, seen: Seen) {
  const { waveOf, waves, policy } = plan.arranged
  const nodes = plan.nodes.map((planned) => ({
    ...viewPlanned(planned, seen),
    wave: waveOf.get(planned.node.id) ?? 0,
  }))
  const excluded = some(plan.excluded.map(viewExcluded))
  const { isFastPath } = policy
  const said = { policy: viewPolicy(policy), isFastPath, planDigest: plan.planDigest }
  const cordonedNodes = nodes.filter(({ changes, cordon }) => changes && cordon !== null).length
  return { nodes, matchesNone: plan.matchesNone, waves, cordonedNodes, ...said, excluded }
}

const viewPlanned = (planned: PlannedNode, { isConnected, refusing }: Seen) => ({
  nodeId: planned.node.id,
  nodeName: planned.node.name,
  connected: isConnected(planned.node.id),
  fromVersion: planned.fromVersion,
  changes: planned.settledGeneration === null,
  digest: planned.digest,
  errors: planned.errors,
  group: planned.group,
  kind: kindOf(planned.node),
  cordon: viewCordon(planned.node),
  willRefuse: refusing.has(planned.node.id),
})

const viewExcluded = ({ node, group, reason }: ExcludedNode) => ({
  nodeId: node.id,
  nodeName: node.name,
  group,
  reason,
})

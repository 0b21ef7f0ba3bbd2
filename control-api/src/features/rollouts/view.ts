// SPDX-License-Identifier: MIT
// Rollouts and plans as the API shows them.
import type { Scope } from '../../access/scope.ts'
import { some } from '../../api-shapes/common.ts'
import type { Reader } from '../../db/database.ts'
import type { RolloutRow } from '../../db/tables/rollouts.ts'
import { CORDONED, viewCordon } from '../../fleet/cordon.ts'
import { withoutOthers } from './own-part.ts'
import { type ExcludedNode, kindOf, type PlannedNode } from './plan/planner.ts'
import { viewPolicy } from './plan/strategy.ts'
import { approvalsOf } from './queue/store.ts'
import type { Progress } from './reducer/model.ts'
import { failsGate } from './reducer/task-states.ts'
import { countTasks, wasPassedBy } from './reducer/tasks.ts'
import { RolloutNotFound } from './shapes/errors.ts'
import type { Rollout } from './shapes/schema.ts'
import type { Arrangement } from './start.ts'
import { findRollout, policyOf, reasonOf, rolloutTouches } from './store/rollouts.ts'
import { leftOutForOf, type TaskWithName, taskCounts, tasksOf } from './store/tasks.ts'
import { type Audience, EVERYBODY, naming, rolloutsIn } from './words/audience.ts'
import { tellReason } from './words/reasons.ts'
import { taskMessage } from './words/why-words.ts'

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
  if (scope === null) return rows.map((row) => viewRollout(row, partsOf(row.id), EVERYBODY))
  const all = await taskCounts(db, ids)
  const seesRollout = await whichTouch(db, rows, scope)
  return rows.map((row) => {
    const parts = partsOf(row.id)
    const own = new Set(parts.tasks.map((task) => task.node_id))
    const isWhole = all.get(row.id) === own.size
    return viewOwnPart(row, parts, { isWhole, sees: (id) => own.has(id), seesRollout })
  })
}

/** Of the others that are spoken of: which have a node within the scope. */
async function whichTouch(
  db: Reader,
  rows: readonly RolloutRow[],
  scope: Scope,
): Promise<(id: string) => boolean> {
  const others = new Set(rows.flatMap((row) => [...blockersOf(row), ...rolloutsIn(row.reason)]))
  const visible = new Set<string>()
  for (const id of others) if (await rolloutTouches(db, id, scope)) visible.add(id)
  return (id) => visible.has(id)
}

/** Of one that has nodes outside the scope as well, only what is of the nodes inside. */
function viewOwnPart(row: RolloutRow, parts: Parts, audience: Audience): Rollout {
  const shown = viewRollout(row, parts, audience)
  const blockedBy = shown.blockedBy.filter(audience.seesRollout)
  const { hold }: Progress = JSON.parse(row.progress)
  const because = { reason: reasonOf(row), hold: hold?.kind ?? null }
  const own = audience.isWhole ? shown : withoutOthers(shown, because, audience)
  return { ...own, blockedBy, reason: naming(own.reason, audience) }
}

const blockersOf = (row: RolloutRow): string[] =>
  row.state === 'queued' ? JSON.parse(row.blocked_by) : []

type Parts = { tasks: readonly TaskWithName[]; approvals: readonly ApprovalRow[] }

function viewRollout(row: RolloutRow, parts: Parts, audience: Audience): Rollout {
  const reason = reasonOf(row)
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
    message: messageOf(task, audience),
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
    reason: tellReason(reason, audience),
    reasonCode: reason.code,
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
    blockedBy: blockersOf(row),
    createdAt: timeOf(row.created_at_ms),
    startedAt: timeOrNull(row.started_at_ms),
    endedAt: timeOrNull(row.ended_at_ms),
  }
}

function messageOf(task: TaskWithName, audience: Audience): string {
  const { state, code, message } = task
  const leftOutFor = leftOutForOf(task)
  if (audience.isWhole || leftOutFor !== null) return taskMessage({ message, leftOutFor }, audience)
  // From before that was kept apart: the message names whom it was left out for.
  const isLeftOut = state === 'skipped' && code !== null && code !== CORDONED
  return isLeftOut ? 'a node of the same kind refused the same text' : message
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

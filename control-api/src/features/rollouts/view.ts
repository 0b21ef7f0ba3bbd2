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
import type { Rollout, RolloutSummary } from './shapes/schema.ts'
import type { Arrangement } from './start.ts'
import { findRollout, policyOf, reasonOf, rolloutTouches } from './store/rollouts.ts'
import {
  leftOutForOf,
  nodesWithin,
  type TaskTotals,
  type TaskWithName,
  taskCounts,
  tasksOf,
  taskTotals,
} from './store/tasks.ts'
import { type Audience, EVERYBODY, naming, rolloutsIn } from './words/audience.ts'
import { tellReason } from './words/reasons.ts'
import { taskMessage } from './words/why-words.ts'

type ApprovalRow = Awaited<ReturnType<typeof approvalsOf>>[number]

/** Of the nodes within the scope; without one of those it is not there. Throws RolloutNotFound. */
export async function showRollout(db: Reader, id: string, scope: Scope): Promise<Rollout> {
  const row = await findRollout(db, id)
  if (!row) throw new RolloutNotFound(id)
  const tasks = await tasksOf(db, [id], scope)
  if (scope !== null && tasks.length === 0) throw new RolloutNotFound(id)
  const audience = (await audiences(db, [row], scope))(id)
  const parts = { totals: totalsOf(tasks), approvals: await approvalsOf(db, [id]) }
  return {
    ...summarize(row, parts, audience),
    waves: wavesOf(tasks),
    tasks: tasks.map((task) => viewTask(task, audience)),
  }
}

/** A page of them: what is of single nodes is asked for with each. */
export async function showRollouts(
  db: Reader,
  rows: readonly RolloutRow[],
  scope: Scope,
): Promise<RolloutSummary[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const totals = await taskTotals(db, ids, scope)
  const approvals = Map.groupBy(await approvalsOf(db, ids), (one) => one.rollout_id)
  const shownFor = await audiences(db, rows, scope)
  return rows.map((row) => {
    const parts = { totals: totals.get(row.id) ?? NO_TASKS, approvals: approvals.get(row.id) ?? [] }
    return summarize(row, parts, shownFor(row.id))
  })
}

/** Whom each is shown to; null: to somebody who sees the whole farm. */
async function audiences(
  db: Reader,
  rows: readonly RolloutRow[],
  scope: Scope,
): Promise<(id: string) => Audience> {
  if (scope === null) return () => EVERYBODY
  const ids = rows.map((row) => row.id)
  const all = await taskCounts(db, ids)
  const own = await nodesWithin(db, ids, scope)
  const seesRollout = await whichTouch(db, rows, scope)
  return (id) => {
    const seen = own.get(id) ?? new Set()
    const isWhole = all.get(id) === seen.size
    return { isWhole, sees: (nodeId) => seen.has(nodeId), seesRollout }
  }
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
function summarize(row: RolloutRow, parts: Parts, audience: Audience): RolloutSummary {
  const shown = viewSummary(row, parts, audience)
  if (audience === EVERYBODY) return shown
  const blockedBy = shown.blockedBy.filter(audience.seesRollout)
  const { hold }: Progress = JSON.parse(row.progress)
  const { settled } = parts.totals
  const because = { reason: reasonOf(row), hold: hold?.kind ?? null, settled }
  const own = audience.isWhole ? shown : withoutOthers(shown, because, audience)
  return { ...own, blockedBy, reason: naming(own.reason, audience) }
}

const blockersOf = (row: RolloutRow): string[] =>
  row.state === 'queued' ? JSON.parse(row.blocked_by) : []

type Parts = { totals: TaskTotals; approvals: readonly ApprovalRow[] }

const viewTask = (task: TaskWithName, audience: Audience): Rollout['tasks'][number] => ({
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
})

const NO_TASKS: TaskTotals = { nodes: 0, done: 0, settled: 0, pending: 0, cordoned: 0 }

/** As taskTotals has them, of tasks that are read anyhow. */
function totalsOf(tasks: readonly TaskWithName[]): TaskTotals {
  return {
    nodes: tasks.length,
    done: countTasks(tasks.filter((task) => !failsGate(task))).done,
    settled: tasks.filter(({ state }) => state === 'done').length,
    pending: countTasks(tasks).pending,
    cordoned: tasks.filter(wasPassedBy).length,
  }
}

function wavesOf(tasks: readonly TaskWithName[]): Rollout['waves'] {
  const waves = [...Map.groupBy(tasks, (task) => task.wave)].map(([index, inWave]) => ({
    index,
    nodes: inWave.length,
    done: totalsOf(inWave).done,
  }))
  return waves.toSorted((a, b) => a.index - b.index)
}

function viewSummary(row: RolloutRow, parts: Parts, audience: Audience): RolloutSummary {
  const reason = reasonOf(row)
  const policy = policyOf(row)
  const { wave, phase, soakedMs }: Progress = JSON.parse(row.progress)
  const { nodes, done, pending, cordoned } = parts.totals
  const evidence: RolloutSummary['evidence'] =
    row.evidence === null ? null : JSON.parse(row.evidence)
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
    wave,
    phase,
    soakedSeconds: soakedMs / 1000,
    policy: viewPolicy(policy),
    isFastPath: policy.isFastPath,
    planDigest: row.plan_digest,
    evidence,
    totalNodes: nodes,
    doneNodes: done,
    pendingNodes: pending,
    cordonedNodes: cordoned,
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

type Seen = {
  isConnected: (nodeId: string) => boolean
  refusing: ReadonlySet<string>
  drifted: ReadonlySet<string>
}

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

const viewPlanned = (planned: PlannedNode, { isConnected, refusing, drifted }: Seen) => ({
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
  isDrifted: drifted.has(planned.node.id),
})

const viewExcluded = ({ node, group, reason }: ExcludedNode) => ({
  nodeId: node.id,
  nodeName: node.name,
  group,
  reason,
})

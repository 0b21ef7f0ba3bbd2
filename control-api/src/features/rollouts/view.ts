// SPDX-License-Identifier: MIT
// Rollouts as the API shows them.
import type { Scope } from '../../access/scope.ts'
import type { Reader } from '../../db/database.ts'
import type { RolloutRow } from '../../db/tables/rollouts.ts'
import { readFarmRules } from '../rollout-rules/store.ts'
import { nextOpeningMs } from '../rollout-rules/windows.ts'
import { withoutOthers } from './own-part.ts'
import { viewPolicy } from './plan/strategy.ts'
import { approvalsOf } from './queue/store.ts'
import type { Progress } from './reducer/model.ts'
import { RolloutNotFound } from './shapes/errors.ts'
import { countNodes } from './shapes/reason.ts'
import type { PlannedRelease } from './shapes/release-schema.ts'
import type { Distribution, Rollout, RolloutSummary } from './shapes/schema.ts'
import { findRollout, policyOf, reasonOf, rolloutTouches } from './store/rollouts.ts'
import {
  countsOf,
  countsWithin,
  nodeCount,
  type TaskCounts,
  type TaskTotals,
  totalStandings,
  totalsOf,
} from './store/task-counts.ts'
import { soonestAwaited, whichWithin } from './store/task-pages.ts'
import { timersOf } from './timers.ts'
import { type Audience, EVERYBODY, naming, nodesIn, rolloutsIn } from './words/audience.ts'
import { tellHeadline } from './words/headline.ts'
import { tellReason } from './words/reasons.ts'

type Deps = { db: Reader; now: () => number }
type ApprovalRow = Awaited<ReturnType<typeof approvalsOf>>[number]

/** Of the nodes within the scope; without one of those it is not there. Throws RolloutNotFound. */
export async function showRollout({ db, now }: Deps, id: string, scope: Scope): Promise<Rollout> {
  const { row, counts, audience } = await seeRollout(db, id, scope)
  const states = totalStandings(counts)
  const parts = { totals: totalsOf(states), approvals: await approvalsOf(db, [id]) }
  const headline = naming(tellHeadline(reasonOf(row), audience), audience)
  const timers = row.ended_at_ms === null ? await readTimers({ db, now }, row, scope) : []
  const distributions = audience.isWhole ? distributionsIn(row) : []
  const shown = summarize(row, parts, audience)
  return { ...shown, waves: wavesOf(counts), states, headline, timers, distributions }
}

/** What was noted before there were any has none, nor had the first of them percentiles. */
function distributionsIn({ evidence }: RolloutRow): Distribution[] {
  const noted = evidence === null ? [] : (JSON.parse(evidence).distributions ?? [])
  return noted.map((one: Distribution) => ({ ...one, quantiles: one.quantiles ?? [] }))
}

function evidenceOf(row: RolloutRow): RolloutSummary['evidence'] {
  if (row.evidence === null) return null
  const { distributions: _, ...evidence } = JSON.parse(row.evidence)
  return evidence
}

async function readTimers({ db, now }: Deps, row: RolloutRow, scope: Scope) {
  const reason = reasonOf(row)
  const nowMs = now()
  const isClosed = reason.code === 'window_closed' || reason.code === 'wave_window_closed'
  const awaited = await soonestAwaited(db, { rolloutId: row.id, scope })
  const node = awaited && {
    ...{ nodeId: awaited.node_id, nodeName: awaited.name, state: awaited.state },
    leftMs: awaited.left_ms ?? 0,
  }
  return timersOf({
    ...{ state: row.state, reason, policy: policyOf(row), progress: JSON.parse(row.progress) },
    startAtMs: row.start_at_ms,
    opensAtMs: isClosed ? nextOpeningMs((await readFarmRules(db)).rules, nowMs) : null,
    node: node ?? null,
    nowMs,
  })
}

type Looked = { row: RolloutRow; counts: TaskCounts; audience: Audience }

/** With who looks at it, and how many of its nodes they see. Throws RolloutNotFound. */
export async function seeRollout(db: Reader, id: string, scope: Scope): Promise<Looked> {
  const row = await findRollout(db, id)
  const counts = row && (await countsWithin(db, [row], scope)).get(id)
  if (!row || (scope !== null && !counts)) throw new RolloutNotFound(id)
  const audience = (await audiences(db, [row], { scope, counts: new Map([[id, counts ?? {}]]) }))(
    id,
  )
  return { row, counts: counts ?? {}, audience }
}

/** A page of them: what is of single nodes is asked for with each. */
export async function showRollouts(
  db: Reader,
  rows: readonly RolloutRow[],
  scope: Scope,
): Promise<RolloutSummary[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const counts = await countsWithin(db, rows, scope)
  const approvals = Map.groupBy(await approvalsOf(db, ids), (one) => one.rollout_id)
  const shownFor = await audiences(db, rows, { scope, counts })
  return rows.map((row) => {
    const totals = totalsOf(totalStandings(counts.get(row.id) ?? {}))
    return summarize(row, { totals, approvals: approvals.get(row.id) ?? [] }, shownFor(row.id))
  })
}

type Within = { scope: Scope; counts: ReadonlyMap<string, TaskCounts> }

/** Whom each is shown to; null: to somebody who sees the whole farm. */
async function audiences(
  db: Reader,
  rows: readonly RolloutRow[],
  { scope, counts }: Within,
): Promise<(id: string) => Audience> {
  if (scope === null) return () => EVERYBODY
  const whole = new Set(
    rows.flatMap((row) =>
      nodeCount(countsOf(row)) === nodeCount(counts.get(row.id) ?? {}) ? [row.id] : [],
    ),
  )
  const named = rows.flatMap(({ reason }) => nodesIn(reason))
  const seen = await whichWithin(db, named, scope)
  const seesRollout = await whichTouch(db, rows, scope)
  return (id) => ({ isWhole: whole.has(id), sees: (nodeId) => seen.has(nodeId), seesRollout })
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

const wavesOf = (counts: TaskCounts): Rollout['waves'] =>
  Object.entries(counts)
    .map(([wave, states]) => {
      const { nodes, done } = totalsOf(states)
      return { index: Number(wave), nodes, done, states }
    })
    .toSorted((a, b) => a.index - b.index)

function viewSummary(row: RolloutRow, parts: Parts, audience: Audience): RolloutSummary {
  const reason = reasonOf(row)
  const policy = policyOf(row)
  const { wave, phase, soakedMs, files }: Progress = JSON.parse(row.progress)
  const { nodes, done, pending, cordoned } = parts.totals
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
    filesFirst: viewFiles(phase, files),
    soakedSeconds: soakedMs / 1000,
    policy: viewPolicy(policy),
    isFastPath: policy.isFastPath,
    planDigest: row.plan_digest,
    releases: releasesOf(row),
    evidence: evidenceOf(row),
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

function viewFiles(
  phase: Progress['phase'],
  files: Progress['files'],
): RolloutSummary['filesFirst'] {
  if (!files?.now) return null
  const { heldNodes, refusedNodes, otherNodes, waiting, refusals } = files.now
  return {
    isOver: phase !== 'files',
    ...{ heldNodes, refusedNodes, otherNodes },
    waitingNodes: countNodes(waiting),
    refusals: refusals.map(({ node, errorCode, message }) => ({
      ...{ nodeId: node.id, nodeName: node.name, code: errorCode, message },
    })),
  }
}

/** What it changes is in the rows since plans say it. */
const releasesOf = ({ releases }: RolloutRow): PlannedRelease[] =>
  (JSON.parse(releases) as PlannedRelease[]).map((one) => ({
    ...one,
    changes: one.changes ?? null,
  }))

const timeOf = (ms: number) => new Date(ms).toISOString()
const timeOrNull = (ms: number | null) => (ms === null ? null : timeOf(ms))

// SPDX-License-Identifier: MIT
// Takes an order: planned outside, stored and brought into the queue in one transaction. Whose turn it is at
// once begins in it.
import { nodeIsWithin, OutsideScope, type Scope, scopeText } from '../../access/scope.ts'
import { VersionNotFound } from '../../api-shapes/errors.ts'
import { readSelector } from '../../api-shapes/selector.ts'
import type { OnOverlap } from '../../api-shapes/states.ts'
import { assignmentsByDigest, keyOf } from '../../assignments/store.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { newId } from '../../base/ids.ts'
import { inSlices, nextTurn } from '../../base/slices.ts'
import { InRecovery } from '../../control-plane/recovery.ts'
import type { Reader } from '../../db/database.ts'
import type { RolloutRow } from '../../db/tables/rollouts.ts'
import type { ReadGrouping } from '../../fleet/config-ports.ts'
import { cordonOf } from '../../fleet/cordon.ts'
import { isInside, type Selector } from '../../labels/selector.ts'
import { NodeCheckUnavailable } from '../../node-check/errors.ts'
import type { ChangesOf } from '../../release-store/changes.ts'
import { readFarmRules } from '../rollout-rules/store.ts'
import { whyClosed } from '../rollout-rules/windows.ts'
import type { Engine } from './engine/engine.ts'
import { whyUnclear } from './gates/clear.ts'
import { emergencyStrategy } from './plan/emergency.ts'
import {
  type Arrangement,
  type CheckFor,
  isSameFleet,
  kindOf,
  type Plan,
  type PlannedNode,
  plannedFleet,
  planRollout,
} from './plan/planner.ts'
import type { Following } from './plan/plans-under-way.ts'
import { chosenReleases, newOf, plannedReleases } from './plan/releases.ts'
import { type Arranged, arrange, domainOf, planDigestOf } from './plan/strategy.ts'
import type { WaveNode } from './plan/waves.ts'
import { claimsOn, waitingRows } from './queue/store.ts'
import { firstProgress, isWaiting, type Task, WAITING } from './reducer/model.ts'
import { MAX_WAITING } from './reducer/queue.ts'
import {
  AtOnceAlone,
  EmergencyStartsNow,
  FleetChanged,
  GatesUnclear,
  NoNodes,
  NoSuchNodes,
  PlanChanged,
  QueueFull,
  RolloutActive,
  RolloutInvalid,
  StartPast,
  StartTooFar,
} from './shapes/errors.ts'
import type { Reason } from './shapes/reason.ts'
import type { Strategy } from './shapes/schema.ts'
import type { FleetNode } from './store/nodes.ts'
import { completeDraft, findRollout, insertRollout, removeDrafts } from './store/rollouts.ts'
import { countTasksByWave } from './store/task-counts.ts'
import { insertTasks, type NewTask } from './store/tasks.ts'

export type StartDeps = {
  db: Reader
  write: Write
  now: () => number
  engine: Pick<Engine, 'advanceQueue' | 'remember'>
  checkFor: CheckFor
  readGrouping: ReadGrouping
  findVersionText: (config: string, version: number) => Promise<string | null>
  /** The versions of the config that were released last, newest first. */
  lastReleases: (config: string, most: number) => Promise<number[]>
  isConnected: (nodeId: string) => boolean
  changesOf: ChangesOf
  /** Requests per second, lately; a node that was not measured is absent. */
  throughputOf: (nodeIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
}
type Ordered = {
  config: string
  version: number
  selector: string
  scope: Scope
  /** Versions of releases by name; of the others what was proved last, or the newest. */
  releases?: Readonly<Record<string, number>> | undefined
  /** Ids of the nodes it is for alone; left out: all that the config and the selector go to. */
  nodes?: readonly string[] | undefined
  strategy?: Strategy | undefined
  startAtMs?: number | undefined
  allowEmpty?: boolean | undefined
  /** Why it goes before everything else. */
  emergency?: string | undefined
  /** Left out: queue. */
  onOverlap?: OnOverlap | undefined
}
type Follow = (work: (following?: Following) => Promise<Arrangement>) => Promise<Arrangement>
type Order = Ordered & {
  message: string
  author: { id: string | null; username: string }
  /** Of the plan that was looked at; undefined: nobody did. */
  planDigest?: string | undefined
}

/** Nodes may change while the binary checks; then the plan is made again, but not for ever. */
const ATTEMPTS = 3

/** What succeeded so lately may come back faster. */
const FAST_PATH_RELEASES = 3

export async function planVersion(
  deps: StartDeps,
  ordered: Ordered,
  following?: Following,
): Promise<Arrangement> {
  const { config, version, selector, scope, emergency } = ordered
  requireSense(ordered, deps.now())
  const { strategy: asked = {} } = ordered
  const strategy = emergency === undefined ? asked : emergencyStrategy(asked)
  const within = readSelector(selector)
  requireInside(within, scope)
  const text = await deps.findVersionText(config, version)
  if (text === null) throw new VersionNotFound(config, version)
  const { excludeKinds = [] } = strategy
  const nodeIds = ordered.nodes && new Set(ordered.nodes)
  const chosen = await chosenReleases(deps.db, ordered.releases)
  const wanted = { config, text, releases: chosen, selector: within, nodeIds, excludeKinds }
  const plan = await planRollout(deps, wanted, { ...(following && { following }) })
  refuseUnknown(plan, ordered.nodes ?? [], scope)
  refuseNodesOutside(
    plan.nodes.map(({ node }) => node),
    scope,
  )
  const releases = await plannedReleases(deps, plan.nodes, chosen)
  const isStill = await whoStaysAsItIs(deps, ordered, plan.nodes)
  const changing = plan.nodes.filter((planned) => !isStill(planned) && planned.node.cordon === null)
  const recent = await deps.lastReleases(config, FAST_PATH_RELEASES)
  const isKnown = recent.includes(version) && !(await bringsUnseenParts(deps.db, changing))
  const isFastPath = emergency === undefined && isKnown
  const nodes = await waveNodes(deps, changing, strategy)
  const first = arrange(nodes, strategy, {
    ...{ isFastPath, isAlone: plan.nodes.length === 1 },
    bringsFiles: newOf(releases).length > 0,
  })
  // Should such a node have to change after all, or its cordon end, it is behind those that prove something.
  const last = first.waves - 1
  const waveOf = new Map(plan.nodes.map(({ node: { id } }) => [id, first.waveOf.get(id) ?? last]))
  const arranged = { ...first, waveOf }
  const targets = plan.nodes.map(({ node, digest }) => ({
    nodeId: node.id,
    digest,
    isCordoned: node.cordon !== null,
  }))
  const planDigest = await planDigestOf({ config, version }, arranged, targets)
  const weights = new Map(nodes.map((node) => [node.id, node]))
  const isEmpty = matchesNone(plan, selector)
  return { ...plan, arranged, weights, planDigest, releases, matchesNone: isEmpty }
}

/** A version that was well may not be with a certificate or a release that nobody has seen yet. */
async function bringsUnseenParts(db: Reader, changing: readonly PlannedNode[]) {
  const wanted = changing
    .filter(({ certificates, releases }) => certificates.length + releases.length > 0)
    .map(({ node, digest }) => ({ nodeId: node.id, digest: digest ?? '' }))
  const given = await assignmentsByDigest(db, wanted)
  return wanted.some((one) => given.get(keyOf(one))?.state !== 'confirmed')
}

/** A farm without nodes may have a release for the first; a slip in a selector must not be one. */
const matchesNone = ({ nodes, excluded }: Plan, selector: string) =>
  nodes.length === 0 && (selector !== '' || excluded.length > 0)

/** Whether there is a node outside the scope is told by no answer: neither by another refusal nor by a count. */
function refuseUnknown({ nodes, excluded }: Plan, named: readonly string[], scope: Scope): void {
  const all = [...nodes, ...excluded].map(({ node }) => node)
  const known = new Set(all.filter((node) => nodeIsWithin(scope, node)).map(({ id }) => id))
  const unknown = named.filter((id) => !known.has(id))
  if (unknown.length > 0) throw new NoSuchNodes(unknown)
}

const YEAR_DAYS = 365
/** Clocks differ, and orders take their way: so lately means now. */
const LATELY_MS = 60_000

function requireSense({ startAtMs, emergency, onOverlap, strategy }: Ordered, nowMs: number): void {
  if (emergency !== undefined && (startAtMs !== undefined || onOverlap !== undefined)) {
    throw new EmergencyStartsNow()
  }
  const isTooFar = startAtMs !== undefined && startAtMs > nowMs + YEAR_DAYS * 86_400_000
  if (isTooFar) throw new StartTooFar(YEAR_DAYS)
  const isPast = startAtMs !== undefined && startAtMs < nowMs - LATELY_MS
  if (isPast) throw new StartPast(timeOf(startAtMs), timeOf(nowMs))
  const { atOnce, excludeKinds: _, ...others } = strategy ?? {}
  const said = Object.keys(others)
  if (atOnce && said.length > 0) throw new AtOnceAlone(said)
  const unclear = whyUnclear(strategy?.gates ?? [])
  if (unclear !== null) throw new GatesUnclear(unclear)
}

/**
 * Only what changes proves anything. What runs the version stays as it is, unless the order waits, or waits
 * its turn behind another that has the node: then it may run another one by the time.
 */
async function whoStaysAsItIs(
  { db, now }: StartDeps,
  { startAtMs = 0, emergency, onOverlap }: Ordered,
  nodes: readonly PlannedNode[],
): Promise<(planned: PlannedNode) => boolean> {
  const isSettled = ({ settledGeneration }: PlannedNode) => settledGeneration !== null
  if (emergency !== undefined) return isSettled
  const { rules } = await readFarmRules(db)
  const waits = rules.approvals > 0 || startAtMs > now() || whyClosed(rules, now()) !== null
  if (waits) return () => false
  if (onOverlap === 'supersede') return isSettled
  const settled = nodes.filter(isSettled).map(({ node }) => node.id)
  const claimed = (await claimsOn(db, settled, WAITING)).nodeIds
  return (planned) => isSettled(planned) && !claimed.has(planned.node.id)
}

async function waveNodes(
  { isConnected, throughputOf }: StartDeps,
  changing: readonly PlannedNode[],
  strategy: Strategy,
): Promise<WaveNode[]> {
  const throughput = await throughputOf(changing.map(({ node }) => node.id))
  // What surely changes goes before what may.
  const surelyFirst = changing.toSorted(
    (a, b) => Number(a.settledGeneration !== null) - Number(b.settledGeneration !== null),
  )
  return surelyFirst.map(({ node }) => ({
    id: node.id,
    throughput: throughput.get(node.id) ?? null,
    kind: kindOf(node),
    domain: domainOf(node.labels, strategy),
    isConnected: isConnected(node.id),
  }))
}

/** `follow`: has the plan made, for who wants to see how far it is; left out: nobody does. */
export async function startRollout(
  deps: StartDeps,
  order: Order,
  follow: Follow = (work) => work(),
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const plan = await follow((following) => planVersion(deps, order, following))
    if (plan.matchesNone && !order.allowEmpty) {
      const within = plan.excluded.filter(({ node }) => nodeIsWithin(order.scope, node))
      throw new NoNodes(order.selector, within.length)
    }
    refuseBadPlan(plan.nodes)
    if (order.planDigest !== undefined && order.planDigest !== plan.planDigest) {
      throw new PlanChanged(order.planDigest, plan.planDigest)
    }
    const prepared = await prepare(deps, plan)
    const isLarge = plan.nodes.length > STORED_AT_A_TIME
    const id = isLarge
      ? await storeInParts(deps, order, prepared)
      : await deps.write((unit) => store(deps, unit, order, prepared))
    if (id !== null) return id
  }
  throw new FleetChanged()
}

const timeOf = (ms: number) => new Date(ms).toISOString()

/** Who starts it must have in their scope all that it reaches. */
function refuseNodesOutside(nodes: readonly FleetNode[], scope: Scope): void {
  if (nodes.some((node) => !nodeIsWithin(scope, node))) throw outside(scope)
}

/** Before a node is looked at: which others there are is not to be found out by asking. */
function requireInside(selector: Selector, scope: Scope): void {
  if (scope !== null && !isInside(selector, scope)) throw outside(scope)
}

const outside = (scope: Scope) =>
  new OutsideScope(
    `the order’s selector must stay inside: "${scopeText(scope)}", or that and more`,
    scope,
  )

function refuseBadPlan(plan: readonly PlannedNode[]): void {
  const unavailable = plan.find((planned) => planned.unavailable !== null)?.unavailable
  if (unavailable) throw new NodeCheckUnavailable(unavailable)
  const bad = plan.filter((planned) => planned.digest === null)
  if (bad.length === 0) return
  const names = bad.slice(0, 3).map(({ node }) => node.name)
  const more = bad.length > names.length ? ` and ${bad.length - names.length} more` : ''
  throw new RolloutInvalid(`${names.join(', ')}${more}`).withErrors(bad[0]?.errors ?? [])
}

/** Rows of nodes in one transaction. */
const STORED_AT_A_TIME = 500

/** A plan with what of all its nodes is known before the transaction, so that it does not take its time. */
type Prepared = Arrangement & {
  tasks: readonly Task[]
  named: ReturnType<typeof namedIn>
  counts: string
  /** Stands for the nodes that there were. */
  fleet: string
}

export async function prepare(
  { isConnected }: Pick<StartDeps, 'isConnected'>,
  plan: Arrangement,
): Promise<Prepared> {
  const tasks: Task[] = []
  for (const some of inSlices(plan.nodes, STORED_AT_A_TIME)) {
    await nextTurn()
    for (const planned of some) tasks.push(asTask(planned, plan.arranged, isConnected))
  }
  await nextTurn()
  const counts = JSON.stringify(countTasksByWave(tasks))
  return { ...plan, tasks, named: namedIn(plan), counts, fleet: plannedFleet(plan) }
}

/** null: the fleet is another one by now. */
export async function store(
  deps: StartDeps,
  unit: Unit,
  order: Order,
  plan: Prepared,
): Promise<string | null> {
  if (!(await isStillSo(deps, unit, plan))) return null
  const row = await rowOf(deps, unit.trx, order, plan)
  await insertRollout(unit.trx, row)
  await insertTasks(unit.trx, row, plan.nodes.map(toTaskOf(plan)))
  await accept(deps, unit, { order, plan, row })
  return row.id
}

/**
 * A large order is a draft until it is whole: nobody takes it up before. What a crash leaves of it is taken back with
 * the next start.
 */
async function storeInParts(deps: StartDeps, order: Order, plan: Prepared): Promise<string | null> {
  const { db, write } = deps
  const draft: RolloutRow = { ...(await rowOf(deps, db, order, plan)), state: 'draft' }
  await write(({ trx }) => insertRollout(trx, draft))
  try {
    for (const some of inSlices(plan.nodes, STORED_AT_A_TIME)) {
      await nextTurn()
      const tasks = some.map(toTaskOf(plan))
      await write(({ trx }) => insertTasks(trx, draft, tasks))
    }
    await nextTurn()
    await write(async (unit) => {
      if (!(await isStillSo(deps, unit, plan))) throw new FleetChanged()
      const row = { ...(await rowOf(deps, unit.trx, order, plan)), id: draft.id }
      await completeDraft(unit.trx, row)
      await accept(deps, unit, { order, plan, row })
    })
    return draft.id
  } catch (error) {
    await write(({ trx }) => removeDrafts(trx, draft.id))
    if (error instanceof FleetChanged) return null
    throw error
  }
}

async function isStillSo({ readGrouping }: StartDeps, { trx }: Unit, plan: Prepared) {
  return await isSameFleet(trx, plan, await readGrouping(trx))
}

const rowOf = async ({ now }: StartDeps, db: Reader, order: Order, plan: Prepared) =>
  toRow(order, plan, { nowMs: now(), ...(await readFarmRules(db)) })

type Stored = { order: Order; plan: Prepared; row: RolloutRow }

async function accept(deps: StartDeps, unit: Unit, { order, plan, row }: Stored): Promise<void> {
  const { id, config, version, selector, message, author, emergency, on_overlap: onOverlap } = row
  deps.engine.remember(unit, id, plan.tasks)
  const asked = { config, version, selector, message, onOverlap, emergency }
  const { policy } = plan.arranged
  const frozen = { planDigest: plan.planDigest, releases: plan.releases }
  const about = { ...asked, ...frozen, startAtMs: row.start_at_ms, policy }
  const data = { ...about, ...plan.named }
  await unit.emit({ kind: 'rollout', id, action: 'created', actor: author, data })
  await deps.engine.advanceQueue(unit)
  await requireTaken(unit.trx, id, order)
}

/** The rollout itself keeps what each node is to get: a row of the audit is no place for ten thousand. */
function namedIn({ nodes }: Arrangement) {
  if (nodes.length <= STORED_AT_A_TIME)
    return { nodes: nodes.map(({ node, digest }) => ({ nodeId: node.id, digest })) }
  const digests = [...Map.groupBy(nodes, ({ digest }) => digest)]
    .map(([digest, of]) => ({ digest, nodes: of.length }))
    .toSorted((a, b) => b.nodes - a.nodes)
  return { nodeCount: nodes.length, digests: digests.slice(0, STORED_AT_A_TIME) }
}

type Ruled = Awaited<ReturnType<typeof readFarmRules>> & { nowMs: number }

function toRow(order: Order, plan: Prepared, ruled: Ruled): RolloutRow {
  const { arranged, planDigest, counts } = plan
  const { config, version, selector, scope, author, message, onOverlap, emergency = null } = order
  const { nowMs, rules } = ruled
  const approvals = emergency === null ? rules.approvals : 0
  const { policy, waves } = arranged
  return {
    id: newId('rollout'),
    config,
    version,
    previous_version: null,
    state: 'planned',
    state_version: 1,
    reason: JSON.stringify({ code: 'planned' } satisfies Reason),
    selector,
    names_nodes: order.nodes === undefined ? 0 : 1,
    strategy: JSON.stringify(order.strategy ?? {}),
    author: author.username,
    author_id: author.id,
    scope: scopeText(scope),
    message,
    created_at_ms: nowMs,
    started_at_ms: null,
    ended_at_ms: null,
    policy: JSON.stringify(policy),
    plan_digest: planDigest,
    releases: JSON.stringify(plan.releases),
    progress: JSON.stringify(firstProgress(waves, policy)),
    evidence: null,
    on_overlap: onOverlap ?? 'queue',
    start_at_ms: order.startAtMs ?? null,
    approvals_needed: approvals,
    approve_by_ms: approvals > 0 ? nowMs + rules.approvalHours * 3_600_000 : null,
    emergency,
    place: null,
    blocked_by: '[]',
    counts,
    tasks_version: 0,
  }
}

/** What was decided of it, at once, may be that it is not to be: then nothing of it stays. */
async function requireTaken(db: Reader, id: string, { scope, onOverlap, emergency }: Order) {
  const row = await findRollout(db, id)
  if (!row || row.state === 'planned') throw new InRecovery()
  const [blocker]: string[] = JSON.parse(row.blocked_by)
  if (row.state === 'cancelled' && blocker) throw await activeError(db, blocker)
  const takesOver = onOverlap === 'supersede' || emergency !== undefined
  if (row.state === 'queued' && takesOver) {
    throw new OutsideScope('what it would end reaches nodes that are not', scope)
  }
  if (isWaiting(row.state) && (await waitingRows(db)).length > MAX_WAITING) {
    throw new QueueFull(MAX_WAITING)
  }
}

async function activeError(db: Reader, id: string) {
  const row = await findRollout(db, id)
  const what = row ? `${row.config} version ${row.version}` : 'gone'
  return new RolloutActive(id, what, row?.state ?? 'gone').withMembers({ rolloutId: id })
}

/** As the reducer knows it, before anything has become of it. */
const asTask = (
  { node, digest }: PlannedNode,
  { waveOf }: Arranged,
  isConnected: (nodeId: string) => boolean,
): Task => ({
  ...{ nodeId: node.id, nodeName: node.name, wave: waveOf.get(node.id) ?? 0, state: 'pending' },
  ...{ generation: null, digest: digest ?? '', previous: null, code: null, message: '' },
  ...{ leftOutFor: null, errors: [], deadlineMs: null, offers: 0, flaps: 0, refusals: 0 },
  ...{ kind: kindOf(node), policyRules: node.policy_rules, isExcused: false },
  ...{ isConnected: isConnected(node.id), cordon: cordonOf(node) },
})

const toTaskOf =
  ({ arranged: { waveOf } }: Arrangement) =>
  ({ node, group, text, textId, digest, configDigest, ...parts }: PlannedNode): NewTask => ({
    node_id: node.id,
    wave: waveOf.get(node.id) ?? 0,
    digest: digest ?? '',
    config_digest: configDigest === digest ? null : configDigest,
    certificates: parts.certificates,
    releases: parts.releases,
    group_name: group,
    kind: kindOf(node),
    policy_rules: node.policy_rules,
    text,
    textId,
  })

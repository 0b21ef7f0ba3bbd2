// SPDX-License-Identifier: MIT
// Runs the reducer over the database: loads a rollout, reduces, stores what changed with an event row
// per transition, then acts on the effects, all in one transaction. What leaves the process (waking a
// node) happens after the commit, and is safe to lose: the node asks again.
import { knownDrift } from '../../../assignments/drift.ts'
import type { Unit, Write } from '../../../audit/write.ts'
import { inSlices, nextTurn } from '../../../base/slices.ts'
import type { Reader } from '../../../db/database.ts'
import type { Releases, RolloutEngine } from '../../../fleet/agent-ports.ts'
import type { ReleasesAhead } from '../../../fleet/ahead.ts'
import type { Connected } from '../../../fleet/connections.ts'
import { targetOf } from '../../../labels/grouping.ts'
import { targetColumns } from '../../../node-identity/store/nodes.ts'
import { closedAt } from '../../rollout-rules/windows.ts'
import { type Approval, noteApproval } from '../queue/approvals.ts'
import { createQueue } from '../queue/queue.ts'
import { type Action, whyNot } from '../reducer/commands.ts'
import { countFiles } from '../reducer/files-first.ts'
import {
  type Command,
  type FilesNow,
  isTerminal,
  isWaiting,
  NODES_AT_ONCE,
  type Outcome,
  type Rollout,
  type RolloutEvent,
  type Task,
} from '../reducer/model.ts'
import { taskOf } from '../reducer/places.ts'
import { mayKeep, reduce } from '../reducer/rules.ts'
import { NotNow, RolloutEnded, RolloutNotFound, StaleState } from '../shapes/errors.ts'
import type { NodeRef } from '../shapes/reason.ts'
import type { Distribution, Evidence, OnFailure } from '../shapes/schema.ts'
import { isLeased } from '../store/leases.ts'
import {
  awaitingRollouts,
  gatedRollouts,
  isGoingBack,
  type Loaded,
  loadRollout,
  removeDrafts,
  rolloutsToGoOn,
  rolloutsUnderWay,
  sharingRollouts,
  timedRollouts,
  unfinishedRollouts,
} from '../store/rollouts.ts'
import { createTaskMemory, type TaskMemory } from '../store/task-memory.ts'
import { deferringRollouts, givenText, isAnythingAwaited, openTasksOf } from '../store/tasks.ts'
import { toNodeEvents, toRolloutEvent } from './agent-events.ts'
import { createAheadLists } from './ahead-lists.ts'
import { createEffects, type EffectDeps } from './effects.ts'
import { createHeld, isQuiet } from './held.ts'
import { createNewcomers, type NewcomerDeps } from './newcomers.ts'
import { createPassingTime, type Late } from './passing-time.ts'
import { createRest } from './rest.ts'
import { createSteps } from './steps.ts'
import { eventOf } from './transition-events.ts'

type OwnDeps = {
  db: Reader
  write: Write
  now: () => number
  errorsForAuthor: Releases['errorsForAuthor']
  connected: Connected
  ahead: Pick<ReleasesAhead, 'set' | 'knows' | 'stateOf'>
  isStorageFull: () => boolean
  /** Left out: one of its own. */
  memory?: TaskMemory
  /** For the simulation: smaller parts, each only when `goOn` says so. */
  cut?: { nodesAtOnce: number }
}
type Deps = OwnDeps & EffectDeps & NewcomerDeps

type Found = {
  wave: number
  onFail: OnFailure
  evidence: Evidence
  /** What it was drawn from, for who looks. */
  distributions?: readonly Distribution[]
  /** Of whom nothing was measured, when that is what the evidence says. */
  silent?: readonly NodeRef[]
}
type Reported = NonNullable<ReturnType<typeof toRolloutEvent>>
type Nacked = Extract<RolloutEvent, { kind: 'nacked' }>

export type Engine = RolloutEngine & {
  /** What an order's tasks are, as it is stored: so that nobody has to read them. In their order. */
  remember(unit: Unit, rolloutId: string, tasks: readonly Task[]): void
  /** New orders are in the line: all whose turn it is begin. */
  advanceQueue(unit: Unit): Promise<void>
  /** Somebody other than its author agrees to its plan. */
  approve(rolloutId: string, approval: Approval, stateVersion: number): Promise<void>
  /** What an operator wants of it, who has seen it in that state. */
  obey(rolloutId: string, command: Command, stateVersion: number): Promise<void>
  /** Under way, with gates: as of the last commit. */
  gated(): Promise<Loaded[]>
  /** What the gates of a wave say, with what it rests on. */
  evaluated(rolloutId: string, found: Found): Promise<void>
  /** Measurements say that a node with the version is not well. */
  ill(rolloutId: string, found: { nodeId: string; gate: string; message: string }): Promise<void>
  /** Ends all that are under way or wait; nodes keep what they have. */
  freezeAll(actor: string): Promise<void>
  /** A recovery is confirmed: who returned meanwhile has its turn now. */
  offerHeld(): Promise<void>
  /** Time has passed, on a clock that never jumps. Runs every second while anything is awaited. */
  tick(elapsedMs: number): Promise<void>
  /** Nodes can reach us again, after a start or a standstill: gives them their time anew. */
  heardAgain(): Promise<void>
  /** Of what was decided for many nodes the next part: by itself, but in the simulation. */
  goOn(rolloutId: string): Promise<void>
  /** Of those for whom time passes the next part: by itself, but in the simulation. */
  letMorePass(): Promise<void>
  /** What was decided for many nodes is done for all of them, or cannot go on now. */
  rested(): Promise<void>
  /** The disk is full: all that are under way are held, until somebody resumes them. */
  storageFull(): Promise<void>
}

export function createEngine(deps: Deps): Engine {
  const { db, write, now, assignments, errorsForAuthor, readGrouping, versionText } = deps
  const { connected, ahead, isStorageFull, memory = createTaskMemory() } = deps
  const { nodesAtOnce } = deps.cut ?? { nodesAtOnce: NODES_AT_ONCE }
  const lateAtOnce = deps.cut ? Number.POSITIVE_INFINITY : LATE_AT_ONCE
  let lateWork: Promise<void> | null = null
  /** Of this process: orders that the one before was about to store. */
  let isStart = true
  const queue = createQueue({ ...deps, load, apply, nodesAtOnce })
  const lists = createAheadLists({ db, ahead })
  const rest = createRest((rolloutId) => write((unit) => goOn(unit, rolloutId)))
  const { follow, store, giveMore } = createSteps({
    ...{ now, assignments, memory, lists, act: createEffects(deps) },
    giveNewcomers: createNewcomers(deps, nodesAtOnce),
    goOnLater: deps.cut ? null : rest.add,
  })
  const held = createHeld(store)
  const time = createPassingTime({
    ...{ write, memory, finish: timeHasPassed },
    ...{ atOnce: deps.cut?.nodesAtOnce ?? TIMED_AT_ONCE, isCut: deps.cut !== undefined },
  })

  async function goOn(unit: Unit, rolloutId: string): Promise<void> {
    const loaded = await load(unit, rolloutId)
    if (!loaded) return
    const { unfinished, newcomersTo } = loaded.rollout.progress
    if (newcomersTo !== undefined && !assignments.isHeld()) {
      await giveMore(unit, loaded, newcomersTo)
      return
    }
    if (!unfinished) return
    const event: RolloutEvent =
      loaded.rollout.progress.begunTo === undefined
        ? { kind: 'goes-on' }
        : await queue.beginMore(unit, loaded)
    await settle(unit, loaded, event, unfinished.actor ?? undefined)
  }

  /** After a crash, or when what held them is over. */
  async function goOnWithAll(): Promise<void> {
    if (deps.cut) return
    for (const rolloutId of await rolloutsToGoOn(db)) rest.add(rolloutId)
  }

  /** Returns of a large one whom it was not done for. */
  async function hearAgain(unit: Unit, rolloutId: string): Promise<string[]> {
    const loaded = await load(unit, rolloutId)
    if (!loaded) return []
    const ids = loaded.rollout.tasks.map(({ nodeId }) => nodeId)
    const first = { nodeIds: ids.slice(0, TIMED_AT_ONCE), isFirst: true }
    const isWhole = ids.length <= TIMED_AT_ONCE
    await settle(unit, loaded, { kind: 'heard-again', ...(!isWhole && first) })
    return ids.slice(TIMED_AT_ONCE)
  }

  /** Whose time was over when it passed: unless they have answered since. */
  async function overrun(unit: Unit, late: readonly Late[]): Promise<void> {
    for (const { rolloutId, nodeId, dueMs } of late) {
      const loaded = await load(unit, rolloutId)
      const deadlineMs = loaded && taskOf(loaded.rollout.tasks, nodeId)?.deadlineMs
      if (!loaded || !deadlineMs || deadlineMs > dueMs) continue
      await settle(unit, loaded, { kind: 'deadline', nodeId })
    }
  }

  async function overrunInParts(late: readonly Late[]): Promise<void> {
    for (const some of inSlices(late, lateAtOnce)) {
      await nextTurn()
      await write((unit) => overrun(unit, some))
    }
  }

  /** For whom it is time now, by the clock or by what others leave. */
  async function dueNow(reader: Reader) {
    const timed = await timedRollouts(reader)
    const sharing = await sharingRollouts(reader)
    return { timed, sharing, isTurn: await queue.isDue(reader) }
  }

  /** It has, for all whose next step is awaited. */
  async function timeHasPassed(unit: Unit, ms: number, late: readonly Late[]): Promise<void> {
    const { timed, sharing, isTurn } = await dueNow(unit.trx)
    await overrun(unit, late.slice(0, lateAtOnce))
    for (const rolloutId of timed) await dispatch(unit, rolloutId, { kind: 'elapsed', ms })
    for (const rolloutId of sharing) await dispatch(unit, rolloutId, { kind: 'room' })
    if (isTurn) await queue.advance(unit)
    // They are many when a network fails. The clock goes on meanwhile; what fails comes again with its next tick.
    const others = late.slice(lateAtOnce)
    if (others.length === 0) return
    unit.afterCommit(() => {
      lateWork ??= overrunInParts(others)
        .catch(() => {})
        .finally(() => {
          lateWork = null
        })
    })
  }

  async function load(unit: Unit, rolloutId: string): Promise<Loaded | null> {
    await held.write(unit)
    const known = memory.tasksOf(unit, rolloutId)
    const loaded = await loadRollout(unit.trx, rolloutId, connected, known)
    if (!loaded) return null
    const { row, rollout, rules } = loaded
    memory.keep(unit, rolloutId, rollout.tasks)
    const closed = row.emergency !== null ? null : closedAt(rules, now())
    const ofNow = { closed, isStorageFull: isStorageFull(), nodesAtOnce }
    return { row, rollout: { ...rollout, ...ofNow } }
  }

  function filesOf(rolloutId: string, { progress, tasks }: Rollout): FilesNow | null {
    if (progress.phase !== 'files' || !ahead.knows(rolloutId)) return null
    return countFiles(tasks, (nodeId) => ahead.stateOf(rolloutId, nodeId))
  }

  async function mustLoad(unit: Unit, rolloutId: string): Promise<Loaded> {
    const loaded = await load(unit, rolloutId)
    if (!loaded) throw new RolloutNotFound(rolloutId)
    return loaded
  }

  async function dispatch(unit: Unit, rolloutId: string, event: RolloutEvent, actor?: string) {
    const loaded = await load(unit, rolloutId)
    if (!loaded) return
    // Of ten thousand it takes some milliseconds: the clock looks, and nobody else.
    const filesNow = event.kind === 'elapsed' ? filesOf(rolloutId, loaded.rollout) : null
    const { row, rollout } = loaded
    await settle(unit, { row, rollout: { ...rollout, filesNow } }, event, actor)
  }

  /** What a node said of its own task: of many in a transaction most change nothing else. */
  async function hear(unit: Unit, rolloutId: string, event: RolloutEvent, actor: string) {
    const loaded = held.of(unit, rolloutId) ?? (await load(unit, rolloutId))
    if (!loaded) return
    const { row, rollout: before } = loaded
    const outcome = reduce(before, event)
    if (isQuiet(before, outcome)) {
      const { rollout: after, transitions } = outcome
      if (after === before) return
      memory.keep(unit, rolloutId, after.tasks)
      held.keep(unit, loaded, after)
      const { tasks } = after
      await unit.emitAll(transitions.map((one) => eventOf(row, one, { tasks, actor })))
      return
    }
    const stored = (await held.stored(unit, rolloutId)) ?? loaded
    await followed(unit, stored, outcome, actor)
  }

  /** Each in a transaction of its own: together they may have every node of the farm. */
  async function forEach(rolloutIds: readonly string[], event: RolloutEvent): Promise<void> {
    for (const rolloutId of rolloutIds) {
      await nextTurn()
      await write((unit) => dispatch(unit, rolloutId, event))
    }
  }

  const settle = (unit: Unit, loaded: Loaded, event: RolloutEvent, actor?: string) =>
    followed(unit, loaded, reduce(loaded.rollout, event), actor)

  /** What is over for one may be the turn of another. */
  async function followed(unit: Unit, loaded: Loaded, outcome: Outcome, actor?: string) {
    const after = await follow(unit, loaded, outcome, actor)
    if (after.rollout.state !== loaded.rollout.state) await queue.advance(unit)
    return after
  }

  /** Effects may lead to further events; they go on from what was stored. */
  async function apply(
    unit: Unit,
    loaded: Loaded,
    event: RolloutEvent,
    actor?: string,
  ): Promise<Loaded> {
    return await follow(unit, loaded, reduce(loaded.rollout, event), actor)
  }

  /** A refusal's places lead to the editor, which holds the version's text, not the node's. */
  async function placedForAuthor(unit: Unit, rolloutId: string, nack: Nacked): Promise<Nacked> {
    const loaded = await load(unit, rolloutId)
    const node = await targetColumns(unit.trx, nack.nodeId)
    if (!loaded || !node || nack.errors.length === 0) return nack
    const { config, version } = loaded.row
    const text = await versionText(unit, config, version)
    if (text === null) return nack
    const given = await givenText(unit.trx, rolloutId, nack.nodeId)
    const target = targetOf(await readGrouping(unit.trx), node)
    const errors = errorsForAuthor({ versionText: text, target, given }, nack.errors)
    return { ...nack, errors }
  }

  /** With what the node did not say of it. */
  async function completed(unit: Unit, { rolloutId, event }: Reported): Promise<RolloutEvent> {
    if (event.kind === 'nacked') return placedForAuthor(unit, rolloutId, event)
    if (event.kind !== 'drifted') return event
    return { ...event, digest: (await knownDrift(unit.trx, event.nodeId))?.digest ?? null }
  }

  return {
    remember: memory.keep,
    advanceQueue: queue.advance,

    obey: (rolloutId, command, stateVersion) =>
      write(async (unit) => {
        const loaded = await mustLoad(unit, rolloutId)
        requireSense(loaded, command.kind, stateVersion)
        const { rollout } = await settle(unit, loaded, command, command.actor)
        if (rollout.state !== loaded.rollout.state) return
        // What changes no state is told all the same.
        const { kind: action, actor, ...data } = command
        await unit.emit({ kind: 'rollout', id: rolloutId, action, actor, data })
      }),

    approve: (rolloutId, approval, stateVersion) =>
      write(async (unit) => {
        const loaded = await mustLoad(unit, rolloutId)
        requireSense(loaded, 'approve', stateVersion)
        await noteApproval(unit.trx, loaded.row, approval, now())
        const { username: actor, planDigest } = approval
        const data = { planDigest }
        await unit.emit({ kind: 'rollout', id: rolloutId, action: 'approve', actor, data })
        await queue.advance(unit)
      }),

    gated: () => gatedRollouts(db, connected, memory.committed),

    evaluated: (rolloutId, { wave, onFail, evidence, distributions = [], silent }) =>
      write(async (unit) => {
        const loaded = await load(unit, rolloutId)
        if (!loaded) return
        const { verdict, message } = evidence
        const noted = { wave, at: new Date(now()).toISOString(), ...evidence }
        const row = { ...loaded.row, evidence: JSON.stringify({ ...noted, distributions }) }
        const said = { wave, verdict, onFail, message, ...(silent && { silent }) }
        const event = { kind: 'evaluated' as const, ...said }
        const { rollout } = await settle(unit, { ...loaded, row }, event)
        if (!isDecision(loaded.rollout, rollout)) return
        const data = { from: loaded.rollout.state, to: rollout.state, ...noted }
        await unit.emit({ kind: 'rollout', id: rolloutId, action: 'evidence', data })
      }),

    ill: (rolloutId, found) =>
      write((unit) => dispatch(unit, rolloutId, { kind: 'ill', ...found })),

    async freezeAll(actor) {
      for (const rolloutId of await unfinishedRollouts(db)) {
        await nextTurn()
        await write(async (unit) => {
          const loaded = await mustLoad(unit, rolloutId)
          const kind = isWaiting(loaded.rollout.state) ? 'cancel' : 'freeze'
          // Nobody's turn comes: they all end.
          await apply(unit, loaded, { kind, actor }, actor)
        })
      }
    },

    async offerHeld() {
      await forEach(await deferringRollouts(db), { kind: 'elapsed', ms: 0 })
      await goOnWithAll()
    },

    async tick(elapsedMs) {
      if (elapsedMs <= 0) return
      rest.again()
      await lists.look()
      const isIdle = !time.isUnderWay() && isNothing(await dueNow(db))
      if (isIdle && !(await isAnythingAwaited(db))) return
      await time.pass(elapsedMs)
    },

    async heardAgain() {
      if (isStart) await write(({ trx }) => removeDrafts(trx))
      isStart = false
      await lists.look()
      time.forget()
      for (const rolloutId of await awaitingRollouts(db)) {
        await nextTurn()
        const nodeIds = await write((unit) => hearAgain(unit, rolloutId))
        for (const some of inSlices(nodeIds, TIMED_AT_ONCE)) {
          await nextTurn()
          const part = { nodeIds: some, isFirst: false }
          await write((unit) => dispatch(unit, rolloutId, { kind: 'heard-again', ...part }))
        }
      }
      await goOnWithAll()
    },

    goOn: (rolloutId) => write((unit) => goOn(unit, rolloutId)),
    letMorePass: time.goOn,
    async rested() {
      await lateWork
      await rest.done()
      await lists.look()
    },

    async storageFull() {
      await forEach(await rolloutsUnderWay(db), { kind: 'storage-full' })
    },

    async onAgentEvent(unit, event) {
      if (event.kind === 'renamed') {
        await held.write(unit)
        memory.forgetAll(unit)
      }
      for (const ofNode of toNodeEvents(event)) {
        await held.write(unit)
        for (const { rollout_id } of await openTasksOf(unit.trx, [event.nodeId])) {
          await dispatch(unit, rollout_id, ofNode)
        }
      }
      const reported = toRolloutEvent(event)
      if (!reported) return
      const { rolloutId } = reported
      await hear(unit, rolloutId, await completed(unit, reported), event.nodeId)
    },

    async onFetching(unit, nodes) {
      await held.write(unit)
      const said = new Map(nodes.map((node) => [node.nodeId, node]))
      const open = await openTasksOf(unit.trx, [...said.keys()])
      for (const [id, tasks] of Map.groupBy(open, (task) => task.rollout_id)) {
        const fetched = tasks.flatMap(({ node_id }) => said.get(node_id) ?? [])
        await dispatch(unit, id, { kind: 'fetching', nodes: fetched })
      }
    },

    async onNodesChanged(unit, { kind, nodeIds }) {
      await held.write(unit)
      const open = await openTasksOf(unit.trx, nodeIds)
      for (const [id, tasks] of Map.groupBy(open, (task) => task.rollout_id)) {
        await dispatch(unit, id, { kind, nodeIds: tasks.map((task) => task.node_id) })
      }
      // Who waited for those nodes only waits no longer.
      if (kind === 'decommissioned') await queue.advance(unit)
    },

    owns: ({ trx }, nodeId) => isLeased(trx, nodeId),

    async mayKeep(unit, offer) {
      if (offer.rolloutId === null) return true
      // Every node asks; its tasks matter only to a rollout that goes back.
      const known = held.of(unit, offer.rolloutId)
      const isBack = known
        ? known.rollout.progress.goesBack !== null
        : await isGoingBack(unit.trx, offer.rolloutId)
      if (!isBack) return true
      const loaded = known ?? (await load(unit, offer.rolloutId))
      return loaded === null || mayKeep(loaded.rollout, offer)
    },
  }
}

type Due = { timed: readonly string[]; sharing: readonly string[]; isTurn: boolean }

const isNothing = ({ timed, sharing, isTurn }: Due) =>
  timed.length === 0 && sharing.length === 0 && !isTurn

/** Each is an event of its own: the whole rollout is looked at for it, and another node may have its turn. */
const LATE_AT_ONCE = 4
/** No event follows of any: only their times are written. */
const TIMED_AT_ONCE = 500

/** Evidence that changed something is kept for ever: in the audit. */
const isDecision = (before: Rollout, after: Rollout) =>
  before.state !== after.state ||
  before.progress.wave !== after.progress.wave ||
  before.progress.verdict?.verdict !== after.progress.verdict?.verdict

function requireSense({ row, rollout }: Loaded, kind: Action, stateVersion: number): void {
  const { state, state_version } = row
  if (isTerminal(state)) throw new RolloutEnded(state)
  if (state_version !== stateVersion) {
    throw new StaleState(state, state_version).withMembers({ state, stateVersion: state_version })
  }
  const why = whyNot(rollout, kind)
  if (why !== null) throw new NotNow(kind, why)
}

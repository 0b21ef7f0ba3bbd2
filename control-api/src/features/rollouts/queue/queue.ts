// SPDX-License-Identifier: MIT
// Those that wait, in control.db: does what reducer/queue.ts decides, one change at a time, in the transaction of
// whatever gave occasion to it. So a node is nobody's only when nobody waits for it.
import type { Assignments } from '../../../assignments/assignments.ts'
import { noteGroups } from '../../../assignments/store.ts'
import type { Unit } from '../../../audit/write.ts'
import type { Reader } from '../../../db/database.ts'
import type { RolloutRow } from '../../../db/tables/rollouts.ts'
import { readFarmRules } from '../../rollout-rules/store.ts'
import { closedAt } from '../../rollout-rules/windows.ts'
import { isWaiting, type RolloutEvent, type StartNode } from '../reducer/model.ts'
import { isQueueDue, nextStep, type Situation, type Step, type Wait } from '../reducer/queue.ts'
import { takeLeases } from '../store/leases.ts'
import type { Loaded } from '../store/rollouts.ts'
import { keptContents, openTasksBefore } from '../store/tasks.ts'
import {
  type Contested,
  contestedNodes,
  noteStart,
  noteWait,
  rolloutsOutside,
  startNodes,
  type WaitingRow,
  waitingRows,
} from './store.ts'

type Deps = {
  now: () => number
  assignments: Pick<Assignments, 'isHeld'>
  load: (unit: Unit, rolloutId: string) => Promise<Loaded | null>
  apply: (unit: Unit, loaded: Loaded, event: RolloutEvent) => Promise<Loaded>
  /** The last version of the config that was released. */
  releasedVersion: (unit: Unit, config: string) => Promise<number | null>
  /** How many of a rollout's nodes become its own in one transaction. */
  nodesAtOnce: number
}

type Start = Extract<Step, { kind: 'start' }>

export type Queue = {
  /** Everybody whose turn it is begins; everybody else says what they wait for. */
  advance(unit: Unit): Promise<void>
  /** Of one that has begun: the next of its nodes become its own. */
  beginMore(unit: Unit, loaded: Loaded): Promise<Extract<RolloutEvent, { kind: 'begun' }>>
  /** Has time changed anything for those that wait? */
  isDue(db: Reader): Promise<boolean>
}

export function createQueue(deps: Deps): Queue {
  const { now, assignments, load, apply, releasedVersion, nodesAtOnce } = deps
  const clock = async (db: Reader): Promise<Omit<Situation, 'owners'>> => {
    const nowMs = now()
    return { nowMs, closed: closedAt((await readFarmRules(db)).rules, nowMs) }
  }

  async function next(db: Reader, known: Contested | null) {
    const rows = await waitingRows(db)
    if (rows.length === 0) return null
    const contested = known ?? (await contestedNodes(db))
    const { wanted, owners } = contested
    const others = [...new Set([...owners.values(), ...rows.map(({ id }) => id)])]
    const waiting = rows.map(async (row) => ({
      ...row,
      nodeIds: wanted.get(row.id) ?? [],
      outOfReach: takesOver(row) ? await rolloutsOutside(db, others, row.scope) : [],
    }))
    const step = nextStep(await Promise.all(waiting), { ...(await clock(db)), owners })
    return step && { step, contested }
  }

  async function dispatch(unit: Unit, rolloutId: string, event: RolloutEvent): Promise<void> {
    const loaded = await load(unit, rolloutId)
    if (loaded) await apply(unit, loaded, event)
  }

  async function wait(unit: Unit, { id, state, reason, blockedBy }: Wait): Promise<void> {
    await noteWait(unit.trx, id, { blockedBy, isQueued: state === 'queued' })
    await dispatch(unit, id, { kind: 'waits', state, reason })
  }

  async function takeTheirPlace(unit: Unit, by: string, rolloutIds: readonly string[]) {
    for (const rolloutId of rolloutIds) {
      const loaded = await load(unit, rolloutId)
      if (!loaded) continue
      const reason = { code: 'replaced' as const, rolloutId: by }
      const event: RolloutEvent = isWaiting(loaded.rollout.state)
        ? { kind: 'ends', state: 'superseded', reason }
        : { kind: 'freeze', actor: `rollout ${by}`, rolloutId: by }
      await apply(unit, loaded, event)
    }
  }

  /** Returns how many of its nodes began in this transaction, of which there may be so many more. */
  async function start(unit: Unit, { id, ends }: Start, most: number): Promise<number> {
    await takeTheirPlace(unit, id, ends)
    const { trx } = unit
    const loaded = await load(unit, id)
    if (!loaded) return 0
    const { row, rollout } = loaded
    const previousVersion = await releasedVersion(unit, row.config)
    await noteStart(trx, id, { startedAtMs: now(), previousVersion })
    await takeLeases(trx, id)
    // To take them all is enough for one transaction; and for those that begin together.
    const isLarge = rollout.tasks.length > most
    const begun = isLarge ? { nodes: [], begunTo: '' } : await beginSome(unit, row, '')
    await dispatch(unit, id, { kind: 'started', ...begun })
    return begun.nodes.length
  }

  /** The next of its nodes, by id. */
  async function beginSome(unit: Unit, row: RolloutRow, after: string) {
    const { nodes, upTo } = await startNodes(unit.trx, row, { after, most: nodesAtOnce })
    await noteGroupsOf(unit, row.id, nodes)
    await leaveToIt(
      unit,
      row.id,
      nodes.map(({ nodeId }) => nodeId),
    )
    return { nodes, ...(upTo !== null && { begunTo: upTo }) }
  }

  async function noteGroupsOf({ trx }: Unit, id: string, nodes: readonly StartNode[]) {
    const settled = new Map(
      nodes.flatMap(({ nodeId, settledGeneration: generation }) =>
        generation === null ? [] : [[nodeId, generation]],
      ),
    )
    const kept = await keptContents(trx, id, [...settled.keys()])
    const groups = kept.map(({ node_id: nodeId, group_name: group }) => ({
      ...{ nodeId, group, generation: settled.get(nodeId) ?? 0 },
    }))
    await noteGroups(trx, groups)
  }

  /** What earlier rollouts still had to do with its nodes is over. */
  async function leaveToIt(unit: Unit, by: string, own: readonly string[]): Promise<void> {
    const open = await openTasksBefore(unit.trx, by, own)
    for (const [id, tasks] of Map.groupBy(open, (task) => task.rollout_id)) {
      const nodeIds = tasks.map((task) => task.node_id)
      await dispatch(unit, id, { kind: 'superseded', nodeIds, by })
    }
  }

  async function take(unit: Unit, step: Exclude<Step, Start>): Promise<void> {
    const { id } = step
    if (step.kind === 'wait') return wait(unit, step)
    const { state, reason, blockedBy } = step
    await noteWait(unit.trx, id, { blockedBy, isQueued: false })
    await dispatch(unit, id, { kind: 'ends', state, reason })
  }

  return {
    async beginMore(unit, { row, rollout }) {
      return { kind: 'begun', ...(await beginSome(unit, row, rollout.progress.begunTo ?? '')) }
    },
    async advance(unit) {
      if (assignments.isHeld()) return
      let known: Contested | null = null
      let most = nodesAtOnce
      for (let one = await next(unit.trx, known); one; one = await next(unit.trx, known)) {
        if (one.step.kind === 'start') most -= await start(unit, one.step, most)
        else await take(unit, one.step)
        // Who only waits takes and frees no node.
        known = one.step.kind === 'wait' ? one.contested : null
      }
    },
    async isDue(db) {
      if (assignments.isHeld()) return false
      const rows = await waitingRows(db)
      return rows.length > 0 && isQueueDue(rows, await clock(db))
    },
  }
}

const takesOver = ({ onOverlap, isEmergency }: WaitingRow) =>
  isEmergency || onOverlap === 'supersede'

// SPDX-License-Identifier: MIT
// Those that wait in the simulation: the service's own decisions (queue.ts), done to a few maps.

import type { OnOverlap } from '../../src/api-shapes/states.ts'
import type { Closed } from '../../src/features/rollout-rules/windows.ts'
import { isWaiting, type RolloutEvent } from '../../src/features/rollouts/reducer/model.ts'
import {
  isQueueDue,
  nextStep,
  type Step,
  type Waiting,
} from '../../src/features/rollouts/reducer/queue.ts'
import type { Database } from './database.ts'

/** What is asked of an order before it may begin. Never changed, only replaced. */
export type Asked = {
  onOverlap: OnOverlap
  isEmergency: boolean
  startAtMs: number | null
  approvals: { needed: number; given: number; byMs: number | null }
  place: number | null
  blockedBy: readonly string[]
}
type Acts = {
  dispatch: (id: string, event: RolloutEvent) => void
  /** Its nodes are its own from now on. */
  begin: (id: string) => void
}
export type Now = { nowMs: number; closed: Closed | null }

export function advanceQueue(db: Database, now: Now, acts: Acts): void {
  for (let step = next(db, now); step; step = next(db, now)) take(db, step, acts)
}

/** Has time alone changed anything? */
export const isDue = (db: Database, now: Now): boolean => isQueueDue(waitingOf(db), now)

/** Nobody could begin, end or say something else. */
export const isSettled = (db: Database, now: Now): boolean => next(db, now) === null

export const takesOver = ({ isEmergency, onOverlap }: Asked) =>
  isEmergency || onOverlap === 'supersede'

const next = (db: Database, now: Now): Step | null =>
  nextStep(waitingOf(db), { ...now, owners: db.leases })

function waitingOf({ rollouts, asked }: Database): Waiting[] {
  return [...rollouts].flatMap(([id, { state, reason, tasks }]) => {
    const of = asked.get(id)
    if (!of || !isWaiting(state)) return []
    const nodeIds = tasks.filter((task) => task.state !== 'skipped').map(({ nodeId }) => nodeId)
    const contains = containedIn(rollouts, id, of.blockedBy)
    return [{ id, state, reason, nodeIds, outOfReach: [], contains, ...of }]
  })
}

const WENT_BACK = new Set(['reverted', 'revert_incomplete'])

/** Of those it waited for, the newest that went back with an older text. */
function containedIn(
  rollouts: Database['rollouts'],
  id: string,
  blockedBy: readonly string[],
): NonNullable<Waiting['contains']> | null {
  const own = versionOf(rollouts.get(id)?.tasks)
  const [newest] = blockedBy
    .filter((other) => WENT_BACK.has(rollouts.get(other)?.state ?? ''))
    .map((rolloutId) => ({ rolloutId, version: versionOf(rollouts.get(rolloutId)?.tasks) }))
    .filter(({ version }) => version < own)
    .toSorted((a, b) => b.version - a.version)
  return newest ?? null
}

/** Digests are numbered as versions are. */
const versionOf = (tasks: readonly { digest: string }[] = []) =>
  Number(tasks[0]?.digest.slice(1) ?? 0)

function take(db: Database, step: Step, { dispatch, begin }: Acts): void {
  const { id } = step
  if (step.kind === 'start') {
    for (const other of step.ends) dispatch(other, ending(db, other, id))
    begin(id)
    note(db, id, { blockedBy: [] })
    return
  }
  const { state, reason, blockedBy } = step
  note(db, id, { blockedBy, ...(state === 'queued' && { place: placeOf(db, id) }) })
  if (step.kind === 'end') dispatch(id, { kind: 'ends', state: step.state, reason })
  else dispatch(id, { kind: 'waits', state: step.state, reason })
}

function ending({ rollouts }: Database, id: string, by: string): RolloutEvent {
  const state = rollouts.get(id)?.state
  return state && isWaiting(state)
    ? { kind: 'ends', state: 'superseded', reason: { code: 'replaced', rolloutId: by } }
    : { kind: 'freeze', actor: `rollout ${by}`, rolloutId: by }
}

function note({ asked }: Database, id: string, change: Partial<Asked>): void {
  const of = asked.get(id)
  if (of) asked.set(id, { ...of, ...change })
}

function placeOf({ asked }: Database, id: string): number {
  const last = Math.max(0, ...[...asked.values()].map(({ place }) => place ?? 0))
  return asked.get(id)?.place ?? last + 1
}

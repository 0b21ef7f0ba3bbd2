// SPDX-License-Identifier: MIT
// What a refusal means. Pure.
//   may pass by itself (a busy node, a full disk): offered again after a while, so often and no more
//   says something of all nodes of its kind, or whose owners allow the same: those that would get the same
//     text are left out
//   a person changed the config on the machine: nothing overwrites that unseen
//   anything else: final, for this rollout
import type { NodeEvent, Task } from './model.ts'
import { skip, to } from './task-states.ts'

export type Refusal = Pick<Extract<NodeEvent, { kind: 'nacked' }>, 'code' | 'message' | 'errors'>

const PASSING = new Set(['busy', 'content_missing', 'resource_limit'])
const OF_ITS_KIND = new Set(['schema', 'unsupported_version', 'missing_file'])
const OF_ITS_OWNER = 'policy'
export const CONFLICT = 'conflict'

export const MAX_REFUSALS = 5
const FIRST_WAIT_MS = 5_000

export const refused = (task: Task, refusal: Refusal): Task =>
  mayPass(task, refusal)
    ? againLater(task, refusal, 'pending')
    : { ...to(task, 'nacked'), ...refusal }

export const mayPass = ({ refusals }: Task, { code }: Pick<Refusal, 'code'>): boolean =>
  PASSING.has(code) && refusals < MAX_REFUSALS

/** Each time it waits twice as long. */
export function againLater(
  task: Task,
  { code, message }: Pick<Refusal, 'code' | 'message'>,
  state: 'pending' | 'reverting',
): Task {
  const waitMs = FIRST_WAIT_MS * 2 ** task.refusals
  const refusals = task.refusals + 1
  const again = `it is asked again after ${waitMs / 1000} s (${refusals} of ${MAX_REFUSALS})`
  return {
    ...to(task, state, waitMs),
    generation: null,
    offers: 0,
    refusals,
    code,
    message: `${message}; ${again}`,
  }
}

/** It refused for now, and its time to be asked again has not come. */
export const isPutOffByItself = ({ state, code }: Task) => state === 'pending' && code !== null

/** Others of its kind would refuse the same text too. */
export const isOfItsKind = ({ state, code, kind }: Task) =>
  state === 'nacked' && code !== null && OF_ITS_KIND.has(code) && kind !== ''

/** Others whose machines' owners allow the same would refuse the same text too. */
export const isOfItsOwner = ({ state, code, policyRules }: Task) =>
  state === 'nacked' && code === OF_ITS_OWNER && policyRules !== null

export const saysOfOthers = (task: Task) => isOfItsKind(task) || isOfItsOwner(task)

/** What `refuser` refused, `task` would refuse as well. */
export function isAlike(task: Task, refuser: Task): boolean {
  if (task.digest !== refuser.digest) return false
  return isOfItsOwner(refuser)
    ? task.policyRules === refuser.policyRules
    : task.kind === refuser.kind
}

/** For what one like it refused. Who goes on without that one goes on without this one too. */
export const leftOut = (task: Task, refuser: Task): Task => ({
  ...skip(task, ''),
  leftOutFor: {
    node: { id: refuser.nodeId, name: refuser.nodeName },
    isOfItsOwner: isOfItsOwner(refuser),
  },
  code: refuser.code,
  isExcused: refuser.isExcused,
})

export const isLeftOut = ({ state, code }: Task) =>
  state === 'skipped' && code !== null && (OF_ITS_KIND.has(code) || code === OF_ITS_OWNER)

export const isConflict = ({ code }: Task) => code === CONFLICT

/** Somebody changed the config on the machine. digest: of the change; null: not known yet. */
export function conflicted(
  task: Task,
  digest: string | null,
  state: 'nacked' | 'revert_failed' = 'nacked',
): Task {
  const what = digest === null ? 'the node has not said to what' : `to ${digest}`
  const before = task.previous ? `, before it was ${task.previous.digest}` : ''
  const message = `its config was changed on the machine, ${what} (the version is ${task.digest}${before}). Compare them with GET /api/v1/nodes/${task.nodeId}/drift, then keep the change or let it go there`
  return { ...to(task, state), code: CONFLICT, message }
}

// SPDX-License-Identifier: MIT
// What an event does to the task of a node that goes back to what it had. Pure.
import type { Fetched } from '../../../fleet/agent-ports.ts'
import { FETCHING_MS, MAX_OFFERS, type NodeEvent, type Policy, type Task } from './model.ts'
import { againLater, conflicted, mayPass, type Refusal } from './refusals.ts'
import { skip, to } from './task-states.ts'

/** On its way to what it had before. What fails is tried again: a way back must not hang on one lost message. */
export function goingBack(task: Task, event: NodeEvent, policy: Policy): Task[] {
  switch (event.kind) {
    case 'offered': {
      const { generation } = event
      const message = task.isConnected ? '' : 'not connected; it goes back when it returns'
      const deadlineMs = task.isConnected ? policy.ackMs : 0
      return [{ ...task, generation, deadlineMs, message, offers: task.offers + 1 }]
    }
    case 'fetching':
      return task.deadlineMs ? [fetching(task, event)] : []
    case 'acked':
      return [to(task, 'reverting', policy.applyMs)]
    case 'applied': {
      const isBack = event.digest === task.previous?.digest
      return isBack ? [to(task, 'reverting', policy.confirmMs)] : []
    }
    case 'confirmed':
      return [to(task, 'reverted')]
    case 'nacked':
      return [refusedBack(task, event)]
    case 'drifted':
      return event.generation === null ? [] : [conflicted(task, event.digest, 'revert_failed')]
    case 'reverted':
    case 'stuck':
      return [backAgain(task, event.reason, event.message)]
    case 'deadline':
      return task.generation === null
        ? [{ ...task, deadlineMs: null }]
        : [{ ...task, deadlineMs: 0, message: 'it does not answer; it goes back when it does' }]
    case 'decommissioned':
      return [skip(task, 'decommissioned')]
    default:
      return []
  }
}

/** It has time to come further: what it is to run is on its way to it. */
export const fetching = (
  task: Task,
  { files, filesDone }: Pick<Fetched, 'files' | 'filesDone'>,
): Task => ({
  ...task,
  deadlineMs: FETCHING_MS,
  message:
    files === 0
      ? 'fetching the list of files'
      : `fetching ${inWords(filesDone)} of ${inWords(files)} files`,
})

const inWords = (count: number) => count.toLocaleString('en-US')

function refusedBack(task: Task, refusal: Refusal): Task {
  return mayPass(task, refusal)
    ? againLater(task, refusal, 'reverting')
    : backAgain(task, refusal.code, refusal.message)
}

const backAgain = (task: Task, code: string | null, message: string): Task =>
  task.offers >= MAX_OFFERS
    ? { ...to(task, 'revert_failed'), code, message }
    : { ...to(task, 'reverting'), generation: null, code, message }

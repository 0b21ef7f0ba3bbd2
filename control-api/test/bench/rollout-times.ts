// SPDX-License-Identifier: MIT
// How a rollout went, as the control plane says.
import type { Session } from '../durability/session.ts'
import { quantile } from './quantile.ts'

type Task = { state: string; updatedAt: string }
type TaskList = { items: Task[]; nextCursor: string | null }

export type RolloutTimes = {
  state: string
  stateVersion: number
  reason: string
  createdAt: string
  endedAt: string | null
  tasks: Task[]
}

export type Spans = {
  ended: string
  healthy: number
  /** From the rollout's start, as the control plane says, to when half, and all, were healthy. */
  halfMs: number
  allMs: number
}

/** Of the nodes that are healthy: on a machine that is too slow for its nodes some may not be. */
export function spans({ state, reason, createdAt, tasks }: RolloutTimes): Spans {
  const from = Date.parse(createdAt)
  const done = tasks.filter((task) => task.state === 'done')
  const took = done.map(({ updatedAt }) => Date.parse(updatedAt) - from)
  const ended = state === 'succeeded' ? state : `${state}: ${reason}`
  return { healthy: done.length, ended, halfMs: quantile(took, 0.5), allMs: Math.max(...took) }
}

export async function tasksOf(session: Session, rollout: string): Promise<Task[]> {
  const tasks: Task[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after = cursor === '' ? '' : `&cursor=${cursor}`
    const path = `/rollouts/${rollout}/tasks?limit=500${after}`
    const page = (await session.must('GET', path)).body as unknown as TaskList
    tasks.push(...page.items)
    cursor = page.nextCursor
  }
  return tasks
}

// SPDX-License-Identifier: MIT
// Finds rollouts and follows them to their end.
import { type Api, bodyOf } from '../api.ts'
import type { Rollout } from '../api-types.ts'
import type { Tool } from '../command.ts'
import { type Change, changes } from '../events.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { showRollout, someTasks } from './tasks.ts'
import { type Asked, progressLine, rolloutLines } from './view.ts'

/** How commands call their argument. */
export const WHICH = 'its id; without it the newest'

/** Without an id, the newest. */
export async function findRollout(api: Api, id: string | undefined): Promise<Rollout> {
  const found = id ?? (await newestRollout(api))
  if (found !== undefined) {
    return bodyOf(api.GET('/api/v1/rollouts/{id}', { params: { path: { id: found } } }))
  }
  throw new Failure('There is no rollout yet. Start one: farmctl rollout start CONFIG')
}

async function newestRollout(api: Api): Promise<string | undefined> {
  const params = { query: { limit: 1 } }
  const { items } = await bodyOf(api.GET('/api/v1/rollouts', { params }))
  return items[0]?.id
}

/** Ends with the rollout, or when it waits for somebody. `asked`: of before the start, for the JSON. */
export async function watchRollout(tool: Tool, id: string, asked?: Asked): Promise<void> {
  const api = tool.api()
  let told = ''
  for await (const change of changes(api, tool.stop)) {
    if (!concerns(change, id)) continue
    const rollout = await findRollout(api, id)
    const line = progressLine(rollout, await busyNodes(api, rollout))
    if (line !== told) tool.terminal.progress(line)
    told = line
    const exitCode = exitCodeOf(rollout)
    if (exitCode === null) continue
    await showRollout(tool, rollout, rolloutLines, asked)
    requireSuccess(rollout, exitCode)
    return
  }
  throw new Failure(
    `${id} goes on without you. Back to it: farmctl rollout watch ${id}`,
    EXIT.interrupted,
  )
}

const BUSY_NAMED = 4

/** Of one that is through nobody is asked. */
async function busyNodes(api: Api, { id, totalNodes, doneNodes }: Rollout) {
  if (doneNodes === totalNodes) return []
  return (await someTasks(api, id, { exceptions: true, limit: BUSY_NAMED })).items
}

function concerns(change: Change | null, rolloutId: string): boolean {
  if (change === null || change.kind === 'node') return true
  return change.kind === 'rollout' && change.id === rolloutId
}

export function requireSuccess({ id, state }: Rollout, exitCode: ExitCode): void {
  if (exitCode !== EXIT.ok) throw new Failure(`${id} is ${state}.`, exitCode)
}

// SPDX-License-Identifier: MIT
// The nodes of a rollout: all of them for programs, page by page; for eyes as many as one reads, and what the others do in a
// line.
import { type Api, bodyOf, collect, pages } from '../api.ts'
import type { NodeTask, Rollout, TaskStanding } from '../api-types.ts'
import type { Tool } from '../command.ts'
import { atPosition } from '../failures.ts'
import { tableLines } from '../table.ts'

export type TaskFilter = { state?: TaskStanding; wave?: number; exceptions?: boolean; q?: string }

export const tasksOf = (api: Api, id: string, filter: TaskFilter = {}, limit?: number) =>
  pages(
    (page) =>
      bodyOf(
        api.GET('/api/v1/rollouts/{id}/tasks', {
          params: { path: { id }, query: { ...filter, ...page } },
        }),
      ),
    limit,
  )

/** `total`: so many there are of what is shown. */
export type Some = { items: readonly NodeTask[]; total: number }

export async function someTasks(
  api: Api,
  id: string,
  filter: TaskFilter & { limit: number },
): Promise<Some> {
  const params = { path: { id }, query: filter }
  return await bodyOf(api.GET('/api/v1/rollouts/{id}/tasks', { params }))
}

/** Of more nobody reads each. */
const MOST_SHOWN = 50

/** A small rollout node by node, of a large one those that somebody may have to look at. */
export const toShow = (api: Api, { id, totalNodes }: Rollout): Promise<Some> =>
  someTasks(api, id, { exceptions: totalNodes > MOST_SHOWN, limit: MOST_SHOWN })

/** For programs with all its nodes, for eyes with some. */
export async function showRollout(
  tool: Tool,
  rollout: Rollout,
  lines: (rollout: Rollout, tasks: Some) => string[],
  beside: object = {},
): Promise<void> {
  if (tool.json) {
    const tasks = await collect(tasksOf(tool.api(), rollout.id))
    tool.show({ ...rollout, tasks, ...beside }, () => [])
    return
  }
  const tasks = await toShow(tool.api(), rollout)
  tool.show(rollout, () => lines(rollout, tasks))
}

export const taskLines = (rollout: Rollout, { items, total }: Some): string[] => {
  const { config, version, totalNodes, waves } = rollout
  const hasWaves = waves.length > 1
  const rows = items.map((task) => [
    ...(hasWaves ? [String(task.wave + 1)] : []),
    ...[task.nodeName, stateText(task), task.code ?? '', task.message],
  ])
  const titles = [...(hasWaves ? ['WAVE'] : []), 'NODE', 'STATE', 'CODE', 'MESSAGE']
  const errors = items.flatMap(({ nodeName, errors: found }) =>
    found.map((error) => `${nodeName}: ${atPosition(`${config}@${version}`, error)}`),
  )
  const more = total - items.length
  const isPart = items.length < totalNodes
  return [
    ...(isPart ? [`Of ${totalNodes} nodes: ${standingsText(rollout)}`] : []),
    ...(items.length > 0 || !isPart ? tableLines(titles, rows) : []),
    ...(more > 0 ? [`and ${more} more like them: farmctl rollout nodes ${rollout.id}`] : []),
    ...errors,
  ]
}

/** Nobody is called healthy whose wave fails its gate. */
export const stateText = ({ state, code }: NodeTask): string =>
  state === 'healthy' && code === 'gate_failed' ? GATE_FAILED : state

const GATE_FAILED = 'fails its gate'

/** Most first. */
export const standingsText = ({ states }: Pick<Rollout, 'states'>): string =>
  Object.entries(states)
    .toSorted(([, a], [, b]) => b - a)
    .map(([state, nodes]) => `${nodes} ${state === 'gate_failed' ? GATE_FAILED : state}`)
    .join(', ')

// SPDX-License-Identifier: MIT
// The nodes of a rollout as the API shows them: a page of their tasks, and the cells of a map.
import { createHash } from 'node:crypto'
import type { Scope } from '../../access/scope.ts'
import { defineCursor } from '../../api-shapes/cursor.ts'
import type { TaskStanding } from '../../api-shapes/states.ts'
import type { Reader } from '../../db/database.ts'
import { CORDONED } from '../../fleet/cordon.ts'
import { type Cells, NAMES_AT_ONCE, type NodeTask, type Tasks } from './shapes/task-schema.ts'
import {
  type Cell,
  cellsOf,
  countTasks,
  exceptionsPage,
  type TaskFilter,
  tasksPage,
  whichWithin,
} from './store/task-pages.ts'
import { leftOutForOf, type TaskWithName } from './store/tasks.ts'
import { seeRollout } from './view.ts'
import { type Audience, nodesIn } from './words/audience.ts'
import { taskMessage } from './words/why-words.ts'

const inWaves = defineCursor('rollout-tasks', 'integer', 'text', 'text')
const byRank = defineCursor('rollout-exceptions', 'integer', 'integer', 'text')

type Wish = TaskFilter & {
  scope: Scope
  exceptions?: boolean
  cursor?: string | undefined
  limit: number
}

/** Of the nodes within the scope. Throws RolloutNotFound, InvalidCursor. */
export async function showTasks(db: Reader, rolloutId: string, wish: Wish): Promise<Tasks> {
  const { exceptions = false, cursor, limit, ...filter } = wish
  const { audience } = await seeRollout(db, rolloutId, wish.scope)
  const of = { ...filter, rolloutId }
  const { rows, nextCursor } = exceptions
    ? byRank.page(
        await exceptionsPage(db, { ...of, after: byRank.read(cursor), limit: limit + 1 }),
        limit,
        (task) => [task.rank, task.updated_at_ms, task.node_id],
      )
    : inWaves.page(
        await tasksPage(db, { ...of, after: inWaves.read(cursor), limit: limit + 1 }),
        limit,
        (task) => [task.wave, task.node_name, task.node_id],
      )
  const total = await countTasks(db, { ...of, exceptions })
  const reader = await knowing(db, rows, { audience, scope: wish.scope })
  return { items: rows.map((task) => viewTask(task, reader)), nextCursor, total }
}

/** Tasks may speak of other nodes, too. */
async function knowing(
  db: Reader,
  tasks: readonly TaskWithName[],
  { audience, scope }: { audience: Audience; scope: Scope },
): Promise<Audience> {
  if (audience.isWhole) return audience
  const named = tasks.flatMap(({ left_out_for }) => nodesIn(left_out_for ?? ''))
  const seen = await whichWithin(db, named, scope)
  return { ...audience, sees: (nodeId) => seen.has(nodeId) }
}

const viewTask = (task: TaskWithName, audience: Audience): NodeTask => ({
  nodeId: task.node_id,
  nodeName: task.node_name,
  wave: task.wave,
  state: task.state,
  generation: task.generation,
  digest: task.digest,
  code: task.code,
  message: messageOf(task, audience),
  errors: JSON.parse(task.errors),
  isCordoned: task.cordon !== null,
  updatedAt: new Date(task.updated_at_ms).toISOString(),
})

function messageOf(task: TaskWithName, audience: Audience): string {
  const { state, code, message } = task
  const leftOutFor = leftOutForOf(task)
  if (audience.isWhole || leftOutFor !== null) return taskMessage({ message, leftOutFor }, audience)
  // From before that was kept apart: the message names whom it was left out for.
  const isLeftOut = state === 'skipped' && code !== null && code !== CORDONED
  return isLeftOut ? 'a node of the same kind refused the same text' : message
}

const FIRST_LETTER = 'a'.charCodeAt(0)

/** Of the nodes within the scope. Throws RolloutNotFound. */
export async function showCells(
  db: Reader,
  rolloutId: string,
  { scope, namesFrom: from }: { scope: Scope; namesFrom?: number },
): Promise<{ cells: Cells; etag: string }> {
  const { row } = await seeRollout(db, rolloutId, scope)
  const found = await cellsOf(db, { rolloutId, scope })
  const order = orderOf(found)
  const states = [...new Set(found.map(({ standing }) => standing))]
  const letterOf = new Map<TaskStanding, string>(
    states.map((standing, place) => [standing, String.fromCharCode(FIRST_LETTER + place)]),
  )
  const waves = [...Map.groupBy(found, ({ wave }) => wave)]
  const cells = {
    stateVersion: row.state_version,
    order,
    waves: waves.map(([index, of]) => ({ index, nodes: of.length })),
    names:
      from === undefined ? null : found.slice(from, from + NAMES_AT_ONCE).map(({ name }) => name),
    states,
    cells: found.map(({ standing }) => letterOf.get(standing)).join(''),
  }
  return { cells, etag: `"${order}-${row.tasks_version}-${row.state_version}"` }
}

/** The same for the same names in the same waves. */
function orderOf(cells: readonly Cell[]): string {
  const text = cells.map(({ wave, name }) => `${wave} ${name}`).join('\n')
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

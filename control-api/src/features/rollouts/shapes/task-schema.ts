// SPDX-License-Identifier: MIT
// The nodes of a rollout, one by one: in pages, and as the cells of a map.
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  DigestSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  pageOf,
  TimeSchema,
} from '../../../api-shapes/common.ts'
import { TaskStandingSchema, TaskStateSchema } from '../../../api-shapes/states.ts'

export const NodeTaskSchema = Type.Object({
  nodeId: NodeIdSchema,
  nodeName: NameSchema,
  wave: Type.Integer({ minimum: 0 }),
  state: TaskStateSchema,
  generation: Nullable(Type.Integer()),
  digest: DigestSchema,
  code: Nullable(Type.String()),
  message: Type.String(),
  errors: Type.Array(ConfigErrorSchema),
  isCordoned: Type.Boolean({
    description: 'Now: without an offer it is skipped when its turn comes',
  }),
  updatedAt: TimeSchema,
})
export type NodeTask = Static<typeof NodeTaskSchema>

/** GET /rollouts/{id}/tasks listRolloutTasks */
export const TasksQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  state: Type.Optional(TaskStandingSchema),
  wave: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  exceptions: Type.Optional(
    Type.Boolean({
      description:
        'true: only nodes that failed, went back, are late, out of reach, held back or left out, or wait for something, in this order, and of each those that have been so for longest',
    }),
  ),
  running: Type.Optional(
    Type.Boolean({ description: 'true: only nodes that run what this rollout brings them, now' }),
  ),
  name: Type.Optional(NameSchema),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: 'Part of the node’s name' }),
  ),
})

export const TasksSchema = Type.Object({
  ...pageOf(NodeTaskSchema).properties,
  total: Type.Integer({ description: 'So many there are in all pages' }),
})
export type Tasks = Static<typeof TasksSchema>

/** So many names are below 200 KB, however long they are. */
export const NAMES_AT_ONCE = 2000
const CELL = { minimum: 0, maximum: 10_000_000 }

/** GET /rollouts/{id}/cells getRolloutCells */
export const CellsQuerySchema = Type.Object({
  namesFrom: Type.Optional(
    Type.Integer({
      ...CELL,
      description: `Also the names of ${NAMES_AT_ONCE} cells: of this one, the first being 0, and those behind it`,
    }),
  ),
})
export const CellsSchema = Type.Object({
  stateVersion: Type.Integer({ description: 'Of the rollout' }),
  order: Type.String({
    description: 'Stands for the names and their order: names of another order are of other cells',
  }),
  waves: Type.Array(Type.Object({ index: Type.Integer(), nodes: Type.Integer() }), {
    description: 'Cells are in the order of waves, and in a wave in that of names',
  }),
  names: Nullable(
    Type.Array(NameSchema, {
      maxItems: NAMES_AT_ONCE,
      description: 'Of the cells that were asked for; null: none were',
    }),
  ),
  states: Type.Array(TaskStandingSchema, { description: 'Those that occur' }),
  cells: Type.String({
    pattern: '^[a-z]*$',
    description: 'A letter for each cell: a is the first of `states`, b the second, and so on',
  }),
})
export type Cells = Static<typeof CellsSchema>

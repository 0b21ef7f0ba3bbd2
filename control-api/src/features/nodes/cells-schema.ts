// SPDX-License-Identifier: MIT
import { Type } from 'typebox'
import {
  NameSchema,
  NodeIdSchema,
  Nullable,
  RolloutIdSchema,
  TimeSchema,
} from '../../api-shapes/common.ts'
import { SyncStateSchema } from '../../api-shapes/node-facts.ts'

/** So many names and ids are below 200 KB. */
export const NAMES_AT_ONCE = 1000

/** GET /nodes/cells getNodeCells */
export const CellsQuerySchema = Type.Object({
  label: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z][a-z0-9_.-]*$',
      description: 'By the value of this label; by group when left out',
      examples: ['zone'],
    }),
  ),
  by: Type.Optional(
    Type.String({
      maxLength: 128,
      pattern:
        '^(quantile:[a-zA-Z]+:(0?[.][0-9]{1,6}|0|1)|(rate|share|gauge):[a-z][A-Za-z0-9]{0,63})$',
      description:
        'Also this measurement of each: quantile:STAGE:Q in seconds, rate:COUNTER a second, share:COUNTER of all requests, gauge:NAME on average',
      examples: ['quantile:total:0.99', 'share:responses5xx'],
    }),
  ),
  from: Type.Optional(TimeSchema),
  to: Type.Optional(TimeSchema),
  namesFrom: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000_000,
      description: `Also who ${NAMES_AT_ONCE} cells are: this one, the first being 0, and those behind it`,
    }),
  ),
})
export const CellsSchema = Type.Object({
  order: Type.String({
    description: 'Stands for the nodes and their order: names of another order are of other cells',
  }),
  parts: Type.Array(
    Type.Object({
      name: Nullable(Type.String({ description: 'null: nodes without the label' })),
      nodes: Type.Integer(),
    }),
    { description: 'Cells are in this order, and in a part in that of names' },
  ),
  labelKeys: Type.Array(Type.String(), {
    description: 'Labels that nodes have, those of most nodes first; 50 at most',
  }),
  names: Nullable(
    Type.Array(Type.Object({ id: NodeIdSchema, name: NameSchema }), {
      maxItems: NAMES_AT_ONCE,
      description: 'Of the cells that were asked for; null: none were',
    }),
  ),
  states: Type.Array(SyncStateSchema, { description: 'Those that occur' }),
  cells: Type.String({
    pattern: '^[a-z]*$',
    description: 'A letter for each cell: a is the first of `states`, b the second, and so on',
  }),
  /** null: the caller may not read rollouts. */
  rollouts: Nullable(
    Type.Object({
      named: Type.Array(
        Type.Object({ id: RolloutIdSchema, config: NameSchema, version: Type.Integer() }),
        { description: 'Those that are under way, the oldest first; 26 at most' },
      ),
      cells: Type.String({
        pattern: '^[a-z.]*$',
        description:
          'Of each cell the rollout that has come to it: a is the first of `named`, a dot none. Empty when none is under way',
      }),
    }),
  ),
  /** null: nothing was asked for, or the caller may not read measurements. */
  measured: Nullable(
    Type.Object({
      by: Type.String(),
      from: TimeSchema,
      to: TimeSchema,
      values: Type.Array(Nullable(Type.Number()), {
        description: 'Of each cell, three digits of it; null: nothing was measured',
      }),
    }),
  ),
})

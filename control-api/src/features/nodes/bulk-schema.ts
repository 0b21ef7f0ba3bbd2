// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { LabelsSchema, NameSchema, NodeIdSchema, Nullable } from '../../api-shapes/common.ts'
import { ImpactSchema } from '../../api-shapes/impact.ts'
import { CordonOrderSchema } from './schema.ts'

/** One transaction: everybody else waits for it. */
export const MOST_NODES = 200

const kindOf = <Kind extends string>(kind: Kind) => Type.Literal(kind)

/** What is done to each of them. */
export const BulkChangeSchema = Type.Union([
  Type.Object(
    {
      kind: kindOf('label'),
      set: Type.Optional(LabelsSchema),
      remove: Type.Optional(
        Type.Array(Type.String({ maxLength: 63 }), {
          maxItems: 32,
          description: 'Names of labels; one that a node has not is passed over',
        }),
      ),
    },
    { additionalProperties: false, description: 'Other labels of a node stay as they are' },
  ),
  Type.Object(
    { kind: kindOf('move'), group: NameSchema },
    {
      additionalProperties: false,
      description: 'As few labels as its selector needs are set and removed',
    },
  ),
  Type.Object(
    { kind: kindOf('cordon'), ...CordonOrderSchema.properties },
    { additionalProperties: false },
  ),
  Type.Object({ kind: kindOf('uncordon') }, { additionalProperties: false }),
  Type.Object({ kind: kindOf('decommission') }, { additionalProperties: false }),
])
export type BulkChange = Static<typeof BulkChangeSchema>

/** POST /nodes/actions/change changeNodes */
export const BulkOrderSchema = Type.Object(
  {
    nodeIds: Type.Array(NodeIdSchema, { minItems: 1, maxItems: MOST_NODES, uniqueItems: true }),
    change: BulkChangeSchema,
  },
  { additionalProperties: false },
)

export const REFUSALS = [
  'node_not_found',
  'outside_scope',
  'too_many_labels',
  'label_needed',
  'other_group',
] as const
const BulkResultSchema = Type.Object({
  nodeId: NodeIdSchema,
  nodeName: Nullable(NameSchema),
  outcome: Type.Enum(['changed', 'unchanged', 'refused'], {
    description: 'With dryRun=1: what it would be',
  }),
  code: Nullable(Type.Enum([...REFUSALS], { description: 'Why it is refused' })),
  message: Type.String({ description: 'Why it stays as it is, or what comes with the change' }),
  labels: Nullable(Type.Record(Type.String(), Type.String(), { description: 'Those after it' })),
})
export type BulkResult = Static<typeof BulkResultSchema>

export const BulkAnswerSchema = Type.Object({
  results: Type.Array(BulkResultSchema, { description: 'In the order of `nodeIds`' }),
  impact: Nullable(ImpactSchema),
})

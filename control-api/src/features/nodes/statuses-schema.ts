// SPDX-License-Identifier: MIT
import { Type } from 'typebox'
import { NodeIdSchema, Nullable } from '../../api-shapes/common.ts'
import { UrlSchema } from './explain-schema.ts'

/** Of one question to a node, as the agent protocol has it. */
const MOST_ASKED = 20

export const AskStatusesSchema = Type.Object(
  { urls: Type.Array(UrlSchema, { minItems: 1, maxItems: MOST_ASKED }) },
  { additionalProperties: false },
)

/** POST /nodes/{id}/statuses askStatuses */
export const StatusesSchema = Type.Object({
  nodeId: NodeIdSchema,
  items: Type.Array(
    Type.Object({
      url: Type.String(),
      status: Nullable(
        Type.Integer({ description: 'Of a file that would be sent 200, whatever its coding' }),
      ),
    }),
    { description: 'status null: it serves nothing yet, or can’t be asked about such a host' },
  ),
})

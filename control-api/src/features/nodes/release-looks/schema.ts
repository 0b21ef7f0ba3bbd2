// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { NameSchema, NodeIdSchema, Nullable, TimeSchema } from '../../../api-shapes/common.ts'

/** As many an order to a node may have. */
export const MOST_FILES = 20
export const MOST_NODES = 500
export const MOST_ODD = 200

export const ReleaseLookParamsSchema = Type.Object({
  name: NameSchema,
  number: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
})

const Count = Type.Integer({ minimum: 0 })

/** GET /releases/{name}/versions/{number}/look getReleaseLook */
export const ReleaseLookSchema = Type.Object({
  askedAt: Nullable({
    ...TimeSchema,
    description:
      'When nodes were asked last; null: nobody has asked since the control plane started, or long ago',
  }),
  files: Type.Integer({
    minimum: 0,
    maximum: MOST_FILES,
    description: 'Each node is asked for as many, drawn from all over the version',
  }),
  nodes: Type.Object(
    {
      right: Type.Integer({
        minimum: 0,
        description: 'Their answers are what the version says, as far as these say anything',
      }),
      odd: Count,
      waiting: Type.Integer({ minimum: 0, description: 'They have not answered yet' }),
      silent: Type.Integer({ minimum: 0, description: 'They did not answer within three minutes' }),
      away: Type.Integer({ minimum: 0, description: 'Not heard when others were asked' }),
      unable: Type.Integer({ minimum: 0, description: 'Their program is too old to say' }),
    },
    { description: 'Within the caller’s scope' },
  ),
  odd: Type.Array(
    Type.Object({
      node: Type.Object({ id: NodeIdSchema, name: Type.String() }),
      url: Type.String({ examples: ['www.example.org/css/site.css'] }),
      message: Type.String({ examples: ['404, and is in www@41'] }),
    }),
    { maxItems: MOST_ODD, description: 'The first of them' },
  ),
})
export type ReleaseLook = Static<typeof ReleaseLookSchema>

// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  ForgetAfterHoursSchema,
  NameSchema,
  Nullable,
  SelectorSchema,
  TimeSchema,
} from '../../api-shapes/common.ts'

const DescriptionSchema = Type.String({ maxLength: 500 })
const MergePatchSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: 'RFC 7396, laid over each version before the node’s own override',
})

const GroupForgetsSchema = Nullable(ForgetAfterHoursSchema)

export const GroupSchema = Type.Object({
  name: NameSchema,
  description: Type.String(),
  selector: Type.String({ description: 'Which labels its nodes have; empty: any' }),
  position: Type.Integer({
    minimum: 1,
    description: 'A node belongs to the first group whose selector matches it',
  }),
  config: Nullable(NameSchema),
  mergePatch: MergePatchSchema,
  forgetAfterHours: GroupForgetsSchema,
  nodes: Type.Integer({ description: 'Nodes that belong to it now' }),
  isDefault: Type.Boolean({ description: 'It takes the nodes that no other group takes' }),
  updatedAt: TimeSchema,
})
export type Group = Static<typeof GroupSchema>

const settings = {
  description: Type.Optional(DescriptionSchema),
  selector: SelectorSchema,
  config: Type.Optional(Nullable(NameSchema)),
  mergePatch: Type.Optional(MergePatchSchema),
  forgetAfterHours: Type.Optional(GroupForgetsSchema),
}
/** POST /groups createGroup: before the default group; `position` puts it before another one. */
export const NewGroupSchema = Type.Object(
  {
    name: NameSchema,
    ...settings,
    position: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { additionalProperties: false },
)
/** PUT /groups/{name} putGroup: what is left out is empty. If-Match required, as in PATCH and DELETE. */
export const PutGroupSchema = Type.Object(settings, { additionalProperties: false })
/** PATCH /groups/{name} updateGroup: what is left out stays. A given mergePatch replaces the old one. */
export const PatchGroupSchema = Type.Object(
  { ...settings, selector: Type.Optional(SelectorSchema) },
  { additionalProperties: false, minProperties: 1 },
)
/** GET/PUT /group-order: all groups but the default one, which is always the last. */
export const GroupOrderSchema = Type.Object(
  { names: Type.Array(NameSchema, { maxItems: 100 }) },
  { additionalProperties: false },
)

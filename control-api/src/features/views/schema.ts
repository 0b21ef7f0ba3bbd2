// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { TimeSchema } from '../../api-shapes/common.ts'

/** Of one person, over all lists. */
export const MOST_VIEWS = 50

export const ViewListSchema = Type.Enum(['nodes', 'rollouts', 'audit'], {
  description: 'Which list of the console it is a view of',
})
export const ViewNameSchema = Type.String({
  ...{ minLength: 1, maxLength: 60, pattern: '^[^\\s/\\\\]([^/\\\\\\x00-\\x1f]*[^\\s/\\\\])?$' },
  examples: ['Cordoned in Frankfurt'],
})
const SearchSchema = Type.Record(
  Type.String({ pattern: '^[A-Za-z][A-Za-z0-9]{0,39}$' }),
  Type.Union([Type.String({ maxLength: 1024 }), Type.Number(), Type.Boolean()]),
  {
    maxProperties: 16,
    additionalProperties: false,
    description: 'Filters, order and columns, as the list’s address has them',
    examples: [{ state: 'drift', sort: 'seen' }],
  },
)

export const ViewSchema = Type.Object({
  list: ViewListSchema,
  name: ViewNameSchema,
  search: SearchSchema,
  savedAt: TimeSchema,
})
export type View = Static<typeof ViewSchema>
/** PUT /views/{list}/{name} putView */
export const PutViewSchema = Type.Object({ search: SearchSchema }, { additionalProperties: false })
export const ViewsSchema = Type.Object({ items: Type.Array(ViewSchema) })

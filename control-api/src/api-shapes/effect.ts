// SPDX-License-Identifier: MIT
// What a text would be to the nodes if it became its config's next version and were rolled out.
import { type Static, Type } from 'typebox'
import { NameSchema, Nullable, someOf } from './common.ts'
import { FindingsSchema } from './findings.ts'

export const EffectSchema = Type.Object(
  {
    nodes: Type.Integer({
      description: 'Nodes that the config is for: they run it, or their group gives it to them',
    }),
    changed: Type.Integer({ description: 'Of those, who would get another config than now' }),
    groups: someOf(
      Type.Object({ group: NameSchema, nodes: Type.Integer(), changed: Type.Integer() }),
    ),
    versions: someOf(
      Type.Object({
        config: Nullable(NameSchema),
        version: Nullable(Type.Integer()),
        nodes: Type.Integer(),
      }),
    ),
    refused: Type.Object(
      { nodes: Type.Integer(), findings: FindingsSchema },
      { description: 'Who would refuse it: their text is wrong, or their machine’s owner says no' },
    ),
    unchecked: Type.Integer({
      description: 'Nodes with a new text that farmstead-node was not asked about',
    }),
  },
  {
    description:
      'groups, versions: of the nodes, by their group and by what they have now (null: nothing yet).',
  },
)
export type Effect = Static<typeof EffectSchema>

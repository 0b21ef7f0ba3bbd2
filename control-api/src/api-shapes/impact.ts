// SPDX-License-Identifier: MIT
// What a change of groups, labels or overrides would do to the nodes: the answer to ?dryRun=1.
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  DigestSchema,
  ForgetRuleSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  someOf,
} from './common.ts'

const who = { nodeId: NodeIdSchema, nodeName: NameSchema }
const Version = Type.Object({ config: NameSchema, number: Type.Integer() })
export const MAX_POINTERS = 20

export const ImpactSchema = Type.Object(
  {
    moves: someOf(Type.Object({ ...who, from: NameSchema, to: NameSchema })),
    changes: someOf(
      Type.Object({
        ...who,
        from: Nullable(Version),
        to: Nullable(Version),
        fromDigest: Nullable(DigestSchema),
        toDigest: Nullable(DigestSchema),
        pointers: Type.Array(Type.String(), {
          description: `Where the texts differ, the first ${MAX_POINTERS}`,
        }),
      }),
    ),
    invalid: someOf(
      Type.Object({ ...who, version: Version, errors: Type.Array(ConfigErrorSchema) }),
    ),
    forgets: someOf(Type.Object({ ...who, ...ForgetRuleSchema.properties })),
    unchecked: Type.Integer({
      description: 'Nodes that would get another text which farmstead-node was not asked about',
    }),
  },
  {
    description:
      'moves: nodes that would change group. changes: nodes that would get another text with the next rollout to them (null: none). invalid: those of them that would refuse it. forgets: nodes that are away for longer than would be said then, and would be decommissioned within a minute.',
  },
)
export type Impact = Static<typeof ImpactSchema>

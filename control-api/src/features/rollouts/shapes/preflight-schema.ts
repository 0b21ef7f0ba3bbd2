// SPDX-License-Identifier: MIT
// What nodes say of a version before it is ordered.
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
} from '../../../api-shapes/common.ts'
import { NewRolloutSchema } from './order-schema.ts'
import { ProbeSchema } from './schema.ts'

const StatusSchema = Nullable(Type.Integer({ description: 'HTTP status of a GET' }))
const PreflightNodeSchema = Type.Object({
  nodeId: NodeIdSchema,
  nodeName: NameSchema,
  state: Type.Enum(['takes', 'refuses', 'no_answer', 'busy'], {
    description: 'no_answer: not in time. busy: somebody else asks it',
  }),
  code: Nullable(Type.String({ description: 'Why it would refuse it' })),
  message: Type.String(),
  errors: Type.Array(ConfigErrorSchema, { description: 'In places of the version’s text' }),
  paths: Type.Array(
    Type.Object({
      running: StatusSchema,
      offered: StatusSchema,
    }),
    { description: 'In the order of samplePaths: now, and with the version' },
  ),
})
export type PreflightNode = Static<typeof PreflightNodeSchema>

/** POST /rollouts/preflight preflightRollout → 200: the body of an order, and what to look up. */
export const AskPreflightSchema = Type.Object(
  {
    ...NewRolloutSchema.properties,
    samplePaths: Type.Optional(
      Type.Array(ProbeSchema, {
        maxItems: 20,
        description: 'Left out: the probes of the strategy, else / of each site',
      }),
    ),
  },
  { additionalProperties: false },
)
export const PreflightSchema = Type.Object({
  samplePaths: Type.Array(ProbeSchema),
  nodes: Type.Array(PreflightNodeSchema, {
    description: 'Those that were asked: at most 50, some of each kind and text',
  }),
  answered: Type.Integer(),
  notConnected: Type.Integer(),
  tooOld: Type.Integer({ description: 'Connected, and of a version that cannot be asked' }),
  notAsked: Type.Integer({
    description:
      'Beyond the first 50, and those of earlier versions that have not the files of a release yet',
  }),
  isWhole: Type.Boolean({ description: 'All nodes that it would change have answered' }),
})
export type Preflight = Static<typeof PreflightSchema>

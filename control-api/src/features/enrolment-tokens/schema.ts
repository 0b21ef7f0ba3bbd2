// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  ForgetAfterHoursSchema,
  LabelsSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  someOf,
  TimeSchema,
  TokenIdSchema,
} from '../../api-shapes/common.ts'

/** POST /enrolment-tokens createEnrolmentToken; GET listEnrolmentTokens; GET /{id} getEnrolmentToken; DELETE /{id} deleteEnrolmentToken */
export const NewEnrolmentTokenSchema = Type.Object(
  {
    labels: Type.Optional(LabelsSchema),
    maxUses: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1 })),
    expiresInSeconds: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 2_592_000, default: 3600 }),
    ),
    /** Nodes that enrol with it start with this override (see the node's override). */
    mergePatch: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    forgetAfterHours: Type.Optional(ForgetAfterHoursSchema),
    /** The way back for a node whose identity has ended. Not with labels, override or several uses. */
    nodeId: Type.Optional(NodeIdSchema),
  },
  {
    additionalProperties: false,
    examples: [{ labels: { zone: 'a' }, maxUses: 3, expiresInSeconds: 3600 }],
  },
)
export const EnrolmentTokensQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  usable: Type.Optional(
    Type.Boolean({ description: 'Only those a node can still enrol with, or only the others' }),
  ),
})
export const EnrolmentTokenSchema = Type.Object({
  id: TokenIdSchema,
  labels: LabelsSchema,
  nodeId: Nullable(NodeIdSchema),
  nodeName: Nullable(NameSchema),
  maxUses: Type.Integer(),
  forgetAfterHours: Nullable(ForgetAfterHoursSchema),
  uses: Type.Integer(),
  expiresAt: TimeSchema,
  createdAt: TimeSchema,
  createdBy: Nullable(
    Type.String({ description: 'null: made on the control plane by its operator' }),
  ),
})
export const EnrolmentTokenDetailSchema = Type.Intersect([
  EnrolmentTokenSchema,
  Type.Object({
    joined: someOf(Type.Object({ nodeId: NodeIdSchema, nodeName: NameSchema })),
  }),
])
/** Shown once: only a digest of the secret is kept. */
export const CreatedEnrolmentTokenSchema = Type.Intersect([
  EnrolmentTokenSchema,
  Type.Object({
    secret: Type.String({ description: 'What the agent protocol carries' }),
    token: Type.String({
      description: 'To copy: the secret, and on TLS the CA’s fingerprint behind a dot',
    }),
    command: Type.String({ description: 'To run on the node' }),
  }),
])

export type NewEnrolmentToken = Static<typeof NewEnrolmentTokenSchema>
export type EnrolmentToken = Static<typeof EnrolmentTokenSchema>
export type EnrolmentTokenDetail = Static<typeof EnrolmentTokenDetailSchema>
export type CreatedEnrolmentToken = Static<typeof CreatedEnrolmentTokenSchema>

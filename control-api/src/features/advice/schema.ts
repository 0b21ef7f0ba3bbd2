// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  NameSchema,
  NodeIdSchema,
  Nullable,
  RolloutIdSchema,
  TimeSchema,
} from '../../api-shapes/common.ts'

export const RULES = [
  'readThreads',
  'statCache',
  'slowClients',
  'slowNetwork',
  'handshakes',
] as const
export const RuleSchema = Type.Enum([...RULES])
export type Rule = Static<typeof RuleSchema>

/** Of gates, those that a trial may name. */
const GATES = ['readWaitP99', 'cacheHits'] as const

const FigureSchema = Type.Object({
  name: Type.String({ description: 'For scripts: it stays as it is' }),
  label: Type.String(),
  unit: Type.Enum(['seconds', 'share', 'times', 'count', 'bytesPerSecond']),
  value: Type.Number(),
  low: Nullable(
    Type.Number({ description: 'With 95 % it is at least this; null: it was counted' }),
  ),
  high: Nullable(Type.Number()),
  atLeast: Nullable(Type.Number({ description: 'What it must be for this advice to be given' })),
  atMost: Nullable(Type.Number()),
})
export type Figure = Static<typeof FigureSchema>

const ChangeSchema = Type.Object({
  pointer: Type.String({ description: 'Of the value in the config' }),
  now: Nullable(Type.Integer({ description: 'As it was measured; null: see the config' })),
  times: Type.Integer({ description: 'So many times what it is now' }),
  most: Type.Integer({ description: 'The greatest value that there may be' }),
  gate: Type.Object({ metric: Type.Enum([...GATES]), max: Type.Number() }),
})
export type Change = Static<typeof ChangeSchema>

export const AdviceSchema = Type.Object({
  rule: RuleSchema,
  title: Type.String(),
  sentence: Type.String({ description: 'What was measured, what it means, what may help' }),
  figures: Type.Array(FigureSchema),
  arithmetic: Type.Array(Type.String(), { description: 'How the figures were got, line by line' }),
  change: Nullable(ChangeSchema),
  whyNoChange: Nullable(Type.String({ description: 'Why there is nothing in the config to try' })),
})
export type Advice = Static<typeof AdviceSchema>

export const ShownAdviceSchema = Type.Object({
  ...AdviceSchema.properties,
  lastSoAt: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'null: it is so now. Else it was so then, and `quiet` has why it is not any more; it is shown, and can be tried, for five minutes from then',
    }),
  ),
})
export type ShownAdvice = Static<typeof ShownAdviceSchema>

const QuietSchema = Type.Object({
  rule: RuleSchema,
  why: Type.String({ description: 'What it looked at, and why it has nothing to say' }),
})
export type Quiet = Static<typeof QuietSchema>

/** GET /nodes/{id}/advice getNodeAdvice */
export const NodeAdviceSchema = Type.Object({
  nodeId: NodeIdSchema,
  nodeName: Type.String(),
  from: TimeSchema,
  to: TimeSchema,
  advice: Type.Array(ShownAdviceSchema),
  quiet: Type.Array(QuietSchema),
})

/** POST /nodes/{id}/advice/{rule}/try tryAdvice */
export const TrialSchema = Type.Object({
  config: NameSchema,
  version: Type.Integer({ description: 'The one that was saved for it' }),
  pointer: Type.String(),
  from: Type.Integer(),
  to: Type.Integer(),
  rolloutId: RolloutIdSchema,
})

/** GET /advice listAdvice */
export const AdviceQuerySchema = Type.Object({
  of: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        'Whose: farm, group:NAME, version:CONFIG/NUMBER, nodes:SELECTOR or node:ID; the farm when it is left out',
      examples: ['group:default'],
    }),
  ),
})
export const AdviceListSchema = Type.Object({
  from: TimeSchema,
  to: TimeSchema,
  title: Type.String(),
  nodes: Type.Integer({ description: 'That were asked about' }),
  lookedAt: Type.Integer({
    description: 'Of them, those with the slowest stages: rules were asked about these alone',
  }),
  items: Type.Array(
    Type.Object({
      nodeId: NodeIdSchema,
      nodeName: Type.String(),
      advice: Type.Array(ShownAdviceSchema),
    }),
  ),
})

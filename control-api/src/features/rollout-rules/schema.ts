// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { Nullable } from '../../api-shapes/common.ts'

export const DaySchema = Type.Enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])
export type Day = Static<typeof DaySchema>

const LocalTime = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['22:00'], description })
export const ChangeWindowSchema = Type.Object(
  {
    days: Type.Array(DaySchema, { minItems: 1, maxItems: 7 }),
    from: LocalTime('As clocks in timeZone show it'),
    to: LocalTime('Not after `from`: on the day after'),
  },
  { additionalProperties: false },
)
export type ChangeWindow = Static<typeof ChangeWindowSchema>

/** GET, PUT /rollout-rules: what holds for every rollout of the farm. */
export const RolloutRulesSchema = Type.Object(
  {
    approvals: Type.Integer({
      minimum: 0,
      maximum: 5,
      description: 'People other than who ordered a rollout that must agree to its plan',
    }),
    approvalHours: Type.Integer({
      minimum: 1,
      maximum: 720,
      description: 'After that an order nobody agreed to has expired',
    }),
    windows: Type.Array(ChangeWindowSchema, {
      maxItems: 20,
      description: 'Rollouts begin, and their waves, while one of them is open; none: always',
    }),
    timeZone: Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Berlin'] }),
    blastBudget: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: 'Most nodes of the whole farm between two configs at once',
      }),
    ),
  },
  { additionalProperties: false },
)
export type RolloutRules = Static<typeof RolloutRulesSchema>

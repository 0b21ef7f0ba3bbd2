// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { Nullable, SelectorSchema, TimeSchema } from '../../api-shapes/common.ts'

const ulid = '[0-9a-hjkmnp-tv-z]{26}'
const id = (prefix: string) =>
  Type.String({
    pattern: `^${prefix}_${ulid}$`,
    examples: [`${prefix}_01jd4q6v2m8w3x5y7z9abcdefg`],
  })
export const AlertIdSchema = id('alert')
export const AlertRuleIdSchema = id('rule')
export const SilenceIdSchema = id('silence')

const strict = { additionalProperties: false }
const kind = <K extends string>(word: K, description: string) => Type.Literal(word, { description })

const MeasurementSchema = Type.Object(
  {
    kind: kind('measurement', 'A value of a time is above or below a threshold'),
    each: Type.Enum(['node', 'set'], {
      description: 'node: of each node by itself; set: of all of them together',
    }),
    by: Type.String({
      maxLength: 128,
      pattern:
        '^(quantile:[a-zA-Z]+:(0?[.][0-9]{1,6}|0|1)|(rate|share|gauge):[a-z][A-Za-z0-9]{0,63})$',
      description:
        'quantile:STAGE:Q in seconds, rate:COUNTER a second, share:COUNTER of all requests, gauge:NAME on average',
      examples: ['quantile:total:0.99', 'share:responses5xx'],
    }),
    comparison: Type.Enum(['above', 'below']),
    threshold: Type.Number({ minimum: -1e15, maximum: 1e15 }),
    clearThreshold: Type.Optional(
      Type.Number({
        minimum: -1e15,
        maximum: 1e15,
        description: 'It is over only beyond this one (hysteresis); left out: the threshold',
      }),
    ),
    windowSeconds: Type.Integer({ minimum: 60, maximum: 86_400, multipleOf: 60 }),
    minRequests: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1e9,
        description: 'A quantile or share of fewer says nothing; left out: 50',
      }),
    ),
  },
  strict,
)
const BurnRateSchema = Type.Object(
  {
    kind: kind(
      'burn-rate',
      'So many requests fail that the budget of an objective over 30 days is used up too fast: its 2 % in an hour, 5 % in six hours or 10 % in three days',
    ),
    objective: Type.Number({
      minimum: 0.5,
      maximum: 0.99999,
      description: 'Which share of requests is to be good',
      examples: [0.999],
    }),
    slowerThanSeconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 3600,
        description:
          'Bad are requests that took longer, to within 9 %: rounded up to the bound of a histogram’s bucket; left out: those answered with a status 500 to 599',
      }),
    ),
  },
  strict,
)

export const AlertConditionSchema = Type.Union([
  Type.Object({ kind: kind('node-silent', 'A node is not heard from') }, strict),
  Type.Object(
    { kind: kind('drift', 'A node’s config was changed on its machine, and nobody decided') },
    strict,
  ),
  Type.Object(
    { kind: kind('rollout-waiting', 'A rollout waits for approval, or is paused') },
    strict,
  ),
  Type.Object(
    {
      kind: kind(
        'certificate-ending',
        'A certificate, or what a node still serves of it, ends in fewer days, which are less than a sixth of its life',
      ),
      days: Type.Integer({ minimum: 1, maximum: 365 }),
    },
    strict,
  ),
  MeasurementSchema,
  BurnRateSchema,
])
export type Condition = Static<typeof AlertConditionSchema>
export type Measurement = Static<typeof MeasurementSchema>
export type BurnRate = Static<typeof BurnRateSchema>

const SeveritySchema = Type.Enum(['critical', 'warning'])
const AppliesToSchema = Type.String({
  minLength: 1,
  maxLength: 1100,
  description:
    'Whose, as in queries of measurements: farm, group:NAME, nodes:SELECTOR, node:ID, version:CONFIG/NUMBER. Of rollouts and certificates: farm',
  examples: ['farm', 'nodes:zone=eu'],
})
const settings = {
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
  description: Type.String({ maxLength: 1000 }),
  enabled: Type.Boolean(),
  severity: SeveritySchema,
  appliesTo: AppliesToSchema,
  condition: AlertConditionSchema,
  forSeconds: Type.Integer({
    minimum: 0,
    maximum: 604_800,
    description: 'It is pending for so long before it fires',
  }),
  keepFiringSeconds: Type.Integer({
    minimum: 0,
    maximum: 604_800,
    description: 'It must be clear for so long before it is resolved',
  }),
}
/** POST /alert-rules createAlertRule */
export const NewAlertRuleSchema = Type.Object(
  {
    name: settings.name,
    condition: settings.condition,
    description: Type.Optional(settings.description),
    enabled: Type.Optional(settings.enabled),
    severity: Type.Optional(settings.severity),
    appliesTo: Type.Optional(settings.appliesTo),
    forSeconds: Type.Optional(settings.forSeconds),
    keepFiringSeconds: Type.Optional(settings.keepFiringSeconds),
  },
  strict,
)
/** PATCH /alert-rules/{id} updateAlertRule */
export const AlertRulePatchSchema = Type.Partial(Type.Object(settings), {
  ...strict,
  minProperties: 1,
})
export type AlertRulePatch = Static<typeof AlertRulePatchSchema>
export const AlertRuleSchema = Type.Object({
  id: AlertRuleIdSchema,
  ...settings,
  failing: Nullable(
    Type.String({ description: 'Why it could not be looked at last; null: it was' }),
  ),
  createdAt: TimeSchema,
  createdBy: Type.String(),
})
export type AlertRule = Static<typeof AlertRuleSchema>

/** POST /alert-rules/preview previewAlertRule */
export const PreviewRequestSchema = Type.Object(
  {
    condition: Type.Union([MeasurementSchema, BurnRateSchema]),
    appliesTo: Type.Optional(settings.appliesTo),
    forSeconds: Type.Optional(settings.forSeconds),
    keepFiringSeconds: Type.Optional(settings.keepFiringSeconds),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 7, description: 'How far back; left out: 7' }),
    ),
  },
  strict,
)
const SubjectSchema = Type.Object({
  kind: Type.Enum(['node', 'rollout', 'certificate', 'set']),
  id: Type.String(),
  name: Type.String(),
})
export const AlertPreviewSchema = Type.Object({
  from: TimeSchema,
  to: TimeSchema,
  lookEverySeconds: Type.Integer({ description: 'States are told to within this' }),
  lookedAt: Type.Integer({ description: 'Nodes that were looked at; of a set 1' }),
  subjects: Type.Integer({
    description: 'Nodes that there are: of very many only some, evenly chosen, are looked at',
  }),
  fired: Type.Integer({ description: 'Alerts that somebody would have been told of' }),
  pendingOnly: Type.Integer({ description: 'Alerts that were over before they fired' }),
  alerts: Type.Array(
    Type.Object({
      subject: SubjectSchema,
      pendingSince: TimeSchema,
      firingSince: Nullable(TimeSchema),
      overAt: Nullable(TimeSchema),
      worst: Nullable(Type.Number()),
    }),
    { description: 'Newest first, those that fired before the others; at most 200' },
  ),
  stepSeconds: Type.Integer(),
  times: Type.Array(Type.Integer(), { description: 'Unix seconds, the start of each step' }),
  values: Type.Array(Nullable(Type.Number()), {
    description:
      'The worst of any node in each step; of a burn rate how many times too fast over an hour; null: nothing said so',
  }),
  firing: Type.Array(Type.Integer(), { description: 'How many fired in each step' }),
})
export type AlertPreview = Static<typeof AlertPreviewSchema>

export const AlertStateSchema = Type.Enum(['pending', 'firing', 'resolved'])
export const AlertSchema = Type.Object({
  id: AlertIdSchema,
  ruleId: AlertRuleIdSchema,
  ruleName: Type.String(),
  severity: SeveritySchema,
  subject: SubjectSchema,
  state: AlertStateSchema,
  isWithoutData: Type.Boolean({
    description: 'It fires, and nothing that came since says whether it still is so',
  }),
  value: Nullable(Type.Number()),
  message: Type.String(),
  pendingSince: TimeSchema,
  firingSince: Nullable(TimeSchema),
  resolvedAt: Nullable(TimeSchema),
  resolvedBecause: Nullable(Type.String()),
  toldAt: Nullable(
    Type.String({ format: 'date-time', description: 'That it fires; null: it was not told' }),
  ),
  silencedUntil: Nullable(TimeSchema),
  acknowledgedAt: Nullable(TimeSchema),
  acknowledgedBy: Nullable(Type.String()),
  comment: Type.String(),
})
export type Alert = Static<typeof AlertSchema>
/** POST /alerts/{id}/actions/acknowledge acknowledgeAlert */
export const AcknowledgeSchema = Type.Object(
  { comment: Type.Optional(Type.String({ maxLength: 1000 })) },
  strict,
)
/** POST /alert-rules/{id}/actions/test testAlertRule */
export const AlertTestSchema = Type.Object({
  eventId: Type.Integer({ description: 'Its number in the audit' }),
})

/** POST /alert-silences createAlertSilence */
export const NewSilenceSchema = Type.Object(
  {
    ruleId: Type.Optional(AlertRuleIdSchema),
    selector: Type.Optional(SelectorSchema),
    reason: Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' }),
    until: TimeSchema,
  },
  {
    ...strict,
    examples: [{ selector: 'zone=eu', reason: 'New disks', until: '2100-01-01T00:00:00.000Z' }],
  },
)
export const SilenceSchema = Type.Object({
  id: SilenceIdSchema,
  ruleId: Nullable(AlertRuleIdSchema),
  selector: Nullable(Type.String({ description: 'Of nodes; null: alerts of anything' })),
  reason: Type.String(),
  until: TimeSchema,
  createdAt: TimeSchema,
  createdBy: Type.String(),
})
export type Silence = Static<typeof SilenceSchema>

// SPDX-License-Identifier: MIT
// Shapes that several features share. Times are ISO 8601 UTC strings at the border; durations and
// sizes carry their unit in the name; ids are a prefix and a lower-case ULID.
import { type Static, Type } from 'typebox'
import { SELECTOR_MAX_LENGTH } from '../labels/selector.ts'

const ulid = '[0-9a-hjkmnp-tv-z]{26}'
const id = (prefix: string) =>
  Type.String({
    pattern: `^${prefix}_${ulid}$`,
    examples: [`${prefix}_01jd4q6v2m8w3x5y7z9abcdefg`],
  })

export const NodeIdSchema = id('node')
export const RolloutIdSchema = id('rollout')
const MOST_IDS = 50
export const RolloutIdsSchema = Type.String({
  pattern: `^rollout_${ulid}(,rollout_${ulid}){0,${MOST_IDS - 1}}$`,
  examples: ['rollout_01jd4q6v2m8w3x5y7z9abcdefg'],
  description: `Only these, separated by commas: at most ${MOST_IDS}. One that is not there, or out of sight, is left out`,
})
/** Of machines that come and go by themselves. */
export const ForgetAfterHoursSchema = Type.Integer({
  minimum: 1,
  maximum: 8760,
  description: 'Away for so many hours, a node is decommissioned by itself',
})
/** Which of the two holds: the shorter one. */
export const ForgetRuleSchema = Type.Object({
  afterHours: ForgetAfterHoursSchema,
  by: Type.Enum(['token', 'group'], {
    description: 'Who says so: the token it joined with, or its group',
  }),
})
export const TokenIdSchema = id('token')
export const UserIdSchema = id('user')
export const BackupIdSchema = id('backup')
export const PreviewIdSchema = id('preview')
/** Stands in histories, logs and shell commands. */
export const UsernameSchema = Type.String({
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]*$',
  examples: ['ana'],
})
export const TimeSchema = Type.String({
  format: 'date-time',
  examples: ['2026-11-21T09:00:00.000Z'],
})
/** Who keeps a node out of rollouts, since when and why. */
export const CordonSchema = Type.Object({
  by: Type.String(),
  at: TimeSchema,
  reason: Type.String(),
})
export const DigestSchema = Type.String({
  pattern: '^sha256:[0-9a-f]{64}$',
  examples: [`sha256:${'9f86d081'.repeat(8)}`],
})
/** Names of nodes and configs: DNS-like, so they fit in URLs, logs and shell commands unquoted. */
export const NameSchema = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
  examples: ['edge-1'],
})
/** Label selectors: "zone=eu,tier in (edge, core),!canary"; see labels/selector.ts. */
export const SelectorSchema = Type.String({
  maxLength: SELECTOR_MAX_LENGTH,
  examples: ['zone=eu,!canary'],
})
const LabelKeySchema = Type.String({ pattern: '^[a-z][a-z0-9_.-]{0,62}$' })
export const LabelsSchema = Type.Record(LabelKeySchema, Type.String({ maxLength: 128 }), {
  maxProperties: 32,
  additionalProperties: false,
  // Again, for openapi.json: what makes it leaves patternProperties out.
  propertyNames: LabelKeySchema,
  examples: [{ zone: 'a' }],
})
export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/** Where in a config text something is wrong. Lines and columns from 1, columns in UTF-16 units. */
export const ConfigErrorSchema = Type.Object({
  pointer: Type.String({ description: 'JSON Pointer (RFC 6901)' }),
  line: Type.Integer({ minimum: 0 }),
  column: Type.Integer({ minimum: 0 }),
  endLine: Type.Integer({ minimum: 0 }),
  endColumn: Type.Integer({ minimum: 0 }),
  code: Type.String(),
  message: Type.String(),
  hint: Type.String(),
})
export type ConfigError = Static<typeof ConfigErrorSchema>

/**
 * RFC 9457. `errors` points into the request body, or into the config text it carried. Some problems
 * carry members of their own, such as what is in the way.
 */
export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'Stable, for programs: snake_case' }),
    detail: Type.String({ description: 'What happened, to what, and what to do' }),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(ConfigErrorSchema)),
  },
  { additionalProperties: true },
)
export type Problem = Static<typeof ProblemSchema>

/** Of a change: the ETag of the state it was made from. Optional here, so that its absence is a 428. */
export const IfMatchSchema = Type.Object({
  'if-match': Type.Optional(Type.String({ maxLength: 256, examples: ['"3"'] })),
})

/** Of a GET whose answer has an ETag: 304 when it is still that. */
export const IfNoneMatchSchema = Type.Object({
  'if-none-match': Type.Optional(Type.String({ maxLength: 256 })),
})

/** Lists are pages: pass `nextCursor` back as `cursor` until it is null. */
export const pageOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    nextCursor: Nullable(Type.String({ examples: ['WyJub2RlcyIsImVkZ2UtMSJd'] })),
  })
/** The first of many, and how many there are. */
export const SOME = 100
export const someOf = <T extends Parameters<typeof Type.Array>[0]>(item: T, most = SOME) =>
  Type.Object({
    total: Type.Integer(),
    items: Type.Array(item, { description: `The first ${most}` }),
  })
export const some = <T>(all: readonly T[], most = SOME) => ({
  total: all.length,
  items: all.slice(0, most),
})
/** On a change: say what it would do, and do nothing. */
export const DryRunQuerySchema = Type.Object({
  dryRun: Type.Optional(Type.Enum(['0', '1'], { description: '1: nothing is stored' })),
})
export const PageQuerySchema = Type.Object({
  cursor: Type.Optional(
    Type.String({ maxLength: 512, description: 'The `nextCursor` of the page before' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
})

// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  DigestSchema,
  NameSchema,
  Nullable,
  PageQuerySchema,
  ProblemSchema,
  TimeSchema,
} from '../../api-shapes/common.ts'
import { EFFECTS } from './text/schema-walk.ts'

export const ConfigTextSchema = Type.String({
  maxLength: 1_048_576,
  description: 'JSON with comments, kept byte for byte',
  examples: [
    '{ "listen": [{ "address": "0.0.0.0", "port": 8080 }], "sites": [{ "hosts": ["*"], "root": "/srv/www" }] }',
  ],
})
export const MessageSchema = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '\\S',
  examples: ['Serve the new catalogue'],
})
export const SourceSchema = Type.Enum(['ui', 'api', 'cli', 'drift', 'revert', 'import', 'setup'])
export type Source = Static<typeof SourceSchema>

/** GET /configs */
export const ConfigQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  q: Type.Optional(Type.String({ maxLength: 63, description: 'Part of the name' })),
})
/** GET /configs/{name}/versions */
export const VersionQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  author: Type.Optional(Type.String({ maxLength: 128 })),
  source: Type.Optional(SourceSchema),
  q: Type.Optional(
    Type.String({ maxLength: 128, description: 'Part of the message, or the number: 17 or v17' }),
  ),
})

/** Part of a text comparison. */
export const TextHunkSchema = Type.Object({
  fromLine: Type.Integer({ minimum: 0 }),
  fromLines: Type.Integer({ minimum: 0 }),
  toLine: Type.Integer({ minimum: 0 }),
  toLines: Type.Integer({ minimum: 0 }),
  lines: Type.Array(Type.String(), { description: 'Each begins with a space, - or +' }),
})
/** Part of a comparison by what it says. */
export const ChangeSchema = Type.Object({
  pointer: Type.String({ description: 'Where it is now; of what was removed, where it was' }),
  fromPointer: Nullable(Type.String({ description: 'Where it was; null: it is new' })),
  kind: Type.Enum(['added', 'removed', 'changed', 'moved']),
  from: Type.Unknown(),
  to: Type.Unknown(),
  help: Type.String({ description: 'What the option does, from the schema' }),
  default: Type.Unknown({ description: 'What holds where it is not given; null: nothing' }),
  effect: Type.Enum(EFFECTS, {
    description:
      'live: from the next request on. listeners: the node opens and closes listening sockets for it. restart: when the node’s process is started again',
  }),
})

/** GET /configs listConfigs, GET /configs/{name} getConfig */
export const ConfigSchema = Type.Object({
  name: NameSchema,
  latestVersion: Nullable(Type.Integer()),
  draftChanged: Type.Boolean({ description: 'The draft differs from the latest version' }),
  updatedAt: TimeSchema,
})

/** GET /configs/{name}/versions listVersions (newest first, without text) */
export const VersionSummarySchema = Type.Object({
  config: NameSchema,
  number: Type.Integer({ minimum: 1 }),
  parent: Nullable(Type.Integer()),
  digest: DigestSchema,
  author: Type.String(),
  message: Type.String(),
  source: SourceSchema,
  createdAt: TimeSchema,
  sizeBytes: Type.Integer(),
  nodes: Type.Integer({ description: 'Nodes whose effective config is this version' }),
})
/** GET /configs/{name}/versions/{number} getVersion */
export const VersionSchema = Type.Intersect([
  VersionSummarySchema,
  Type.Object({ text: ConfigTextSchema }),
])

/** GET /configs/{name}/draft getDraft (ETag); PUT putDraft: If-Match required, 428 without, 412 with the other's text */
export const DraftSchema = Type.Object({
  text: ConfigTextSchema,
  baseVersion: Nullable(Type.Integer()),
  updatedBy: Nullable(Type.String()),
  updatedAt: TimeSchema,
})
export const PutDraftSchema = Type.Object(
  {
    text: ConfigTextSchema,
    baseVersion: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'The version whose changes the text has, as after POST …/merge; left out: what the draft says already',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Two texts of one origin, put together. */
const merged = {
  text: Type.String({ description: 'With marks as git’s around what both changed' }),
  conflicts: Type.Array(
    Type.Object({
      startLine: Type.Integer({ description: 'Of its first mark, from 1' }),
      mine: Type.Array(Type.String()),
      base: Type.Array(Type.String()),
      current: Type.Array(Type.String()),
    }),
  ),
}

/** PUT /configs/{name}/draft, DELETE it: 412 */
export const DraftConflictSchema = Type.Intersect([
  ProblemSchema,
  Type.Object({
    current: DraftSchema,
    etag: Type.String({ description: 'Of `current`, to save on top of it' }),
    base: Nullable(
      Type.Object(
        { text: ConfigTextSchema, etag: Type.String() },
        {
          description: 'The draft that If-Match named; null: too old to be known',
        },
      ),
    ),
    changes: Nullable(
      Type.Array(
        Type.Intersect([
          ChangeSchema,
          Type.Object({ by: Nullable(Type.String()), at: TimeSchema }),
        ]),
        { description: 'From `base` to `current`; null: one of them is unknown or not JSON' },
      ),
    ),
    moreChanges: Type.Integer({ description: 'Left out of `changes`' }),
    merged: Nullable(
      Type.Object(merged, { description: 'The text that was sent, with what changed meanwhile' }),
    ),
  }),
])

/** POST /configs/{name}/merge mergeVersions */
export const MergeSchema = Type.Object(
  {
    text: ConfigTextSchema,
    baseVersion: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The version that the text was begun on',
      examples: [1],
    }),
  },
  { additionalProperties: false },
)
export const MergedSchema = Type.Object({
  version: Type.Integer({ description: 'The latest, whose changes the text has now' }),
  author: Type.String(),
  message: Type.String(),
  ...merged,
})

/** POST /configs/{name}/versions createVersion: from `text`; parent must be the latest (409 `parent_not_latest`). 201, or 422 with errors */
export const NewVersionSchema = Type.Object(
  {
    text: ConfigTextSchema,
    message: MessageSchema,
    parent: Nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    source: Type.Optional(
      Type.Literal('import', { description: 'The text comes from a file of somebody else' }),
    ),
  },
  { additionalProperties: false },
)
/** POST /configs/{name}/versions/{number}/actions/restore restoreVersion */
export const RestoreSchema = Type.Object(
  {
    message: MessageSchema,
    parent: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  },
  { additionalProperties: false },
)
/** ?dryRun=1 → 200: what saving the text would do */
export const VersionPlanSchema = Type.Object({
  dryRun: Type.Literal(true),
  config: NameSchema,
  creates: Type.Boolean({ description: 'false: it is the latest version’s very text' }),
  number: Type.Integer({ description: 'Of the version there would be, or is' }),
  parent: Nullable(Type.Integer()),
  digest: DigestSchema,
  source: SourceSchema,
  hunks: Type.Array(TextHunkSchema),
  changes: Type.Array(ChangeSchema),
  moreChanges: Type.Integer(),
})

/** POST /configs/validate validateConfig: schema first, then the node binary's own check */
export const ValidateSchema = Type.Object(
  { text: ConfigTextSchema },
  { additionalProperties: false },
)
export const ValidationSchema = Type.Object({
  ok: Type.Boolean(),
  digest: Nullable(DigestSchema),
  errors: Type.Array(ConfigErrorSchema),
})

/** One side of a comparison. */
export const SideSchema = Type.String({
  pattern: '^([1-9][0-9]{0,8}|draft)$',
  description: 'A version’s number, or "draft"',
  examples: ['3', 'draft'],
})
/** GET /configs/{name}/diff?from=&to= diffVersions */
export const DiffQuerySchema = Type.Object({
  from: SideSchema,
  to: SideSchema,
  toConfig: Type.Optional(NameSchema),
  context: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 50, default: 3, description: 'Unchanged lines shown' }),
  ),
})
const DiffSideSchema = Type.Union([Type.Integer(), Type.Literal('draft')])
export const DiffSchema = Type.Object({
  from: DiffSideSchema,
  to: DiffSideSchema,
  toConfig: NameSchema,
  fromText: ConfigTextSchema,
  toText: ConfigTextSchema,
  hunks: Type.Array(TextHunkSchema, { description: 'As `diff -u` shows it' }),
  changes: Nullable(
    Type.Array(ChangeSchema, { description: 'null: the draft is not JSON, as while one types' }),
  ),
  moreChanges: Type.Integer({ description: 'Left out of `changes`' }),
})
/** GET /config-schema getConfigSchema: server-c/config.schema.json as it is */

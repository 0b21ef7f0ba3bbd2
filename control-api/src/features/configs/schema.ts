// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  DigestSchema,
  NameSchema,
  Nullable,
  TimeSchema,
} from '../../schema/common.ts'

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
export type Version = Static<typeof VersionSchema>

/** GET /configs/{name}/draft getDraft (ETag); PUT putDraft: If-Match required, 428 without, 412 with the other's text */
export const DraftSchema = Type.Object({
  text: ConfigTextSchema,
  baseVersion: Nullable(Type.Integer()),
  updatedBy: Nullable(Type.String()),
  updatedAt: TimeSchema,
})
export const PutDraftSchema = Type.Object(
  { text: ConfigTextSchema },
  { additionalProperties: false },
)

/** POST /configs/{name}/versions createVersion: from `text`; parent must be the latest (409 `parent_not_latest`). 201, or 422 with errors */
export const NewVersionSchema = Type.Object(
  {
    text: ConfigTextSchema,
    message: MessageSchema,
    parent: Nullable(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
)

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

/** GET /configs/{name}/diff?from=&to= diffVersions: by pointer; the console draws the text diff from the two texts */
export const DiffSchema = Type.Object({
  from: Type.Integer(),
  to: Type.Integer(),
  fromText: ConfigTextSchema,
  toText: ConfigTextSchema,
  changes: Type.Array(
    Type.Object({
      pointer: Type.String(),
      kind: Type.Enum(['added', 'removed', 'changed']),
      from: Type.Unknown(),
      to: Type.Unknown(),
      help: Type.String({ description: 'What the option does, from the schema' }),
    }),
  ),
})
/** GET /config-schema getConfigSchema: server-c/config.schema.json as it is */

// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { ConfigErrorSchema, Nullable } from '../../api-shapes/common.ts'
import { VERDICTS } from './findings.ts'
import { LANGUAGES } from './languages.ts'

export const MOST_FILES = 500
/** Of all files together. */
export const MOST_CHARACTERS = 1_048_576
const PathSchema = Type.String({ minLength: 1, maxLength: 1024 })

/** POST /imports importConfig */
export const ImportBodySchema = Type.Object(
  {
    language: Type.Enum([...LANGUAGES], { description: 'Whose config it is' }),
    main: Type.Array(PathSchema, {
      minItems: 1,
      maxItems: 64,
      description: 'Paths of the files to begin with; the others are what these include',
      examples: [['/etc/nginx/nginx.conf']],
    }),
    files: Type.Array(
      Type.Object(
        { path: PathSchema, text: Type.String({ maxLength: MOST_CHARACTERS }) },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MOST_FILES },
    ),
  },
  { additionalProperties: false },
)

const FindingSchema = Type.Object({
  file: Type.String(),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  directive: Type.String({ description: 'As it stands there, cut after 160 characters' }),
  verdict: Type.Enum([...VERDICTS]),
  notes: Type.Array(
    Type.Object({
      code: Type.String({ description: 'Stable, for programs' }),
      text: Type.String({ description: 'What differs and why, or what to do instead' }),
    }),
  ),
})
export const ImportSchema = Type.Object({
  draft: Nullable(
    Type.String({
      description: 'A config for nodes; null: nothing of it is a static server’s work',
    }),
  ),
  ok: Type.Boolean({ description: 'Whether farmstead-node takes the draft' }),
  errors: Type.Array(ConfigErrorSchema, { description: 'What it says against the draft' }),
  findings: Type.Array(FindingSchema, { description: 'Every directive of the files, once' }),
  report: Type.String({ description: 'The same to read, as Markdown' }),
})
export type ImportBody = Static<typeof ImportBodySchema>

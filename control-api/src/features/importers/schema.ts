// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { ConfigErrorSchema, Nullable } from '../../api-shapes/common.ts'
import { VERDICTS } from './findings.ts'
import { LANGUAGES, MOST_CHARACTERS, MOST_FILES, MOST_MAIN_FILES } from './request.ts'

const PathSchema = Type.String({ minLength: 1, maxLength: 1024 })

/** POST /imports importConfig */
export const ImportBodySchema = Type.Object(
  {
    language: Type.Enum([...LANGUAGES], { description: 'Whose config it is' }),
    main: Type.Array(PathSchema, {
      minItems: 1,
      maxItems: MOST_MAIN_FILES,
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
  gains: Type.Array(Type.Object({ code: Type.String(), text: Type.String() }), {
    description: 'What the sites have on a node that they did not have before',
  }),
  findings: Type.Array(FindingSchema, { description: 'Every directive of the files, once' }),
  report: Type.String({ description: 'The same to read, as Markdown' }),
})
/** GET /imports describeImports */
export const KnownImportsSchema = Type.Object({
  languages: Type.Array(
    Type.Object({
      language: Type.Enum([...LANGUAGES]),
      title: Type.String({ description: 'What the server calls itself' }),
      folder: Type.String({ description: 'Where its config usually lies' }),
      mainFiles: Type.Array(Type.String(), {
        description: 'What the file that it begins with is usually called',
      }),
    }),
  ),
  verdicts: Type.Array(
    Type.Object({
      verdict: Type.Enum([...VERDICTS]),
      title: Type.String({ description: 'What the list is called in reports' }),
      meaning: Type.String(),
    }),
    { description: 'The three lists of a report, in its order' },
  ),
  mostFiles: Type.Integer(),
  mostMainFiles: Type.Integer({ description: 'How many may be begun with' }),
  mostCharacters: Type.Integer({ description: 'Of all files together' }),
})
export type KnownImports = Static<typeof KnownImportsSchema>
export type ImportBody = Static<typeof ImportBodySchema>

// SPDX-License-Identifier: MIT
// What a node would answer to URLs, by which rules, and what it would with another text.
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  TimeSchema,
} from '../../api-shapes/common.ts'

export const MOST_URLS = 50
const LONGEST_URL = 2048

export const UrlSchema = Type.String({
  maxLength: LONGEST_URL,
  pattern: '^https?://[!-~]+$',
  examples: ['https://www.example.org/index.html'],
})

export const ExplainSchema = Type.Object(
  {
    urls: Type.Array(UrlSchema, {
      minItems: 1,
      maxItems: MOST_URLS,
      description: 'Percent-encoded, as in a request',
    }),
    text: Type.Optional(
      Type.String({
        maxLength: 1_048_576,
        description: 'A text of a config, to hold against what the node has: `after`',
        examples: ['{ "sites": [{ "hosts": ["*"], "root": "/srv/www" }] }'],
      }),
    ),
  },
  { additionalProperties: false },
)

const PlaceSchema = Type.Object(
  {
    pointer: Type.String({
      description: 'JSON Pointer (RFC 6901), in the text that the node gets',
    }),
    line: Type.Integer({
      minimum: 0,
      description: 'In the author’s text; 0: it is not from there',
    }),
    column: Type.Integer({ minimum: 0 }),
    from: Nullable(Type.String({ description: 'Whose it is when it is not the author’s' })),
    since: Nullable(
      Type.Object({
        number: Type.Integer({ description: 'The version of the config that has it first' }),
        author: Type.String(),
        at: TimeSchema,
        isOlder: Type.Boolean({ description: 'Older than that: so far back was looked' }),
      }),
    ),
  },
  { description: 'since: of what the node has now, and only of what its config says itself' },
)
export type ExplainedPlace = Static<typeof PlaceSchema>

export const ExplainedSchema = Type.Object({
  status: Type.Integer({ description: 'If the file is there; 421: no site is for this host' }),
  location: Type.String({ description: 'Of a redirect; else empty' }),
  path: Type.String({ description: 'Of the file that is taken to be there, decoded; else empty' }),
  files: Type.Array(Type.String(), {
    description: 'Where is looked, in this order. A status in place of a file ends the search',
  }),
  rules: Type.Array(PlaceSchema, {
    description: 'Without any of these it would be another answer',
  }),
  unread: Type.Array(PlaceSchema, {
    description: 'Files that the config names, which only the node has: they may change the answer',
  }),
  headers: Type.Array(
    Type.Object({
      name: Type.String(),
      value: Nullable(Type.String({ description: 'null: it is as the file is' })),
      from: Nullable(PlaceSchema),
    }),
    { description: '`from`: the rule it comes from; null: the node sends it by itself' },
  ),
})
export type Explained = Static<typeof ExplainedSchema>

/** POST /nodes/{id}/explain explainUrls */
export const ExplanationSchema = Type.Object({
  nodeId: NodeIdSchema,
  version: Type.Union([Type.Object({ config: NameSchema, number: Type.Integer() }), Type.Null()], {
    description: 'What the node was given last; null: nothing',
  }),
  errors: Type.Array(ConfigErrorSchema, { description: 'Why the node would refuse `text`' }),
  items: Type.Array(
    Type.Object({
      url: Type.String(),
      error: Nullable(Type.String({ description: 'Why it is no URL' })),
      before: Type.Union([ExplainedSchema, Type.Null()], {
        description: 'With what it has; null: it has nothing, or would refuse it',
      }),
      after: Type.Union([ExplainedSchema, Type.Null()], { description: 'With `text`' }),
    }),
  ),
})
export type Explanation = Static<typeof ExplanationSchema>

// SPDX-License-Identifier: MIT
// Searches among the requests of nodes: which are meant, and what was found.
import { type Static, Type } from 'typebox'
import { NameSchema, NodeIdSchema, Nullable, TimeSchema } from '../../api-shapes/common.ts'
import { MOST_NODES } from '../../fleet/request-searches.ts'
import { RequestSampleSchema } from './request-schema.ts'

const MOST_SECONDS = 600
export const DEFAULT_SECONDS = 60
export const SearchIdSchema = Type.String({
  pattern: '^search_[0-9a-hjkmnp-tv-z]{26}$',
  examples: ['search_01jd0c2v3x4y5z6a7b8c9d0e1f'],
})
const HostSchema = Type.String({ minLength: 1, maxLength: 253, pattern: '^[\\x21-\\x7e]+$' })
const PathSchema = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\x00-\\x1f]+$' })
const StatusSchema = Type.Integer({ minimum: 100, maximum: 599 })

const FilterSchema = Type.Object({
  config: Type.Optional(
    Type.Unsafe<string>({ ...NameSchema, description: 'Of nodes that run a version of it' }),
  ),
  site: Type.Optional(
    Type.Unsafe<string>({
      ...HostSchema,
      description: 'Answered by the site that has this among its hosts',
    }),
  ),
  host: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'A part of the host that was asked for, in whatever case',
    }),
  ),
  pathPrefix: Type.Optional(
    Type.Unsafe<string>({ ...PathSchema, description: 'The path, masked, begins so' }),
  ),
  pathPart: Type.Optional(
    Type.Unsafe<string>({
      ...PathSchema,
      description: 'A part of the path, masked. Not beside pathPrefix',
    }),
  ),
  method: Type.Optional(Type.String({ pattern: '^[A-Z][A-Z-]{0,15}$', examples: ['GET'] })),
  statusFrom: Type.Optional(StatusSchema),
  statusTo: Type.Optional(
    Type.Unsafe<number>({ ...StatusSchema, description: 'Left out: as statusFrom' }),
  ),
  client: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 49,
      description:
        'Of this address, or of this block of them (203.0.113.0/24). Needs requests:clients',
    }),
  ),
  slowerThanMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  bytesFrom: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'So many bytes were sent, or more',
    }),
  ),
})

/** POST /request-searches startRequestSearch */
export const StartSearchSchema = Type.Object({
  of: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1100,
      default: 'farm',
      description:
        'Whose requests: "farm", "group:NAME", "version:CONFIG/NUMBER", "nodes:SELECTOR" or "node:ID"',
    }),
  ),
  ...FilterSchema.properties,
  tellsClients: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Say who asked, too. Needs requests:clients',
    }),
  ),
  seconds: Type.Optional(
    Type.Integer({ minimum: 5, maximum: MOST_SECONDS, default: DEFAULT_SECONDS }),
  ),
})
export type StartSearch = Static<typeof StartSearchSchema>

export const SearchQuerySchema = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '`next` of the answer before',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2000,
      default: 500,
      description: 'Of those after it, the newest',
    }),
  ),
})

export const FoundRequestSchema = Type.Object({
  ...RequestSampleSchema.properties,
  number: Type.Integer({ description: 'Of this service since its start; later ones are higher' }),
  nodeId: NodeIdSchema,
  nodeName: NameSchema,
  host: Type.String({ description: 'Asked for, with its port where it was said' }),
  method: Type.String({ description: 'Empty: what was sent is no request' }),
  client: Nullable(Type.String({ description: 'null: not told' })),
})
export type FoundRequest = Static<typeof FoundRequestSchema>

const CountSchema = {
  requests: Type.Number({ description: 'At most so many, by what was sent of them' }),
  overcountAtMost: Type.Number({ description: 'At least so many less' }),
}

/** GET /request-searches/{id} getRequestSearch */
export const RequestSearchSchema = Type.Object({
  id: SearchIdSchema,
  state: Type.Enum(['searching', 'ended']),
  leftSeconds: Type.Number({ minimum: 0 }),
  tellsClients: Type.Boolean(),
  nodes: Type.Object({
    selected: Type.Integer(),
    connected: Type.Integer({ description: 'Of those' }),
    searched: Type.Integer({
      description: `Of those: at most ${MOST_NODES}, of more some that were chosen by chance`,
    }),
    tooOld: Type.Integer({ description: 'They can’t search, and were not taken' }),
    busy: Type.Integer({ description: 'They are searched for others already, and were not taken' }),
    live: Type.Integer({ description: 'Of those that are searched, these send' }),
  }),
  seen: Type.Integer({ description: 'Requests that the nodes looked at' }),
  matched: Type.Integer({ description: 'Of those, the filter is for so many' }),
  received: Type.Integer({
    description: 'Of those, so many were sent: of each node and second some, chosen by chance',
  }),
  next: Type.Integer({ description: 'For `after` of the next question' }),
  skipped: Type.Integer({
    description:
      'Received after `after`, but not below: there were more than `limit`, or than are kept',
  }),
  requests: Type.Array(FoundRequestSchema, { description: 'By when they began' }),
  topPaths: Type.Array(
    Type.Object({
      path: Type.String({ description: 'After the host, unless a site was asked for' }),
      ...CountSchema,
    }),
    { description: 'The ten that were asked for most often' },
  ),
  topClients: Nullable(
    Type.Array(Type.Object({ client: Type.String(), ...CountSchema }), {
      description: 'null: clients are not told',
    }),
  ),
  times: Type.Object(
    {
      sampled: Type.Integer({ description: 'Of so many requests' }),
      p50Seconds: Nullable(Type.Number()),
      p90Seconds: Nullable(Type.Number()),
      p99Seconds: Nullable(Type.Number()),
    },
    {
      description:
        'How long the found ones took that ended well, from samples without bias. null: fewer than ten samples were slower, too few to say',
    },
  ),
  startedAt: TimeSchema,
})
export type RequestSearchView = Static<typeof RequestSearchSchema>

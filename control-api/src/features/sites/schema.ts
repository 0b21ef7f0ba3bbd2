// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  pageOf,
  someOf,
  TimeSchema,
} from '../../api-shapes/common.ts'
import { SyncStateSchema } from '../../api-shapes/node-facts.ts'
import { CertificateStateSchema } from '../../api-shapes/states.ts'

/** A host as a config names it: `a.example`, `*.example`, `*`, an address. */
export const HostSchema = Type.String({ minLength: 1, maxLength: 255, examples: ['www.example'] })
export const HOSTS_LISTED = 5
/** Of a site's part of the text. */
export const MOST_TEXT = 64 * 1024

const SiteCertificateSchema = Type.Object({
  name: Type.String({ description: 'As the text has it' }),
  notAfter: Nullable(TimeSchema),
  state: Nullable(
    Type.Unsafe<Static<typeof CertificateStateSchema>>({
      ...CertificateStateSchema,
      description:
        'Of its newest version. null: there is none of this name, or the caller may not read certificates',
    }),
  ),
})
const VersionSchema = Type.Integer({ minimum: 1 })

/** What all nodes together answered for one site in the last minutes. */
export const TRAFFIC_MINUTES = 5
const TrafficSchema = Nullable(
  Type.Object(
    {
      requestsPerSecond: Type.Number({ minimum: 0 }),
      serverErrorsPerSecond: Type.Number({ minimum: 0, description: '5xx' }),
      bytesPerSecond: Type.Number({ minimum: 0 }),
    },
    {
      description: `In the last ${TRAFFIC_MINUTES} whole minutes. null: nothing was counted, or the caller may not read measurements of the whole farm`,
    },
  ),
)
export type Traffic = Static<typeof TrafficSchema>

const ofSite = {
  config: NameSchema,
  host: Type.Unsafe<string>({ ...HostSchema, description: 'Its first: what it is called' }),
  version: Type.Unsafe<number>({
    ...VersionSchema,
    description: 'The newest that has it',
  }),
  newestVersion: Type.Unsafe<number>({
    ...VersionSchema,
    description: 'Of the config. Higher than `version`: it was removed, and nodes still run it',
  }),
  root: Nullable(Type.String({ description: 'The folder it serves' })),
  nodes: Type.Integer({
    minimum: 0,
    description: 'So many of those that the caller sees run a version that has it',
  }),
  certificates: Type.Array(SiteCertificateSchema),
  hasCertificateFiles: Type.Boolean({ description: 'It has others, in files of the nodes' }),
}
/** GET /sites listSites: by host, then config */
export const SiteSummarySchema = Type.Object({
  ...ofSite,
  hosts: someOf(HostSchema, HOSTS_LISTED),
  traffic: TrafficSchema,
})
export type SiteSummary = Static<typeof SiteSummarySchema>

export const SitePageSchema = Type.Object({
  ...pageOf(SiteSummarySchema).properties,
  unread: Type.Integer({
    minimum: 0,
    description:
      'Versions whose sites are missing here: the control plane reads them, after a start with a new release. Ask again',
  }),
})

export const SitesQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  q: Type.Optional(
    Type.String({ maxLength: 255, description: 'Part of a host or of the config’s name' }),
  ),
  config: Type.Optional(NameSchema),
})

/** GET /sites/{config}/{host} getSite */
export const SiteSchema = Type.Object({
  ...ofSite,
  hosts: someOf(HostSchema),
  sitesOfConfig: Type.Integer({ description: 'So many sites `version` has, this one among them' }),
  part: Type.Object(
    {
      pointer: Type.String({ description: 'JSON Pointer (RFC 6901)', examples: ['/sites/0'] }),
      line: Type.Integer({ minimum: 1 }),
      endLine: Type.Integer({ minimum: 1 }),
      text: Type.String({ description: `As it stands there, its first ${MOST_TEXT} characters` }),
      isCut: Type.Boolean(),
    },
    { description: 'Of the text of `version`' },
  ),
  versions: Type.Array(
    Type.Object({
      version: VersionSchema,
      nodes: Type.Integer({ description: 'They say that they run it' }),
    }),
    {
      description:
        'That nodes run and that have it, the newest first; of each config the 50 that most nodes run are looked at',
    },
  ),
  nodesWithOwnSites: Type.Integer({
    description:
      'They run the config, but an override of theirs or of their group has other sites in place of its: they are not counted',
  }),
  serving: Nullable(
    someOf(
      Type.Object({
        nodeId: NodeIdSchema,
        nodeName: NameSchema,
        version: VersionSchema,
        state: SyncStateSchema,
        requestsPerSecond: Nullable(
          Type.Number({
            minimum: 0,
            description: 'Of this site, in its newest report. null: it did not say',
          }),
        ),
      }),
    ),
  ),
  shown: Nullable(
    Type.Array(
      Type.Object({
        host: HostSchema,
        fingerprint: Type.String(),
        notAfter: TimeSchema,
        nodes: Type.Integer({ minimum: 1 }),
      }),
      {
        description:
          'The certificates that the nodes in `serving` say they show for its hosts. It and `serving` are null for who may not read nodes',
      },
    ),
  ),
  changes: Type.Array(
    Type.Object({
      version: VersionSchema,
      what: Type.Enum(['added', 'changed', 'removed']),
      author: Type.String(),
      message: Type.String(),
      at: TimeSchema,
    }),
    { description: 'The versions that changed its part, newest first' },
  ),
  changesLookedBackTo: Nullable(
    Type.Integer({ description: 'Older versions were not looked at; null: all there are were' }),
  ),
})
export type Site = Static<typeof SiteSchema>

const ColumnSchema = Type.Array(Nullable(Type.Number({ minimum: 0 })))

/** GET /sites/{config}/{host}/traffic getSiteTraffic */
export const SiteTrafficQuerySchema = Type.Object({
  from: Type.Optional(TimeSchema),
  to: Type.Optional(TimeSchema),
})
export const SiteTrafficSchema = Type.Object({
  stepSeconds: Type.Integer({ minimum: 60 }),
  times: Type.Array(Type.Integer(), { description: 'Unix seconds, the start of each step' }),
  versions: Nullable(
    Type.Array(
      Type.Object({
        version: VersionSchema,
        isCountedAlone: Type.Boolean({
          description:
            'false: it is not among the first 256 sites of this version, and is counted together with others; its columns are gaps',
        }),
        responses2xx: ColumnSchema,
        responses3xx: ColumnSchema,
        responses404: ColumnSchema,
        responsesOther4xx: ColumnSchema,
        responses5xx: ColumnSchema,
        aborted: ColumnSchema,
        bytesSent: ColumnSchema,
        totalSeconds: Type.Unsafe<Static<typeof ColumnSchema>>({
          ...ColumnSchema,
          description: 'The time of all answers together',
        }),
      }),
      {
        description:
          'Of which anything was counted in the time, the newest first. A value for each step; null in a column: nothing was. null in place of the list: for who sees a part of the farm, since all nodes are counted together',
      },
    ),
  ),
})
export type SiteTraffic = Static<typeof SiteTrafficSchema>

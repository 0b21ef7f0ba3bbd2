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

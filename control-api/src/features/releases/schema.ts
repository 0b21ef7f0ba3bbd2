// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { NameSchema, Nullable, PageQuerySchema, TimeSchema } from '../../api-shapes/common.ts'

export const Sha256Schema = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 in hexadecimal',
  examples: ['4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce'],
})
const VersionNumberSchema = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
const PathSchema = Type.String({ maxLength: 4095, examples: ['assets/app.3f9a.js'] })
const BytesSchema = Type.Integer({ minimum: 0 })

export const ReleaseParamsSchema = Type.Object({ name: NameSchema })
export const ReleaseVersionParamsSchema = Type.Object({
  name: NameSchema,
  number: VersionNumberSchema,
})
export const Sha256ParamsSchema = Type.Object({ sha256: Sha256Schema })

/** GET /releases listReleases; GET /releases/{name} getRelease */
export const ReleaseSchema = Type.Object({
  name: NameSchema,
  latestVersion: Nullable(VersionNumberSchema),
  latest: Nullable(
    Type.Object(
      {
        author: Type.String(),
        message: Type.String(),
        files: Type.Integer(),
        bytes: Type.Integer({ description: 'Of all files' }),
      },
      { description: 'What the latest version is; null: none is left' },
    ),
  ),
  versions: Type.Integer({ description: 'How many there are' }),
  updatedAt: TimeSchema,
})
export type Release = Static<typeof ReleaseSchema>

const OnNodesSchema = Type.Object(
  {
    servedByNodes: Type.Integer({ description: 'They run it' }),
    keptByNodes: Type.Integer({
      description: 'They keep it beside another one, and may answer with its files',
    }),
    requests: Type.Integer({
      description: 'That those were asked for its files, each since its process started',
    }),
    lastRequestAt: Nullable(TimeSchema),
    quietSeconds: Nullable(
      Type.Integer({
        description:
          'For so long none of those was asked for its files; of one that was never asked, since its process started. null: no node keeps it',
      }),
    ),
    uncountedNodes: Type.Integer({
      description:
        'Nodes of the farm of which nothing of this is known: they are away, or do not count',
    }),
    isSafeToDrop: Type.Boolean({
      description:
        'Nodes keep it, none serves it, none was asked for its files in 48 hours, and of none is this not known',
    }),
  },
  { description: 'Who serves it, who keeps it, and whether anybody asks for it' },
)

/** GET /releases/{name}/versions listReleaseVersions; GET …/{number} getReleaseVersion */
export const ReleaseVersionSchema = Type.Object({
  release: NameSchema,
  number: VersionNumberSchema,
  manifest: Sha256Schema,
  parent: Nullable(
    Type.Integer({ description: 'The latest when it was made; it may be removed since' }),
  ),
  author: Type.String(),
  message: Type.String(),
  source: Type.String({ description: 'As its author said: a commit, a job of CI; may be empty' }),
  createdAt: TimeSchema,
  files: Type.Integer(),
  links: Type.Integer(),
  bytes: Type.Integer({ description: 'Of all files' }),
  blobs: Type.Integer({ description: 'Different contents' }),
  blobBytes: Type.Integer({ description: 'Of the different contents: what it takes on a disk' }),
  sinceParent: Type.Object({
    added: Type.Integer(),
    changed: Type.Integer(),
    removed: Type.Integer(),
    bytes: Type.Integer({ description: 'Of files that are new or other' }),
  }),
  onNodes: OnNodesSchema,
})
export type ReleaseVersion = Static<typeof ReleaseVersionSchema>

/** POST /releases/{name}/versions createReleaseVersion */
export const CreateReleaseVersionSchema = Type.Object(
  {
    manifest: Sha256Schema,
    parent: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The latest version; null: there is none',
      }),
    ),
    message: Type.String({ minLength: 1, maxLength: 1000, examples: ['new start page'] }),
    source: Type.Optional(
      Type.String({ maxLength: 500, examples: ['git 3f9ac1e, pipeline 8812'] }),
    ),
  },
  { additionalProperties: false },
)
/** `created` false: the latest version is of this very manifest already. */
export const SavedReleaseVersionSchema = Type.Intersect([
  Type.Object({ created: Type.Boolean() }),
  ReleaseVersionSchema,
])

/** PUT /manifests/{sha256} putManifest; GET getManifest */
export const ManifestSchema = Type.Object({
  sha256: Sha256Schema,
  files: Type.Integer(),
  links: Type.Integer(),
  bytes: BytesSchema,
  blobs: Type.Integer(),
  blobBytes: BytesSchema,
})

/** A million are asked for in a hundred pages. */
export const MissingQuerySchema = Type.Object({
  cursor: PageQuerySchema.properties.cursor,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1000 })),
})
/** GET /manifests/{sha256}/missing listMissingBlobs */
export const MissingBlobSchema = Type.Object({ sha256: Sha256Schema, size: BytesSchema })

const FileSchema = Type.Object({
  type: Type.Enum(['file', 'link']),
  mode: Type.Optional(Type.String({ examples: ['644'], description: 'Of a file, in octal' })),
  size: Type.Optional(BytesSchema),
  sha256: Type.Optional(Sha256Schema),
  target: Type.Optional(Type.String({ description: 'Of a link, as it is written' })),
})
/** GET /manifests/{sha256}/files listManifestFiles */
export const ManifestFileSchema = Type.Intersect([Type.Object({ path: PathSchema }), FileSchema])
/** It has a path in it. With a prefix of the longest characters beside it, it fits into the 16 KiB of a request's head. */
const CURSOR_MOST = 6144
export const FilesQuerySchema = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: CURSOR_MOST })),
  limit: PageQuerySchema.properties.limit,
  prefix: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'What their paths begin with',
      examples: ['img/'],
    }),
  ),
})

/** GET /manifests/{sha256}/changes listManifestChanges */
export const FileChangeSchema = Type.Object({
  path: PathSchema,
  before: Nullable(FileSchema),
  after: Nullable(FileSchema),
})
const fromSchema = Type.Optional(
  Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'The manifest to compare with; left out: nothing, so that all is new',
  }),
)
export const ChangesQuerySchema = Type.Object({
  cursor: Type.Optional(
    Type.String({
      maxLength: CURSOR_MOST,
      description: 'A page may have few items, or none, and a cursor all the same',
    }),
  ),
  limit: PageQuerySchema.properties.limit,
  from: fromSchema,
})
/** GET /manifests/{sha256}/change-totals getManifestChangeTotals */
export const TotalsQuerySchema = Type.Object({ from: fromSchema })
export const ChangeTotalsSchema = Type.Object({
  added: Type.Integer(),
  changed: Type.Integer(),
  removed: Type.Integer(),
  bytes: Type.Integer({ description: 'Of files that are new or other' }),
})
export const ContentQuerySchema = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 4095, examples: ['assets/app.3f9a.js'] }),
})

/** PUT /blobs/{sha256} putBlob; GET getBlob */
export const BlobStateSchema = Type.Object({
  sha256: Sha256Schema,
  isWhole: Type.Boolean({ description: 'All of it is here and has this digest' }),
  receivedBytes: Type.Integer({ description: 'Where the next part begins' }),
})
export const PartHeadersSchema = Type.Object({
  'content-range': Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Which part this is (RFC 9110, 14.5); left out: the whole',
      examples: ['bytes 0-8388607/20971520'],
    }),
  ),
})
/** Made to arrive within the minute that a request has. */
export const PART_MOST_BYTES = 64 * 1024 * 1024

/** POST /blobs postBlobs: small contents, so that each costs no request and no wait for the disk of its own. */
export const BATCH_LIMITS = { contents: 512, contentBytes: 1024 * 1024 }
export const BATCH_MOST_BYTES = 16 * 1024 * 1024
export const BlobBatchSchema = Type.Object({
  kept: Type.Integer({ description: 'New, whole and on the disk' }),
  known: Type.Integer({ description: 'Here already' }),
  refused: Type.Array(
    Type.Object({
      sha256: Sha256Schema,
      reason: Type.Enum(['differs', 'busy'], {
        description:
          'differs: its bytes have another digest; busy: another request sends it just now',
      }),
    }),
    { maxItems: BATCH_LIMITS.contents },
  ),
})

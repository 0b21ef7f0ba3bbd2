// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  NameSchema,
  NodeIdSchema,
  Nullable,
  PreviewIdSchema,
  TimeSchema,
} from '../../../api-shapes/common.ts'

const VersionNumberSchema = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })

/** A week: what is to stand longer is a site. */
const MOST_HOURS = 168
export const DEFAULT_HOURS = 24
export const PER_NODE = 3
export const PER_FARM = 100
/** Whatever the name: only the password counts. */
export const PREVIEW_USER = 'preview'

export const PreviewsParamsSchema = Type.Object({ name: NameSchema })
export const PreviewVersionParamsSchema = Type.Object({
  name: NameSchema,
  number: VersionNumberSchema,
})
export const PreviewParamsSchema = Type.Object({ name: NameSchema, id: PreviewIdSchema })

const PREVIEW_STATES = ['shown', 'fetching', 'refused', 'away', 'unable', 'not-served'] as const

/** GET /releases/{name}/previews listReleasePreviews */
export const ReleasePreviewSchema = Type.Object({
  id: PreviewIdSchema,
  release: NameSchema,
  number: VersionNumberSchema,
  node: Type.Object({ id: NodeIdSchema, name: Type.String() }),
  host: Type.String({ examples: ['v41-www.edge-1.preview.example.org'] }),
  url: Nullable(
    Type.String({
      description: 'null: the config that the node runs names no port on which it listens',
    }),
  ),
  state: Type.Enum(PREVIEW_STATES, {
    description:
      'shown; fetching: its files are on their way; refused: the node could not get them (error); away: the node is not heard; unable: its program is too old; not-served: its config names the release no more',
  }),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  createdBy: Type.String(),
  createdAt: TimeSchema,
  endsAt: TimeSchema,
})
export type ReleasePreview = Static<typeof ReleasePreviewSchema>

export const ReleasePreviewsSchema = Type.Object({
  items: Type.Array(ReleasePreviewSchema, { maxItems: PER_FARM }),
  isOn: Type.Boolean({
    description: 'Did somebody say under which names they are shown (FARMSTEAD_PREVIEW_HOST)?',
  }),
})

/** POST /releases/{name}/versions/{number}/previews startReleasePreview */
export const StartPreviewSchema = Type.Object(
  {
    nodeId: NodeIdSchema,
    hours: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_HOURS, default: DEFAULT_HOURS })),
  },
  { additionalProperties: false },
)
export const StartedPreviewSchema = Type.Intersect([
  ReleasePreviewSchema,
  Type.Object({
    username: Type.String({ description: 'Any other does, too' }),
    password: Type.String({ description: 'Is told this once' }),
  }),
])

// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { NameSchema, NodeIdSchema, Nullable, TimeSchema } from '../../api-shapes/common.ts'

const CountSchema = Type.Integer({ minimum: 0 })

/** GET, PUT /neighbours */
export const NeighbourSettingsSchema = Type.Object(
  {
    zoneLabel: Nullable(
      Type.String({
        pattern: '^[a-z][a-z0-9_.-]{0,62}$',
        examples: ['zone'],
        description:
          'Nodes with the same value of this label give each other the contents of releases. null: off. A node without the label neither gives nor takes',
      }),
    ),
    acrossZones: Type.Boolean({
      description:
        'The first node of a zone takes from another zone that has the release, instead of from the control plane',
    }),
    maxBytesPerSecond: Nullable(
      Type.Integer({
        // Eight share it, and whoever gets less than 256 KiB/s leaves for somebody else.
        minimum: 4_000_000,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Of all that one node gives; null: any',
      }),
    ),
    atOnce: Type.Integer({
      minimum: 1,
      maximum: 8,
      description: 'To so many others one node gives at once',
    }),
  },
  { additionalProperties: false },
)

const DistrustSchema = Type.Object({
  manifestSha256: Type.String({ description: 'Of the version that it gave wrong bytes of' }),
  toldBy: Type.Object({ id: NodeIdSchema, name: NameSchema }, { description: 'Who got them' }),
  at: TimeSchema,
})

/** GET /neighbours/now getNeighboursNow: of the nodes within the caller’s scope. */
export const NeighboursNowSchema = Type.Object({
  giving: Type.Integer({ minimum: 0, description: 'Nodes that may be named to others now' }),
  taking: Type.Integer({ minimum: 0, description: 'Nodes that fetch a release from neighbours' }),
  fetching: Type.Integer({
    minimum: 0,
    description:
      'Nodes that fetch one from the control plane, for their zone or because neighbours failed them',
  }),
  waiting: Type.Integer({ minimum: 0, description: 'Nodes that wait for one of their zone' }),
  takenBytes: Type.Integer({
    minimum: 0,
    description: 'That nodes took from neighbours, each since its process started',
  }),
  distrusted: Type.Array(
    Type.Object({
      node: Type.Object({ id: NodeIdSchema, name: NameSchema }),
      ...DistrustSchema.properties,
    }),
    { maxItems: 100, description: 'Nodes that gave wrong bytes, the last ones first' },
  ),
  moreDistrusted: CountSchema,
})
export type NeighboursNow = Static<typeof NeighboursNowSchema>

/** GET /nodes/{id}/neighbour getNodeNeighbour */
export const NodeNeighbourSchema = Type.Object({
  gives: Nullable(
    Type.Object({
      address: Type.String(),
      releases: Type.Integer({ minimum: 0, description: 'Versions that it has whole' }),
      takers: Type.Integer({ minimum: 0, description: 'That it was named to and that take now' }),
    }),
  ),
  distrusted: Nullable(DistrustSchema),
  takenBytes: CountSchema,
  givenBytes: CountSchema,
})
export type NodeNeighbour = Static<typeof NodeNeighbourSchema>

// SPDX-License-Identifier: MIT
// Versions of releases that go with a rollout.
import { type Static, Type } from 'typebox'
import { Nullable } from '../../../api-shapes/common.ts'

const manifest = Type.String({ description: 'SHA-256 of the list of its files' })

const ChangesSchema = Type.Object(
  {
    added: Type.Integer(),
    changed: Type.Integer(),
    removed: Type.Integer(),
    fetchFiles: Type.Integer({ description: 'Contents that the version before does not have' }),
    fetchBytes: Type.Integer({
      description: 'What each node fetches that has the version before, and no other',
    }),
  },
  {
    description:
      'Files and links that differ from `before`, by path; of a first version all are added',
  },
)

/** What it brings, and what was proved of it last. */
export const PlannedReleaseSchema = Type.Object({
  name: Type.String({ examples: ['www'] }),
  number: Type.Integer({ examples: [41] }),
  manifest,
  before: Nullable(
    Type.Object(
      { number: Type.Integer({ examples: [40] }), manifest },
      { description: 'What a rollout brought to all nodes last; null: nothing yet' },
    ),
  ),
  changes: Nullable(ChangesSchema),
})
export type PlannedRelease = Static<typeof PlannedReleaseSchema>

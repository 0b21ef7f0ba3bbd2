// SPDX-License-Identifier: MIT
// The rows this feature keeps in control.db (migrations/085-releases.ts).
import type { Generated } from 'kysely'

/** Of those that were looked at and are right; their texts are on the disk. */
type ReleaseManifestsTable = {
  sha256: string
  files: number
  links: number
  /** Of all files, as often as they are there. */
  bytes: number
  /** Contents, each once. */
  blobs: number
  blob_bytes: number
  /** When somebody last wanted it: one that no version is of goes a while after that. */
  touched_at_ms: number
}

type ReleaseSetsTable = {
  name: string
  /** No number is used twice, though its version be removed. */
  next_number: Generated<number>
  /** null: it has no version. */
  latest: number | null
  /** The version that a rollout brought to all nodes last, which new ones get; null: none yet. */
  released: Generated<number | null>
  updated_at_ms: number
}

/** Never changed. */
type ReleaseVersionsTable = {
  release: string
  number: number
  manifest: string
  /** The latest when it was made; it may be removed since. */
  parent: number | null
  author: string
  message: string
  source: string
  created_at_ms: number
  /** What changed since its parent: files and links, and the bytes of what is new or other. */
  added: number
  changed: number
  removed: number
  changed_bytes: number
}

/** Never changed; gone with its end. */
export type ReleasePreviewsTable = {
  id: string
  release: string
  number: number
  manifest: string
  node_id: string
  host: string
  /** Of the key, which is told once. */
  key_sha256: string
  created_by: string
  created_at_ms: number
  ends_at_ms: number
}

export type ReleaseTables = {
  release_previews: ReleasePreviewsTable
  release_manifests: ReleaseManifestsTable
  release_sets: ReleaseSetsTable
  release_versions: ReleaseVersionsTable
}

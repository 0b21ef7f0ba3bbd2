// SPDX-License-Identifier: MIT
// How previews stand: what the database has of them, with what their nodes say.
import type { Fleet } from '../../../fleet/fleet.ts'
import type { PreviewRow } from '../../../releases/preview-store.ts'
import type { IndexedNode } from '../farm-index.ts'
import type { Listeners } from '../urls.ts'
import { urlFor } from './rules.ts'
import type { ReleasePreview } from './schema.ts'

type Fleets = Pick<Fleet, 'ahead' | 'previews'>
/** Of the text that the node runs. */
export type Runs = { listeners: Listeners; namesRelease: boolean }

export function viewPreview(
  row: PreviewRow,
  { node, connected }: IndexedNode,
  runs: Runs,
  fleet: Fleets,
): ReleasePreview {
  const held = fleet.ahead.stateOfManifest(node.id, row.manifest)
  const knows = fleet.previews.knows(node.id, row.id)
  const state = (): ReleasePreview['state'] => {
    if (!connected) return 'away'
    if (!runs.namesRelease) return 'not-served'
    if (knows === null) return 'unable'
    if (held?.state === 'refused') return 'refused'
    return held?.state === 'held' && knows ? 'shown' : 'fetching'
  }
  const { id, release, number, host } = row
  return {
    ...{ id, release, number, host, node: { id: node.id, name: node.name } },
    ...{ url: urlFor(runs.listeners, host), state: state() },
    error: held?.error ?? null,
    createdBy: row.created_by,
    createdAt: new Date(row.created_at_ms).toISOString(),
    endsAt: new Date(row.ends_at_ms).toISOString(),
  }
}

// SPDX-License-Identifier: MIT
import type { Fault } from '../../release-store/check-manifest.ts'
import type { Entry } from '../../release-store/entries.ts'
import type { ManifestRow, ReleaseRow, VersionRow } from '../../releases/store.ts'
import type { UseDeps } from './deps.ts'
import { ManifestInvalid } from './errors.ts'
import type { Release, ReleaseVersion } from './schema.ts'

export function viewRelease(row: ReleaseRow): Release {
  const { name, latest: latestVersion, versions, author, message, files, bytes } = row
  const isThere = author !== null && message !== null && files !== null && bytes !== null
  return {
    ...{ name, latestVersion, versions: versions ?? 0 },
    latest: isThere ? { author, message, files, bytes } : null,
    updatedAt: new Date(row.updatedAtMs).toISOString(),
  }
}

/** So long nobody may have asked for a version that goes. */
const QUIET_SECONDS = 48 * 3600

export function viewVersion(row: VersionRow, said: OnNodes): ReleaseVersion {
  const { release, number, manifest, parent, author, message, source } = row
  const { files, links, bytes, blobs, blob_bytes: blobBytes } = row
  const { added, changed, removed, changed_bytes } = row
  return {
    ...{ release, number, manifest, parent, author, message, source },
    createdAt: new Date(row.created_at_ms).toISOString(),
    ...{ files, links, bytes, blobs, blobBytes },
    sinceParent: { added, changed, removed, bytes: changed_bytes },
    onNodes: viewOnNodes(said, number),
  }
}

export type OnNodes = Awaited<ReturnType<UseDeps['onNodes']>> & { nowMs: number }

function viewOnNodes(
  { versionOf, countingNodes, allNodes, nowMs }: OnNodes,
  number: number,
): ReleaseVersion['onNodes'] {
  const { servedByNodes, keptByNodes, requests, lastRequestMs, quietSinceMs } = versionOf(number)
  const quietSeconds =
    quietSinceMs === null ? null : Math.max(0, Math.floor((nowMs - quietSinceMs) / 1000))
  const uncountedNodes = Math.max(0, allNodes - countingNodes)
  const isQuiet = quietSeconds !== null && quietSeconds >= QUIET_SECONDS
  return {
    ...{ servedByNodes, keptByNodes, requests, quietSeconds, uncountedNodes },
    lastRequestAt: lastRequestMs === null ? null : new Date(lastRequestMs).toISOString(),
    isSafeToDrop: servedByNodes === 0 && uncountedNodes === 0 && isQuiet,
  }
}

export const viewManifest = (row: ManifestRow) => ({
  sha256: row.sha256,
  files: row.files,
  links: row.links,
  bytes: row.bytes,
  blobs: row.blobs,
  blobBytes: row.blob_bytes,
})

/** What a change says of one side: its path is said once. */
export function withoutPath(entry: Entry | null) {
  if (entry === null) return null
  const { path: _path, ...rest } = entry
  return rest
}

const SHOWN = 300

export function refusalOf(faults: readonly Fault[]) {
  return new ManifestInvalid(faults.length).withErrors(
    faults.map(({ line, path, what }) => ({
      ...{ pointer: '', line, column: 1, endLine: line, endColumn: 1, code: 'manifest_line' },
      message: path === '' ? what : `${JSON.stringify(cut(path))} ${cut(what)}`,
      hint: '',
    })),
  )
}

const cut = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)

// SPDX-License-Identifier: MIT
// Has nodes told of the previews that the database has, and ends those whose time is over or whose node is gone.
import type { Kysely } from 'kysely'
import type { Write } from '../../../audit/write.ts'
import type { Database } from '../../../db/database.ts'
import type { ReleasePreviews, ShownPreview } from '../../../fleet/release-previews.ts'
import { findNode } from '../../../node-identity/store/nodes.ts'
import { allPreviews, deletePreview, type PreviewRow } from '../../../releases/preview-store.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  previews: Pick<ReleasePreviews, 'set'>
  /** The disk is full: rows stay until there is room. Nodes end a preview by themselves, too. */
  isHeld: () => boolean
  onError: (error: unknown) => void
}

export type PreviewKeeper = ReturnType<typeof createPreviewKeeper>

const EVERY_MS = 60_000

export function createPreviewKeeper({ db, write, now, previews, isHeld, onError }: Deps) {
  /** Call it when rows were written, or have gone with their version. */
  async function read(): Promise<void> {
    previews.set((await allPreviews(db)).map(asShown))
  }

  async function look(): Promise<void> {
    const all = await allPreviews(db)
    const over: PreviewRow[] = []
    for (const row of all) {
      if (row.ends_at_ms <= now() || !(await findNode(db, row.node_id))) over.push(row)
    }
    if (over.length === 0 || isHeld()) return
    await write(async (unit) => {
      for (const row of over) {
        await deletePreview(unit, row.id)
        const data = { before: said(row), after: null }
        await unit.emit({ kind: 'release', id: row.release, action: 'preview-ended', data })
      }
    })
    await read()
  }

  const timer = setInterval(() => look().catch(onError), EVERY_MS)
  timer.unref()
  return { read, look, stop: () => clearInterval(timer) }
}

const asShown = (row: PreviewRow): ShownPreview => ({
  ...{ id: row.id, nodeId: row.node_id, host: row.host, keySha256: row.key_sha256 },
  version: { name: row.release, number: row.number, manifestSha256: row.manifest },
  endsAtMs: row.ends_at_ms,
})

/** For the audit. */
export const said = ({ id, number, node_id, host, ends_at_ms }: PreviewRow) => ({
  ...{ preview: id, version: number, node: node_id, host },
  endsAt: new Date(ends_at_ms).toISOString(),
})

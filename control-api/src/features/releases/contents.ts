// SPDX-License-Identifier: MIT
// What releases are made of, on the disk and in the database: which manifests there are, and the contents they name.
// A manifest comes as any other content, and becomes one when somebody says that it is.
import { stat } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { Write } from '../../audit/write.ts'
import type { Database } from '../../db/database.ts'
import type { ReleasesConfig } from '../../environment/config.ts'
import { createBatches } from '../../release-store/batch.ts'
import { writeBlobList } from '../../release-store/blob-list.ts'
import { checkManifest, type Fault } from '../../release-store/check-manifest.ts'
import { keepAWhile } from '../../release-store/compare.ts'
import { openFolder } from '../../release-store/folder.ts'
import { createRoom } from '../../release-store/room.ts'
import { type Ledger, type Swept, sweep } from '../../release-store/sweep.ts'
import { createUploads } from '../../release-store/uploads.ts'
import {
  findManifest,
  forgetManifests,
  type ManifestRow,
  manifestDigests,
  saveManifest,
  touchManifest,
} from '../../releases/store.ts'

type Deps = {
  db: Kysely<Database>
  write: Write
  now: () => number
  dataDir: string
  limits: ReleasesConfig
  onError: (error: unknown) => void
}
export type Contents = ReturnType<typeof openContents>
export type Staged =
  | { ok: true; manifest: ManifestRow }
  | { ok: false; reason: 'not-uploaded' }
  | { ok: false; reason: 'faults'; faults: Fault[] }

const HOUR_MS = 3_600_000

export function openContents({ db, write, now, dataDir, limits, onError }: Deps) {
  const folder = openFolder(dataDir)
  const room = createRoom(folder, limits.storeBytes)
  const busy = new Set<string>()
  const uploads = createUploads(folder, room, busy)
  const receiveBatch = createBatches({ folder, room, busy })
  const ledger: Ledger = { came: 0, coming: 0 }
  let sweeping: Promise<Swept> | null = null
  let isClosing = false

  /** Takes an uploaded text for a manifest, if it is one. */
  async function stage(sha256: string): Promise<Staged> {
    const path = folder.blob(sha256)
    const known = await holding(() => touchKnown(sha256))
    if (known) return { ok: true, manifest: known }
    if (!(await isThere(path))) return { ok: false, reason: 'not-uploaded' }
    await keepAWhile(path)
    const checked = await checkManifest(path, { files: limits.maxFiles, bytes: limits.maxBytes })
    if (!checked.ok) return { ok: false, reason: 'faults', faults: checked.faults }
    const { facts, parts } = checked
    const manifest = {
      ...{ sha256, files: facts.files, links: facts.links, bytes: facts.bytes },
      ...{ blobs: facts.blobs.blobs, blob_bytes: facts.blobs.bytes, touched_at_ms: now() },
    }
    await holding(async () => {
      await writeBlobList(folder.list(sha256), parts)
      await write((unit) => saveManifest(unit, manifest))
    })
    return { ok: true, manifest }
  }

  async function touchKnown(sha256: string): Promise<ManifestRow | null> {
    const known = await findManifest(db, sha256)
    if (!known || !(await isWhole(sha256))) return null
    const touched = { ...known, touched_at_ms: now() }
    await write((unit) => saveManifest(unit, touched))
    return touched
  }

  /** What is looked at or written is not removed before the database tells of it. */
  async function holding<T>(work: () => Promise<T>): Promise<T> {
    ledger.coming++
    try {
      return await work()
    } finally {
      ledger.came++
      ledger.coming--
    }
  }

  const isWhole = async (sha256: string) =>
    (await isThere(folder.blob(sha256))) && (await isThere(folder.list(sha256)))

  /** One at a time, whoever asks. */
  function look(): Promise<Swept> {
    sweeping ??= sweepOnce().finally(() => {
      sweeping = null
    })
    return sweeping
  }

  async function sweepOnce(): Promise<Swept> {
    const wantedSinceMs = now() - limits.keepHours * HOUR_MS
    await write((unit) => forgetManifests(unit, wantedSinceMs))
    return await sweep(
      {
        ...{
          folder,
          room,
          ledger,
          isBusy: (sha256) => busy.has(sha256),
          isStopped: () => isClosing,
        },
        manifests: () => manifestDigests(db),
      },
      wantedSinceMs,
    )
  }

  const timer = setInterval(() => look().catch(onError), HOUR_MS)
  timer.unref()

  return {
    ...{ folder, room, uploads, receiveBatch, stage, look },
    /** Wanted, so kept for a while more. False: there is none. */
    touch: (sha256: string) => write((unit) => touchManifest(unit, sha256, now())),
    isThere: isWhole,
    /** What was wanted since then stays for hours. */
    freshSinceMs: () => now() - (limits.keepHours * HOUR_MS) / 2,
    async close() {
      isClosing = true
      clearInterval(timer)
      await sweeping?.catch(onError)
    },
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

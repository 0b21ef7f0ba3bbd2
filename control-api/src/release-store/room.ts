// SPDX-License-Identifier: MIT
// How much of the disk releases take, and may. What is announced counts before it is there, so that two uploads are not
// both promised the last of it.
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { inSlices, nextTurn } from '../base/slices.ts'
import type { ReleaseFolder } from './folder.ts'

export type StoreRoom = ReturnType<typeof createRoom>
/** setting: the operator's. disk: there is less than that. */
export type NoRoom = { ok: false; reason: 'setting' | 'disk'; freeBytes: number }

/** Stays free for the databases, whatever the setting says. */
const KEPT_FREE_BYTES = 512 * 1024 * 1024
const AT_ONCE = 64

export function createRoom(folder: ReleaseFolder, mostBytes: number) {
  let usedBytes = 0
  // Begins with the service, and is waited for by the first who wants room.
  const counted = sizeOf(folder).then((bytes) => {
    usedBytes += bytes
  })
  // Told to who waits for it.
  counted.catch(() => {})
  return {
    mostBytes,
    counted,
    usedBytes: () => usedBytes,
    async take(bytes: number): Promise<{ ok: true } | NoRoom> {
      await counted
      const { bavail, bsize } = await statfs(folder.root)
      const onDisk = bavail * bsize - KEPT_FREE_BYTES
      const bySetting = mostBytes - usedBytes
      if (bytes > bySetting) return no('setting', bySetting)
      if (bytes > onDisk) return no('disk', onDisk)
      usedBytes += bytes
      return { ok: true }
    },
    give(bytes: number): void {
      usedBytes -= bytes
    },
  }
}

const no = (reason: NoRoom['reason'], bytes: number): NoRoom => ({
  ...{ ok: false, reason },
  freeBytes: Math.max(0, bytes),
})

async function sizeOf(folder: ReleaseFolder): Promise<number> {
  let bytes = 0
  for (const dir of [folder.uploads, ...(await folder.parts()).map(folder.blobsOf)]) {
    for (const names of inSlices(await readdir(dir), AT_ONCE)) {
      const stats = await Promise.all(names.map((name) => stat(join(dir, name)).catch(() => null)))
      for (const one of stats) bytes += one?.size ?? 0
    }
    await nextTurn()
  }
  return bytes
}

// SPDX-License-Identifier: MIT
// A content that is sent although it is there is compared with what is there: a disk may have changed it, and nobody else
// could put it right. What is wrong goes, and what is sent takes its place.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat, utimes } from 'node:fs/promises'
import type { ReleaseFolder } from './folder.ts'
import type { StoreRoom } from './room.ts'

/** What comes in one request. Larger ones, which come in parts, are believed to be right: to read one may take minutes. */
const COMPARED_BYTES = 64 * 1024 * 1024

type Deps = { folder: ReleaseFolder; room: StoreRoom }

/** Is it there, and right? It stays a while then, wanted or not. Nobody else may put it there meanwhile. */
export async function isThereRight({ folder, room }: Deps, sha256: string): Promise<boolean> {
  const path = folder.blob(sha256)
  const sizeBytes = await sizeAt(path)
  if (sizeBytes === null) return false
  if (sizeBytes > COMPARED_BYTES || (await hashOf(path)).digest('hex') === sha256) {
    await keepAWhile(path)
    return true
  }
  await rm(path, { force: true })
  room.give(sizeBytes)
  return false
}

/** Of a file, as much as is there. */
export async function hashOf(path: string): Promise<Hash> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk)
  }
  return hash
}

/** What nobody names is removed a while after it was last wanted. */
export async function keepAWhile(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now)
}

export async function sizeAt(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.size ?? null
}

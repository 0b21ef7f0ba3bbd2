// SPDX-License-Identifier: MIT
// Contents as they come: in parts, each after what is there already, hashed on the way. What is whole and has the
// digest it was announced with is synced and gets its name by a rename, which a version makes sure of; what has another one is thrown away. A part that breaks off
// leaves what came of it, and so does an end of the process: the next part goes on there.
import { createHash, type Hash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { isDiskFull } from '../storage/disk-space.ts'
import { hashOf, isThereRight, keepAWhile, sizeAt } from './compare.ts'
import { type ReleaseFolder, syncFile } from './folder.ts'
import type { NoRoom, StoreRoom } from './room.ts'
import { createWriter } from './writer.ts'

export type UploadState = { isWhole: boolean; receivedBytes: number }
/** `endBytes` is where the part ends. */
export type UploadPart = { fromBytes: number; endBytes: number; totalBytes: number }
export type Received =
  | ({ ok: true } & UploadState)
  | { ok: false; reason: 'busy' }
  | { ok: false; reason: 'offset'; receivedBytes: number }
  | { ok: false; reason: 'differs'; sha256: string }
  | { ok: false; reason: 'length' }
  | { ok: false; reason: 'room'; room: NoRoom }

/** How far the bytes on the disk are hashed: known of few, read again of others. */
type Progress = { hash: Hash; bytes: number }
const MOST_HASHES = 64

/** `busy`: the digests that a request sends just now. */
export function createUploads(folder: ReleaseFolder, room: StoreRoom, busy: Set<string>) {
  const hashes = new Map<string, Progress>()

  async function state(sha256: string): Promise<UploadState> {
    const whole = await sizeAt(folder.blob(sha256))
    if (whole !== null) return { isWhole: true, receivedBytes: whole }
    return { isWhole: false, receivedBytes: (await sizeAt(folder.upload(sha256))) ?? 0 }
  }

  /** Bytes that are there already, and right, are left unread. */
  async function receive(sha256: string, part: UploadPart, body: Readable): Promise<Received> {
    if (busy.has(sha256)) return { ok: false, reason: 'busy' }
    busy.add(sha256)
    try {
      const known = await state(sha256)
      if (known.isWhole && (await isStillRight(sha256, part))) return { ok: true, ...known }
      return await take(sha256, part, known.isWhole ? 0 : known.receivedBytes, body)
    } finally {
      busy.delete(sha256)
    }
  }

  /** Looked at when its first part comes, and not with each that follows. */
  async function isStillRight(sha256: string, { fromBytes }: UploadPart): Promise<boolean> {
    if (fromBytes === 0) return await isThereRight({ folder, room }, sha256)
    await keepAWhile(folder.blob(sha256))
    return true
  }

  async function take(
    sha256: string,
    { fromBytes, endBytes, totalBytes }: UploadPart,
    receivedBytes: number,
    body: Readable,
  ): Promise<Received> {
    // From the start again is always right: who does not know of parts sends the whole.
    if (fromBytes !== receivedBytes && fromBytes !== 0) {
      return { ok: false, reason: 'offset', receivedBytes }
    }
    const path = folder.upload(sha256)
    if (fromBytes === 0) {
      await rm(path, { force: true })
      room.give(receivedBytes)
    }
    const wanted = endBytes - fromBytes
    const given = await room.take(wanted)
    if (!given.ok) return { ok: false, reason: 'room', room: given }
    const progress = progressOf(sha256, fromBytes)
    let writtenBytes = 0
    try {
      const file = await open(path, 'a', 0o600)
      const writer = createWriter(file)
      try {
        let cameBytes = 0
        for await (const chunk of body) {
          cameBytes += chunk.length
          if (cameBytes > wanted) return { ok: false, reason: 'length' }
          progress?.hash.update(chunk)
          if (progress) progress.bytes += chunk.length
          await writer.add(chunk)
        }
      } finally {
        // What came before a break is kept.
        await writer.end().finally(() => {
          writtenBytes = writer.writtenBytes()
          return file.close()
        })
      }
    } catch (error) {
      if (!isDiskFull(error)) throw error
      return { ok: false, reason: 'room', room: { ok: false, reason: 'disk', freeBytes: 0 } }
    } finally {
      room.give(wanted - writtenBytes)
      remember(sha256, progress)
    }
    if (writtenBytes < wanted) return { ok: false, reason: 'length' }
    if (endBytes < totalBytes) return { ok: true, isWhole: false, receivedBytes: endBytes }
    return await finish(sha256, path, totalBytes)
  }

  async function finish(sha256: string, path: string, totalBytes: number): Promise<Received> {
    const known = hashes.get(sha256)
    hashes.delete(sha256)
    const hash = known?.bytes === totalBytes ? known.hash : await hashOf(path)
    const found = hash.digest('hex')
    if (found !== sha256) {
      await rm(path, { force: true })
      room.give(totalBytes)
      return { ok: false, reason: 'differs', sha256: found }
    }
    await syncFile(path)
    await folder.keep(sha256)
    return { ok: true, isWhole: true, receivedBytes: totalBytes }
  }

  function progressOf(sha256: string, fromBytes: number): Progress | null {
    if (fromBytes === 0) return { hash: createHash('sha256'), bytes: 0 }
    const known = hashes.get(sha256)
    return known?.bytes === fromBytes ? known : null
  }

  function remember(sha256: string, progress: Progress | null): void {
    hashes.delete(sha256)
    if (progress === null) return
    hashes.set(sha256, progress)
    const oldest = hashes.size > MOST_HASHES ? hashes.keys().next().value : undefined
    if (oldest !== undefined) hashes.delete(oldest)
  }

  return { state, receive }
}

// SPDX-License-Identifier: MIT
// Many small contents at once. All are written first and synced then, side by side: the disk makes one commit of many
// syncs that wait together, where one after the other it makes one of each. Only what is synced gets its name.
import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import pLimit from 'p-limit'
import { isDiskFull } from '../storage/disk-space.ts'
import { type BatchLimits, type Framed, framesOf } from './batch-frames.ts'
import { isThereRight, sizeAt } from './compare.ts'
import { type ReleaseFolder, syncFile } from './folder.ts'
import type { NoRoom, StoreRoom } from './room.ts'

/** differs: its bytes have another digest. busy: another request sends it just now. */
export type RefusedContent = { sha256: string; reason: 'differs' | 'busy' }
export type BatchOutcome = { kept: number; known: number; refused: RefusedContent[] }
/** What came before the fault is kept all the same. */
export type ReceivedBatch =
  | ({ ok: true } & BatchOutcome)
  | { ok: false; reason: 'frame'; what: string }
  | { ok: false; reason: 'room'; room: NoRoom }

/** More than the pool has threads, so that none of them waits for this one. */
const AT_ONCE = 16
const NO_DISK: NoRoom = { ok: false, reason: 'disk', freeBytes: 0 }

type Deps = { folder: ReleaseFolder; room: StoreRoom; busy: Set<string> }

/** `busy` is shared with uploads of one content each. */
export const createBatches =
  ({ folder, room, busy }: Deps) =>
  async (body: AsyncIterable<Buffer>, limits: BatchLimits): Promise<ReceivedBatch> => {
    const outcome: BatchOutcome = { kept: 0, known: 0, refused: [] }
    const mine = new Set<string>()
    const written: string[] = []
    const writing = new Set<Promise<void>>()
    const ended: { fault?: Extract<ReceivedBatch, { ok: false }>; error?: unknown } = {}

    async function take({ sha256, bytes }: Framed): Promise<void> {
      if (digestOf(bytes) !== sha256) outcome.refused.push({ sha256, reason: 'differs' })
      else if (mine.has(sha256)) outcome.known++
      else if (busy.has(sha256)) outcome.refused.push({ sha256, reason: 'busy' })
      else if (await isKnown(sha256)) outcome.known++
      else await put(sha256, bytes)
    }

    async function isKnown(sha256: string): Promise<boolean> {
      busy.add(sha256)
      return await isThereRight({ folder, room }, sha256).finally(() => busy.delete(sha256))
    }

    async function put(sha256: string, bytes: Buffer): Promise<void> {
      busy.add(sha256)
      mine.add(sha256)
      const path = folder.upload(sha256)
      room.give((await sizeAt(path)) ?? 0)
      const given = await room.take(bytes.length)
      if (!given.ok) {
        await rm(path, { force: true })
        ended.fault = { ok: false, reason: 'room', room: given }
        return
      }
      const write = writeOne(sha256, path, bytes).finally(() => writing.delete(write))
      writing.add(write)
      // A slow disk holds the sender back, not the bytes in memory.
      if (writing.size >= AT_ONCE) await Promise.race(writing)
    }

    async function writeOne(sha256: string, path: string, bytes: Buffer): Promise<void> {
      try {
        await writeFile(path, bytes, { mode: 0o600 })
        written.push(sha256)
      } catch (error) {
        await rm(path, { force: true })
        room.give(bytes.length)
        if (isDiskFull(error)) ended.fault = { ok: false, reason: 'room', room: NO_DISK }
        else ended.error = error
      }
    }

    async function keep(): Promise<void> {
      await Promise.all(writing)
      const limit = pLimit(AT_ONCE)
      await limit.map(written, (sha256) => syncFile(folder.upload(sha256)))
      await limit.map(written, (sha256) => folder.keep(sha256))
      outcome.kept = written.length
    }

    try {
      for await (const frame of framesOf(body, limits)) {
        if (!frame.ok) ended.fault = { ok: false, reason: 'frame', what: frame.what }
        else await take(frame)
        if (ended.fault || ended.error !== undefined) break
      }
    } finally {
      // What came before a break is kept, too.
      await keep().finally(() => {
        for (const sha256 of mine) busy.delete(sha256)
      })
    }
    if (ended.error !== undefined) throw ended.error
    return ended.fault ?? { ok: true, ...outcome }
  }

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

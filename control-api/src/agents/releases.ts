// SPDX-License-Identifier: MIT
// What a node gets of releases: the manifests of those that it was told to run, and the contents those name. Bytes go from
// the disk to the connection; so many answers at once, and who does not read is cut off, for it can go on where it was.
// What is asked for is looked up in that turn, too: ten thousand nodes that ask at once do not open as many lists.
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { NoSuchDelta, NoSuchRelease, ReleasesBusy } from '../agent-protocol/errors.ts'
import { manifestsGiven } from '../assignments/store.ts'
import { type EndTurn, NoTurn, Turns } from '../base/turns.ts'
import type { Database } from '../db/database.ts'
import type { ReleasesAhead } from '../fleet/ahead.ts'
import { bytesOfContents, type Content } from '../release-store/contents-stream.ts'
import { createDeltas } from '../release-store/deltas.ts'
import type { ReleaseFolder } from '../release-store/folder.ts'
import { createKnownLists } from '../release-store/known-lists.ts'
import type { StoreRoom } from '../release-store/room.ts'
import { areOfOneRelease } from '../releases/store.ts'

const SHA256 = /^[0-9a-f]{64}$/
/** Of one request for many. */
export const MOST_TOGETHER_BYTES = 16 * 1024 * 1024

export type Sending = { contents: readonly Content[]; from: number }
export type NodeReleases = {
  /** Throw NoSuchRelease for what the node was not told to run. */
  manifest(nodeId: string, sha256: string): Promise<Content>
  /** What makes it of `base`. Throws NoSuchDelta, too. */
  delta(nodeId: string, sha256: string, base: string): Promise<Content>
  contents(nodeId: string, names: readonly string[]): Promise<Content[]>
  /** Throws NoSuchRelease, too. */
  demandOwn(nodeId: string, manifest: string): Promise<void>
  /** When it is the node's turn, answers with the bytes of what is found. Throws ReleasesBusy. */
  send(reply: FastifyReply, nodeId: string, find: () => Promise<Sending>): Promise<FastifyReply>
  /** Since the start. */
  sentBytes(): number
}
type Limits = { atOnce: number; perNode: number; waitMs: number; stallMs: number }

const LIMITS: Limits = { atOnce: 64, perNode: 4, waitMs: 20_000, stallMs: 30_000 }
type Deps = {
  db: Kysely<Database>
  folder: ReleaseFolder
  room: Pick<StoreRoom, 'take' | 'give'>
  ahead: Pick<ReleasesAhead, 'wantedBy'>
}

export function createNodeReleases(
  { db, folder, room, ahead }: Deps,
  limits: Limits = LIMITS,
): NodeReleases {
  const turns = new Turns({
    ...{ capacity: limits.atOnce, perCaller: limits.perNode, waitMs: limits.waitMs },
    ...{ waiting: 10_000, waitingPerCaller: limits.perNode },
  })
  const lists = createKnownLists(folder)
  const deltas = createDeltas({ folder, room })
  let sent = 0

  /** What it was told to run, or to hold ahead. */
  async function manifestsFor(nodeId: string): Promise<string[]> {
    const held = ahead.wantedBy(nodeId).map(({ manifestSha256 }) => manifestSha256)
    return [...new Set([...(await manifestsGiven(db, nodeId)), ...held])]
  }

  async function demandOwn(nodeId: string, manifest: string): Promise<void> {
    const isItsOwn = (await manifestsFor(nodeId)).includes(manifest)
    if (!isItsOwn) throw new NoSuchRelease(manifest)
  }

  /** What is removed or was never here has no size. */
  async function onDisk(sha256: string): Promise<Content> {
    const path = folder.blob(sha256)
    try {
      return { path, size: (await stat(path)).size }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new NoSuchRelease(sha256)
      throw error
    }
  }

  async function* counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      sent += chunk.length
      yield chunk
    }
  }

  return {
    demandOwn,

    async manifest(nodeId, sha256) {
      await demandOwn(nodeId, sha256)
      return await onDisk(sha256)
    },

    async delta(nodeId, sha256, base) {
      await demandOwn(nodeId, sha256)
      // What it held it may not be told to run any more; of another release it learns nothing.
      const isOfOne = SHA256.test(base) && (await areOfOneRelease(db, sha256, base))
      const delta = isOfOne ? await deltas.between({ target: sha256, base }) : null
      if (delta === null) throw new NoSuchDelta(base)
      return delta
    },

    async contents(nodeId, names) {
      const isName = names.every((name) => SHA256.test(name))
      const own = isName ? await lists.sizesOf(await manifestsFor(nodeId), names) : new Map()
      const notItsOwn = names.find((name) => !own.has(name))
      if (notItsOwn !== undefined) throw new NoSuchRelease(notItsOwn)
      // Of those that are gone the node hears with the first one: an answer that breaks off is asked for again from there.
      const [first] = names
      if (first !== undefined) await onDisk(first)
      return names.map((name) => ({ path: folder.blob(name), size: own.get(name) ?? 0 }))
    },

    async send(reply, nodeId, find) {
      const end = await turnFor(nodeId, reply)
      cutWhenStalled(reply, limits.stallMs, end)
      const { contents, from } = await find()
      const bytes = contents.reduce((sum, { size }) => sum + size, 0)
      reply
        .header('content-type', 'application/octet-stream')
        .header('content-length', bytes - from)
      if (from > 0) {
        reply.code(206).header('content-range', `bytes ${from}-${bytes - 1}/${bytes}`)
      }
      return reply.send(
        Readable.from(counted(bytesOfContents(contents, from)), { objectMode: false }),
      )
    },

    sentBytes: () => sent,
  }

  async function turnFor(nodeId: string, reply: FastifyReply): Promise<EndTurn> {
    const gone = new AbortController()
    const leave = () => gone.abort()
    reply.raw.once('close', leave)
    try {
      return await turns.take(nodeId, 1, gone.signal)
    } catch (error) {
      if (error instanceof NoTurn) throw new ReleasesBusy()
      throw error
    } finally {
      reply.raw.off('close', leave)
    }
  }
}

/** Its turn ends with the answer, or when nothing more was taken of it for so long. */
function cutWhenStalled({ raw }: FastifyReply, stallMs: number, end: EndTurn): void {
  const taken = () => (raw.socket?.bytesWritten ?? 0) - raw.writableLength
  let before = taken()
  const timer = setInterval(() => {
    const now = taken()
    if (now <= before) raw.destroy()
    before = now
  }, stallMs)
  timer.unref()
  raw.once('close', () => {
    clearInterval(timer)
    end()
  })
}

/** `bytes=N-` and nothing else; left out: the whole. null: it is none, or begins behind the end. */
export function beginOf(range: string | undefined, size: number): number | null {
  if (range === undefined) return 0
  const [, digits] = /^bytes=(\d{1,15})-$/.exec(range) ?? []
  if (digits === undefined) return null
  const from = Number(digits)
  return from < size || (from === 0 && size === 0) ? from : null
}

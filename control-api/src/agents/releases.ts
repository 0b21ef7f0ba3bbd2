// SPDX-License-Identifier: MIT
// What a node gets of releases: the manifests of those that it was told to run, and the contents those name. Bytes go from
// the disk to the connection; so many answers at once, and who does not read is cut off, for it can go on where it was.
import { createReadStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { NoSuchRelease, ReleasesBusy } from '../agent-protocol/errors.ts'
import { manifestsGiven } from '../assignments/store.ts'
import { type EndTurn, NoTurn, Turns } from '../base/turns.ts'
import type { Database } from '../db/database.ts'
import { sizeOfBlob } from '../release-store/blob-list.ts'
import type { ReleaseFolder } from '../release-store/folder.ts'
import { reading } from '../release-store/lines.ts'

const SHA256 = /^[0-9a-f]{64}$/
/** Of one request for many. */
export const MOST_TOGETHER_BYTES = 16 * 1024 * 1024

type Content = { path: string; size: number }
export type NodeReleases = {
  /** Throw NoSuchRelease for what the node was not told to run. */
  manifest(nodeId: string, sha256: string): Promise<Content>
  contents(nodeId: string, names: readonly string[]): Promise<Content[]>
  /** Answers with their bytes, from `from` on. Throws ReleasesBusy. */
  send(
    reply: FastifyReply,
    nodeId: string,
    contents: readonly Content[],
    from?: number,
  ): Promise<FastifyReply>
  /** Since the start. */
  sentBytes(): number
}
type Limits = { atOnce: number; perNode: number; waitMs: number; stallMs: number }

const LIMITS: Limits = { atOnce: 64, perNode: 4, waitMs: 20_000, stallMs: 30_000 }
/** Who takes less than one in the time of a stall is as good as gone. */
const CHUNK_BYTES = 64 * 1024

type Deps = { db: Kysely<Database>; folder: ReleaseFolder }

export function createNodeReleases({ db, folder }: Deps, limits: Limits = LIMITS): NodeReleases {
  const turns = new Turns({
    ...{ capacity: limits.atOnce, perCaller: limits.perNode, waitMs: limits.waitMs },
    ...{ waiting: 10_000, waitingPerCaller: limits.perNode },
  })
  let sent = 0

  /** What is removed or was never here has no size. */
  const onDisk = (sha256: string): Content | null => {
    const path = folder.blob(sha256)
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats ? { path, size: stats.size } : null
  }

  /** Those of the names that one of the manifests needs. */
  async function needed(manifests: readonly string[], names: readonly string[]) {
    const found = new Set<string>()
    for (const manifest of manifests) {
      const others = names.filter((name) => SHA256.test(name) && !found.has(name))
      if (others.length === 0) break
      await reading(folder.list(manifest), async (list) => {
        for (const name of others) if ((await sizeOfBlob(list, name)) !== null) found.add(name)
      })
    }
    return found
  }

  async function* bytesOf(contents: readonly Content[], from: number): AsyncGenerator<Buffer> {
    let skip = from
    for (const { path, size } of contents) {
      const start = Math.min(skip, size)
      skip -= start
      if (start === size) continue
      for await (const chunk of createReadStream(path, { start, highWaterMark: CHUNK_BYTES })) {
        sent += chunk.length
        yield chunk
      }
    }
  }

  return {
    async manifest(nodeId, sha256) {
      const isItsOwn = (await manifestsGiven(db, nodeId)).includes(sha256)
      const found = isItsOwn ? onDisk(sha256) : null
      if (!found) throw new NoSuchRelease(sha256)
      return found
    },

    async contents(nodeId, names) {
      const own = await needed(await manifestsGiven(db, nodeId), names)
      return names.map((name) => {
        const found = own.has(name) ? onDisk(name) : null
        if (!found) throw new NoSuchRelease(name)
        return found
      })
    },

    async send(reply, nodeId, contents, from = 0) {
      const end = await turnFor(nodeId, reply)
      const bytes = contents.reduce((sum, { size }) => sum + size, 0)
      cutWhenStalled(reply, limits.stallMs, end)
      reply
        .header('content-type', 'application/octet-stream')
        .header('content-length', bytes - from)
      if (from > 0) {
        reply.code(206).header('content-range', `bytes ${from}-${bytes - 1}/${bytes}`)
      }
      return reply.send(Readable.from(bytesOf(contents, from), { objectMode: false }))
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

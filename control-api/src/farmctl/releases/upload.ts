// SPDX-License-Identifier: MIT
// Sends contents that are missing, some at a time: small ones many in a request, large ones in parts that fit into memory and into the minute that a request has.
// What breaks off goes on where the control plane says that it is.
import { open, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../api.ts'
import type { BlobBatch } from '../api-types.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure, isApiError } from '../failures.ts'
import { interrupted } from '../terminal.ts'

export type Content = { sha256: string; size: number; path: string }
type Options = { stop: AbortSignal; onSent: (bytes: number) => void }

const PART_BYTES = 8 * 1024 * 1024
const AT_ONCE = 6
/** What the API takes many of in one request, less than it would take: `AT_ONCE` of them are in memory. */
const SMALL_BYTES = 1024 * 1024
const BATCH_CONTENTS = 512
const BATCH_BYTES = 4 * 1024 * 1024
const TRIES = 6
const FIRST_WAIT_MS = 500
/** Of refusals that pass: too slow, somebody else sends it, too many requests, busy. */
const PASSING = [408, 429, 503, 'upload_under_way', 'upload_offset_differs'] as const

/** Each once, `AT_ONCE` requests side by side; the first that can't be sent ends all. */
export async function uploadAll(
  api: Api,
  contents: AsyncIterable<Content>,
  options: Options,
): Promise<void> {
  const all = batchesOf(contents)
  const failed = new AbortController()
  const work = async () => {
    while (!failed.signal.aborted) {
      const { value, done } = await all.next()
      if (done) return
      await uploadBatch(api, value, options)
    }
  }
  const workers = Array.from({ length: AT_ONCE }, () =>
    work().catch((error: unknown) => {
      failed.abort()
      throw error
    }),
  )
  const ended = await Promise.allSettled(workers)
  await all.return(undefined)
  const first = ended.find((one) => one.status === 'rejected')
  if (first) throw first.reason
}

/** A large one is a batch by itself. */
export async function* batchesOf(contents: AsyncIterable<Content>): AsyncGenerator<Content[]> {
  let batch: Content[] = []
  let bytes = 0
  for await (const content of contents) {
    if (content.size > SMALL_BYTES) {
      yield [content]
      continue
    }
    if (batch.length === BATCH_CONTENTS || bytes + content.size > BATCH_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(content)
    bytes += content.size
  }
  if (batch.length > 0) yield batch
}

async function uploadBatch(api: Api, batch: Content[], options: Options): Promise<void> {
  const [first] = batch
  if (first && batch.length === 1) return await upload(api, first, options)
  const refused = await trying(options, () => sendBatch(api, batch))
  const again = new Map(refused.map(({ sha256, reason }) => [sha256, reason]))
  for (const content of batch) {
    const reason = again.get(content.sha256)
    if (reason === 'differs') throw changed(content.path)
    if (reason === 'busy') await upload(api, content, options)
    else options.onSent(content.size)
  }
}

async function sendBatch(api: Api, batch: readonly Content[]) {
  const pieces = await Promise.all(
    batch.map(async ({ sha256, size, path }) => {
      const bytes = await readFile(path)
      if (bytes.length !== size) throw changed(path)
      return [Buffer.from(`${sha256} ${size}\n`), bytes]
    }),
  )
  const answer = await api.send(
    new Request(`${api.url}/api/v1/blobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.concat(pieces.flat()),
    }),
  )
  return ((await answer.json()) as BlobBatch).refused
}

export async function upload(api: Api, content: Content, options: Options): Promise<void> {
  let from = 0
  await trying(
    options,
    async () => {
      if (from === content.size && from > 0) return
      await sendFrom(api, content, from, options).catch((error: unknown) => {
        throw isApiError(error, 'blob_differs') ? changed(content.path) : error
      })
    },
    async () => {
      from = await receivedOf(api, content.sha256)
    },
  )
}

/** What passes is tried again, after a while that grows; `before` each time but the first. */
async function trying<T>(
  { stop }: Options,
  work: () => Promise<T>,
  before: () => Promise<void> = async () => {},
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (stop.aborted) throw interrupted()
      const passes = isApiError(error) ? isApiError(error, ...PASSING) : isOfNetwork(error)
      if (!passes || tries >= TRIES) throw error
      await sleep(FIRST_WAIT_MS * 2 ** (tries - 1), undefined, { signal: stop }).catch(() => {})
      await before()
    }
  }
}

const isOfNetwork = (error: unknown) => error instanceof Failure && error.exitCode === EXIT.failed

async function receivedOf(api: Api, sha256: string): Promise<number> {
  const { data } = await api.GET('/api/v1/blobs/{sha256}', { params: { path: { sha256 } } })
  return data?.receivedBytes ?? 0
}

async function sendFrom(
  api: Api,
  { sha256, size, path }: Content,
  from: number,
  { onSent }: Options,
): Promise<void> {
  const file = await open(path, 'r')
  try {
    for (let at = from; at < size || size === 0; ) {
      const bytes = Buffer.allocUnsafe(Math.min(PART_BYTES, size - at))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
      if (bytesRead < bytes.length) throw changed(path)
      await sendPart(api, sha256, { bytes, at, size })
      onSent(bytes.length)
      at += bytes.length
      if (size === 0) return
    }
  } finally {
    await file.close()
  }
}

async function sendPart(
  api: Api,
  sha256: string,
  { bytes, at, size }: { bytes: Buffer<ArrayBuffer>; at: number; size: number },
): Promise<void> {
  const isWhole = bytes.length === size
  const range = `bytes ${at}-${at + bytes.length - 1}/${size}`
  await api.send(
    new Request(`${api.url}/api/v1/blobs/${sha256}`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        ...(!isWhole && { 'content-range': range }),
      },
      body: bytes,
    }),
  )
}

const changed = (path: string) =>
  new Failure(`${path} changed while it was pushed. Nothing was made: push again.`, EXIT.conflict)

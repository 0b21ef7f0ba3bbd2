// SPDX-License-Identifier: MIT
// Sends contents that are missing, some at a time, in parts that fit into memory and into the minute that a request has.
// What breaks off goes on where the control plane says that it is.
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../api.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure, isApiError } from '../failures.ts'
import { interrupted } from '../terminal.ts'

export type Content = { sha256: string; size: number; path: string }
type Options = { stop: AbortSignal; onSent: (bytes: number) => void }

const PART_BYTES = 8 * 1024 * 1024
const AT_ONCE = 6
const TRIES = 6
const FIRST_WAIT_MS = 500
/** Of refusals that pass: too slow, somebody else sends it, too many requests, busy. */
const PASSING = [408, 429, 503, 'upload_under_way', 'upload_offset_differs'] as const

/** Each once, `AT_ONCE` side by side; the first that can't be sent ends all. */
export async function uploadAll(
  api: Api,
  contents: AsyncIterable<Content>,
  options: Options,
): Promise<void> {
  const all = contents[Symbol.asyncIterator]()
  const failed = new AbortController()
  const work = async () => {
    while (!failed.signal.aborted) {
      const { value, done } = await all.next()
      if (done) return
      await upload(api, value, options)
    }
  }
  const workers = Array.from({ length: AT_ONCE }, () =>
    work().catch((error: unknown) => {
      failed.abort()
      throw error
    }),
  )
  const ended = await Promise.allSettled(workers)
  await all.return?.()
  const first = ended.find((one) => one.status === 'rejected')
  if (first) throw first.reason
}

export async function upload(api: Api, content: Content, options: Options): Promise<void> {
  for (let tries = 1, from = 0; ; tries++) {
    try {
      await sendFrom(api, content, from, options)
      return
    } catch (error) {
      if (options.stop.aborted) throw interrupted()
      if (isApiError(error, 'blob_differs')) throw changed(content.path)
      const passes = isApiError(error) ? isApiError(error, ...PASSING) : isOfNetwork(error)
      if (!passes || tries >= TRIES) throw error
      await sleep(FIRST_WAIT_MS * 2 ** (tries - 1), undefined, { signal: options.stop }).catch(
        () => {},
      )
      from = await receivedOf(api, content.sha256)
      if (from === content.size && from > 0) return
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

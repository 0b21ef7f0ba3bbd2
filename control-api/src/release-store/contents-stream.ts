// SPDX-License-Identifier: MIT
// Contents one after the other, as one stream. Of small ones some are read ahead and go together: a wait for the disk, and a
// write to the connection, for each of ten thousand takes longer than their bytes do.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'

export type Content = { path: string; size: number }

const SMALL_BYTES = 64 * 1024
/** Who takes less than one in the time of a stall is as good as gone. */
const CHUNK_BYTES = 128 * 1024
const READ_AHEAD = 8

type Ahead = { content: Content; bytes: Promise<Buffer> | null }

/** Without the first `from` bytes of all. Throws where one is gone, or shorter than was said. */
export async function* bytesOfContents(
  contents: readonly Content[],
  from: number,
): AsyncGenerator<Buffer> {
  let skip = from
  let small: Buffer[] = []
  let smallBytes = 0
  const joined = () => {
    const bytes = Buffer.concat(small)
    small = []
    smallBytes = 0
    return bytes
  }
  for (const { content, bytes } of readAhead(contents)) {
    const start = Math.min(skip, content.size)
    skip -= start
    if (start === content.size) continue
    if (bytes === null) {
      if (smallBytes > 0) yield joined()
      yield* readFrom(content, start)
      continue
    }
    small.push((await bytes).subarray(start))
    smallBytes += content.size - start
    if (smallBytes >= SMALL_BYTES) yield joined()
  }
  if (smallBytes > 0) yield joined()
}

/** `bytes` null: it is large, and read when it is due. */
function* readAhead(contents: readonly Content[]): Generator<Ahead> {
  const ahead: Ahead[] = []
  for (const content of contents) {
    const bytes = content.size > SMALL_BYTES ? null : readWhole(content)
    // Who fails is told of when it is due.
    bytes?.catch(() => {})
    ahead.push({ content, bytes })
    const due = ahead.length > READ_AHEAD ? ahead.shift() : undefined
    if (due) yield due
  }
  yield* ahead
}

async function* readFrom({ path, size }: Content, start: number): AsyncGenerator<Buffer> {
  let at = start
  const options = { start, end: size - 1, highWaterMark: CHUNK_BYTES }
  for await (const chunk of createReadStream(path, options)) {
    at += chunk.length
    yield chunk
  }
  if (at < size) throw shorter(path, at, size)
}

async function readWhole({ path, size }: Content): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const bytes = Buffer.allocUnsafe(size)
    const { bytesRead } = await file.read(bytes, 0, size, 0)
    if (bytesRead < size) throw shorter(path, bytesRead, size)
    return bytes
  } finally {
    await file.close()
  }
}

const shorter = (path: string, bytes: number, size: number) =>
  new Error(`${path} has ${bytes} of ${size} bytes`)

// SPDX-License-Identifier: MIT
// Reads a manifest from anywhere in it, in memory that does not grow with it. As its lines are in order, a path is found
// by halving, without an index.
import { type FileHandle, open } from 'node:fs/promises'
import { comparePaths, entryOf, LINE_MAX_BYTES } from './entries.ts'

const CHUNK_BYTES = 128 * 1024
const NEWLINE = 0x0a

/** Some lines at a time, so that a wait is paid for many. The last is what is left without a newline, if anything is. */
export async function* linesOf(file: FileHandle, from = 0): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0)
  for (let at = from; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, at)
    if (bytesRead === 0) break
    at += bytesRead
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
    const lines: Buffer[] = []
    let begin = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, begin)) {
      lines.push(bytes.subarray(begin, end))
      begin = end + 1
    }
    rest = bytes.subarray(begin)
    if (rest.length > LINE_MAX_BYTES) {
      yield [...lines, rest]
      return
    }
    yield lines
  }
  if (rest.length > 0) yield [rest]
}

/** Where the first line begins whose path is not before this one; the file's size: none is. */
async function offsetOf(file: FileHandle, path: string): Promise<number> {
  const { size } = await file.stat()
  let [low, high] = [0, size]
  // Between `low`, where a line begins, and `high`, where one begins or the file ends.
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await lineFrom(file, middle, low)
    // No line begins in the upper half: the one at `low` is the last that is left.
    const { begin, text } = found === null || found.begin >= high ? await lineAt(file, low) : found
    if (comparePaths(entryOf(text).path, path) < 0) low = begin + Buffer.byteLength(text) + 1
    else high = begin
  }
  return low
}

type Line = { begin: number; text: string }

/** The first line that begins at `at` or after it. */
async function lineFrom(file: FileHandle, at: number, low: number): Promise<Line | null> {
  if (at === low) return lineAt(file, low)
  const bytes = await read(file, at - 1)
  const newline = bytes.indexOf(NEWLINE)
  const begin = at + newline
  const rest = bytes.subarray(newline + 1)
  if (newline === -1 || rest.length === 0) return null
  const end = rest.indexOf(NEWLINE)
  if (end === -1) return lineAt(file, begin)
  return { begin, text: rest.toString('utf8', 0, end) }
}

async function lineAt(file: FileHandle, begin: number): Promise<Line> {
  const bytes = await read(file, begin)
  return { begin, text: bytes.toString('utf8', 0, bytes.indexOf(NEWLINE)) }
}

async function read(file: FileHandle, at: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(LINE_MAX_BYTES + 1)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
  return bytes.subarray(0, bytesRead)
}

/** Lines as text, from the first that is not before `path`. */
export async function* textsFrom(file: FileHandle, path: string): AsyncGenerator<string[]> {
  const from = path === '' ? 0 : await offsetOf(file, path)
  for await (const lines of linesOf(file, from)) yield lines.map((line) => line.toString('utf8'))
}

export async function reading<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r')
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

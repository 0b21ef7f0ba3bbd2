// SPDX-License-Identifier: MIT
// A tree from a tar, plain or gzip. Members come in any order, and their bytes once: they are put aside, each content
// under its digest, until one knows which are missing.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { createTarDecoder } from 'modern-tar'
import { comparePaths, type Entry, faultOfOrder } from '../../release-store/entries.ts'
import { Failure } from '../failures.ts'
import { type Found, modeText, targetOf } from './tree.ts'

/** `dir` is where contents are put: DIR/<digest>. */
export async function unpackTar(
  bytes: AsyncIterable<Uint8Array>,
  { dir, from }: { dir: string; from: string },
): Promise<Found[]> {
  const found = new Map<string, Found>()
  try {
    await readMembers(bytes, dir, found)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Failure(`${from} can't be read as a tar (plain or gzip): ${why}`)
  }
  const inOrder = [...found].sort(([a], [b]) => comparePaths(a, b))
  // Unpacked, the one would stand where the other is.
  return inOrder.map(([path, one], at) => {
    const before = inOrder[at - 1]?.[0]
    const fault = before === undefined ? null : faultOfOrder(before, path)
    return fault === null ? one : { path, fault }
  })
}

async function readMembers(
  bytes: AsyncIterable<Uint8Array>,
  dir: string,
  found: Map<string, Found>,
): Promise<void> {
  const plain = await unzipped(bytes)
  const decoder = createTarDecoder({ strict: true })
  for await (const { header, body } of ReadableStream.from(plain).pipeThrough(decoder)) {
    const { name, type = 'file', linkname = '', mode = 0o644 } = header
    const path = name.replace(/^(?:\.\/+)+/, '')
    if (type === 'file') {
      const { sha256, size } = await putAside(body, dir)
      found.set(path, { entry: { path, type: 'file', mode: modeText(mode), size, sha256 } })
      continue
    }
    for await (const _ of body);
    if (type === 'directory' || path === '') continue
    found.set(path, otherOf(path, { type, linkname, found }))
  }
}

function otherOf(
  path: string,
  { type, linkname, found }: { type: string; linkname: string; found: Map<string, Found> },
): Found {
  if (type === 'symlink') return { entry: { path, type: 'link', target: targetOf(linkname) } }
  if (type !== 'link') {
    return { path, fault: `is a ${type}, so nobody can serve it` }
  }
  // A second name of a file that came before: the same content twice.
  const first = found.get(linkname.replace(/^(?:\.\/+)+/, ''))
  if (first && 'entry' in first) return { entry: { ...first.entry, path } as Entry }
  return { path, fault: `is a hard link to ${JSON.stringify(linkname)}, which is not before it` }
}

let written = 0

async function putAside(
  body: ReadableStream<Uint8Array>,
  dir: string,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  const counted = async function* () {
    for await (const chunk of body) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  const path = join(dir, `${written++}.tmp`)
  await pipeline(Readable.from(counted()), createWriteStream(path, { mode: 0o600 }))
  const sha256 = hash.digest('hex')
  await rename(path, join(dir, sha256))
  return { sha256, size }
}

async function unzipped(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const all = bytes[Symbol.asyncIterator]()
  const { value: first, done } = await all.next()
  if (done) throw new Error('it is empty')
  const again = async function* () {
    yield first
    for (let next = await all.next(); !next.done; next = await all.next()) yield next.value
  }
  if (first[0] !== 0x1f || first[1] !== 0x8b) return again()
  const gunzip = createGunzip()
  // What is wrong with it is thrown where it is read.
  pipeline(Readable.from(again()), gunzip).catch(() => {})
  return gunzip
}

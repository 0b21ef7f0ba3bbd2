// SPDX-License-Identifier: MIT
// Which blobs a manifest needs, each once and in order, beside it in a file of fixed records: what of a million is
// missing, and what nobody needs any more, is looked up by parts of a 256th.
//
//   257 × u32   how many records are before those of each first byte
//   n × 40      SHA-256, size as u64
import { type FileHandle, open, rename } from 'node:fs/promises'
import { nextTurn } from '../base/slices.ts'
import { UNFINISHED } from './folder.ts'

const DIGEST_BYTES = 32
const RECORD_BYTES = DIGEST_BYTES + 8
const HEAD_BYTES = 257 * 4
const FIRST_RECORDS = 64

export type Blob = { sha256: string; size: number }
export type ListFacts = { blobs: number; bytes: number }
/** The same content cannot be of two sizes. */
export type Gathered = { ok: true; parts: Buffer[]; facts: ListFacts } | { ok: false; blob: Blob }

/** Records of one first byte, as they come. */
class Part {
  #bytes = Buffer.allocUnsafe(FIRST_RECORDS * RECORD_BYTES)
  #end = 0

  add(sha256: string, size: number): void {
    if (this.#end === this.#bytes.length) {
      const grown = Buffer.allocUnsafe(this.#bytes.length * 2)
      this.#bytes.copy(grown)
      this.#bytes = grown
    }
    this.#bytes.write(sha256, this.#end, DIGEST_BYTES, 'hex')
    this.#bytes.writeBigUInt64BE(BigInt(size), this.#end + DIGEST_BYTES)
    this.#end += RECORD_BYTES
  }

  /** In order, each once. */
  sorted(): Buffer {
    const records = Array.from({ length: this.#end / RECORD_BYTES }, (_, at) =>
      this.#bytes.subarray(at * RECORD_BYTES, (at + 1) * RECORD_BYTES),
    ).sort(Buffer.compare)
    return Buffer.concat(
      records.filter((one, at) => at === 0 || !one.equals(records[at - 1] as Buffer)),
    )
  }
}

export function gatherBlobs() {
  const parts = Array.from({ length: 256 }, () => new Part())
  return {
    add: (sha256: string, size: number) =>
      parts[Number.parseInt(sha256.slice(0, 2), 16)]?.add(sha256, size),
    async sorted(): Promise<Gathered> {
      const sorted: Buffer[] = []
      const facts = { blobs: 0, bytes: 0 }
      for (const part of parts) {
        const bytes = part.sorted()
        for (const blob of blobsIn(bytes)) {
          facts.blobs++
          facts.bytes += blob.size
        }
        const twice = ofTwoSizes(bytes)
        if (twice) return { ok: false, blob: twice }
        sorted.push(bytes)
        await nextTurn()
      }
      return { ok: true, parts: sorted, facts }
    },
  }
}

function ofTwoSizes(bytes: Buffer): Blob | null {
  let before = ''
  for (const blob of blobsIn(bytes)) {
    if (blob.sha256 === before) return blob
    before = blob.sha256
  }
  return null
}

function* blobsIn(bytes: Buffer): Generator<Blob> {
  for (let at = 0; at < bytes.length; at += RECORD_BYTES) {
    yield {
      sha256: bytes.toString('hex', at, at + DIGEST_BYTES),
      size: Number(bytes.readBigUInt64BE(at + DIGEST_BYTES)),
    }
  }
}

export async function writeBlobList(path: string, parts: readonly Buffer[]): Promise<void> {
  const head = Buffer.alloc(HEAD_BYTES)
  let records = 0
  parts.forEach((part, at) => {
    records += part.length / RECORD_BYTES
    head.writeUInt32BE(records, (at + 1) * 4)
  })
  const file = await open(path + UNFINISHED, 'w', 0o600)
  try {
    await file.writeFile(head)
    for (const part of parts) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(path + UNFINISHED, path)
}

/** Those of one first byte. */
export async function blobsOfPart(file: FileHandle, part: number): Promise<Blob[]> {
  const head = await exactly(file, part * 4, 8)
  const [from, to] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  if (from === to) return []
  return [
    ...blobsIn(await exactly(file, HEAD_BYTES + from * RECORD_BYTES, (to - from) * RECORD_BYTES)),
  ]
}

async function exactly(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  if (bytesRead < length) throw new Error('a list of blobs ends before its records do')
  return bytes
}

/** Of a whole list as it is on the disk, by halving; null: the manifest needs none of this name. */
export function sizeInList(list: Buffer, sha256: string): number | null {
  const part = Number.parseInt(sha256.slice(0, 2), 16)
  let [low, high] = [list.readUInt32BE(part * 4), list.readUInt32BE((part + 1) * 4)]
  const name = Buffer.from(sha256, 'hex')
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const at = HEAD_BYTES + middle * RECORD_BYTES
    const order = name.compare(list, at, at + DIGEST_BYTES)
    if (order === 0) return Number(list.readBigUInt64BE(at + DIGEST_BYTES))
    if (order > 0) low = middle + 1
    else high = middle
  }
  return null
}

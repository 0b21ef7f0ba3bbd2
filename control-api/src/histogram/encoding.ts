// SPDX-License-Identifier: MIT
// A histogram as a BLOB: rings keep millions of them and most buckets are empty or small.
//
//   byte 0        format, 1
//   8 + 8 bytes   sumSeconds, maxSeconds as little-endian doubles
//   varints       zeroCount, offset - MIN_INDEX, number of buckets, then the buckets;
//                 a bucket of 0 is followed by how many more zeros come after it
//
// The count is not stored: it is the sum of the rest, so the two can't disagree.
import { emptyHistogram, type Histogram, MAX_BUCKETS, MIN_INDEX } from './histogram.ts'

const FORMAT = 1
const HEAD_BYTES = 17

export function encodeHistogram(h: Histogram): Uint8Array {
  const view = new DataView(SCRATCH.buffer)
  view.setUint8(0, FORMAT)
  view.setFloat64(1, h.sumSeconds, true)
  view.setFloat64(9, h.maxSeconds, true)
  let at = HEAD_BYTES
  at = putVarint(at, h.zeroCount)
  at = putVarint(at, h.counts.length === 0 ? 0 : h.offset - MIN_INDEX)
  at = putVarint(at, h.counts.length)
  for (let k = 0; k < h.counts.length; k++) {
    const n = h.counts[k] ?? 0
    at = putVarint(at, n)
    if (n !== 0) continue
    const first = k
    while (k + 1 < h.counts.length && h.counts[k + 1] === 0) k++
    at = putVarint(at, k - first)
  }
  return SCRATCH.slice(0, at)
}

/** As long as one can be: a number of 53 bits takes eight bytes. */
const SCRATCH = new Uint8Array(HEAD_BYTES + 8 * (3 + 2 * MAX_BUCKETS))

/** Throws on bytes that encodeHistogram() can't have written: the metrics file is damaged. */
export function decodeHistogram(bytes: Uint8Array): Histogram {
  if (bytes.length < HEAD_BYTES || bytes[0] !== FORMAT) {
    throw new RangeError(`stored histogram has format ${bytes[0] ?? 'none'}, expected ${FORMAT}`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const reader = { bytes, at: HEAD_BYTES }
  const h: Histogram = {
    ...emptyHistogram(),
    sumSeconds: view.getFloat64(1, true),
    maxSeconds: view.getFloat64(9, true),
    zeroCount: takeVarint(reader),
  }
  const offset = takeVarint(reader) + MIN_INDEX
  const length = takeVarint(reader)
  if (length > MAX_BUCKETS) throw new RangeError(`stored histogram has ${length} buckets`)
  h.counts = takeCounts(reader, length)
  h.offset = length === 0 ? 0 : offset
  h.count = h.counts.reduce((sum, n) => Math.min(sum + n, Number.MAX_SAFE_INTEGER), h.zeroCount)
  return h
}

type Reader = { readonly bytes: Uint8Array; at: number }

function takeCounts(reader: Reader, length: number): number[] {
  const counts: number[] = []
  while (counts.length < length) {
    const n = takeVarint(reader)
    counts.push(n)
    const moreZeros = n === 0 ? takeVarint(reader) : 0
    if (counts.length + moreZeros > length) throw new RangeError('stored histogram overruns')
    for (let i = 0; i < moreZeros; i++) counts.push(0)
  }
  return counts
}

/** LEB128 by arithmetic: counts reach 2^53 - 1 and bit operators stop at 2^32. */
function putVarint(from: number, n: number): number {
  let rest = n
  let at = from
  while (rest >= 128) {
    SCRATCH[at++] = (rest % 128) + 128
    rest = Math.floor(rest / 128)
  }
  SCRATCH[at++] = rest
  return at
}

function takeVarint(reader: Reader): number {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = reader.bytes[reader.at++]
    if (byte === undefined) throw new RangeError('stored histogram is cut short')
    value += (byte % 128) * factor
    if (byte < 128) return value
  }
}

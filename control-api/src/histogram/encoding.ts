// SPDX-License-Identifier: MIT
// A histogram as a BLOB: rings keep millions of them and most buckets are empty or small.
//
//   byte 0        format, 1
//   8 + 8 bytes   sumSeconds, maxSeconds as little-endian doubles
//   varints       zeroCount, offset - MIN_INDEX, number of buckets, then the buckets;
//                 a bucket of 0 is followed by how many more zeros come after it
//
// The count is not stored: it is the sum of the rest, so the two can't disagree.
import { ByteReader, ByteWriter } from './bytes.ts'
import { type Histogram, MAX_BUCKETS, MIN_INDEX } from './histogram.ts'

const FORMAT = 1
const HEAD_BYTES = 17
const writer = new ByteWriter()

export function encodeHistogram(h: Histogram): Uint8Array {
  writer.varint(FORMAT)
  writer.double(h.sumSeconds)
  writer.double(h.maxSeconds)
  writer.varint(h.zeroCount)
  writer.varint(h.counts.length === 0 ? 0 : h.offset - MIN_INDEX)
  writer.varint(h.counts.length)
  for (let k = 0; k < h.counts.length; k++) {
    const n = h.counts[k] ?? 0
    writer.varint(n)
    if (n !== 0) continue
    const first = k
    while (k + 1 < h.counts.length && h.counts[k + 1] === 0) k++
    writer.varint(k - first)
  }
  return writer.take()
}

/** Throws on bytes that encodeHistogram() can't have written: the metrics file is damaged. */
export function decodeHistogram(bytes: Uint8Array): Histogram {
  const { offset, length, zeroCount, sumSeconds, maxSeconds } = readHead(bytes, 0, bytes.length)
  decoded.fill(0, 0, length)
  addCounts(decoded, 0, length)
  const counts = Array.from(decoded.subarray(0, length))
  return {
    count: counts.reduce((sum, n) => Math.min(sum + n, Number.MAX_SAFE_INTEGER), zeroCount),
    ...{ zeroCount, sumSeconds, maxSeconds, counts },
    offset: length === 0 ? 0 : offset,
  }
}
const decoded = new Float64Array(MAX_BUCKETS)

type Sum = {
  zeroCount: number
  sumSeconds: number
  maxSeconds: number
  counts: Float64Array
  reachesTo(first: number, end: number): void
}

/** Adds what stands in that part of `bytes` to a sum, whose first bucket is MIN_INDEX. Throws as decodeHistogram() does. */
export function readInto(sum: Sum, bytes: Uint8Array, from: number, end: number): void {
  const { offset, length, zeroCount, sumSeconds, maxSeconds } = readHead(bytes, from, end)
  const first = offset - MIN_INDEX
  if (first + length > sum.counts.length) {
    throw new RangeError('stored histogram has no such buckets')
  }
  sum.reachesTo(first, first + length)
  addCounts(sum.counts, first, length)
  sum.zeroCount += zeroCount
  sum.sumSeconds += sumSeconds
  sum.maxSeconds = Math.max(sum.maxSeconds, maxSeconds)
}

/** One for all: nobody waits between the head of a histogram and its counts. */
const reader = new ByteReader(new Uint8Array(), 'stored histogram')

function readHead(bytes: Uint8Array, from: number, end: number) {
  if (end - from < HEAD_BYTES || bytes[from] !== FORMAT) {
    throw new RangeError(`stored histogram has format ${bytes[from] ?? 'none'}, expected ${FORMAT}`)
  }
  reader.begin(bytes, from + 1, end)
  const sumSeconds = reader.double()
  const maxSeconds = reader.double()
  const zeroCount = reader.varint()
  const offset = reader.varint() + MIN_INDEX
  const length = reader.varint()
  if (length > MAX_BUCKETS) throw new RangeError(`stored histogram has ${length} buckets`)
  return { sumSeconds, maxSeconds, zeroCount, offset, length }
}

/** What comes after the head. Without a call for each number: of a day of one node there are half a million. */
function addCounts(counts: Float64Array, first: number, length: number): void {
  const { data, at: from, end } = reader.left
  let at = from
  let isRun = false
  for (let k = 0; k < length || isRun; ) {
    let n = 0
    for (let factor = 1; ; factor *= 128) {
      if (at >= end) throw reader.cutShort()
      const byte = data[at++] ?? 0
      n += (byte & 127) * factor
      if (byte < 128) break
    }
    if (isRun) {
      isRun = false
      k += n
    } else {
      isRun = n === 0
      if (n !== 0) counts[first + k] = (counts[first + k] ?? 0) + n
      k++
    }
    if (k > length) throw new RangeError('stored histogram overruns')
  }
}

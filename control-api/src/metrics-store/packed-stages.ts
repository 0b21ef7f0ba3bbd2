// SPDX-License-Identifier: MIT
// The histograms of one window as one piece of bytes: as objects of the report they took five times the memory.
// Each is unpacked when it is read, so that who reads counters only pays for none.
//
//   for each stage: its place in STAGES (1 byte), the length of its histogram (2 bytes), histogram/encoding.ts
import { decodeHistogram, encodeHistogram } from '../histogram/encoding.ts'
import type { Histogram } from '../histogram/histogram.ts'
import type { Sample } from './metrics.ts'

/** Those that somebody reads from memory; charts have the others from the disk. */
const STAGES = ['firstByte', 'total', 'readWait', 'handshake'] as const
type Stage = (typeof STAGES)[number]
const HEAD_BYTES = 3

export class PackedStages {
  readonly #bytes: Uint8Array

  constructor(stages: Sample['stages']) {
    const parts = STAGES.flatMap((stage, index) => {
      const histogram = stages[stage]
      return histogram ? [{ index, encoded: encodeHistogram(histogram) }] : []
    })
    const length = parts.reduce((sum, { encoded }) => sum + HEAD_BYTES + encoded.length, 0)
    this.#bytes = new Uint8Array(length)
    let at = 0
    for (const { index, encoded } of parts) {
      this.#bytes.set([index, encoded.length >> 8, encoded.length & 0xff], at)
      this.#bytes.set(encoded, at + HEAD_BYTES)
      at += HEAD_BYTES + encoded.length
    }
  }

  get firstByte() {
    return this.#read('firstByte')
  }
  get total() {
    return this.#read('total')
  }
  get readWait() {
    return this.#read('readWait')
  }
  get handshake() {
    return this.#read('handshake')
  }

  #read(stage: Stage): Histogram | undefined {
    const bytes = this.#bytes
    const wanted = STAGES.indexOf(stage)
    for (let at = 0; at < bytes.length; ) {
      const from = at + HEAD_BYTES
      const to = from + (((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0))
      if (bytes[at] === wanted) return decodeHistogram(bytes.subarray(from, to))
      at = to
    }
    return undefined
  }
}

// SPDX-License-Identifier: MIT
// The histograms of a window, or of a step of a ring, as one piece of bytes: as objects of the report they took five times
// the memory, and as rows of their own they cost the disk four times the work. One is unpacked when it is read.
//
//   for each stage: its place in ALL (1 byte), the length of its histogram (2 bytes), histogram/encoding.ts
import { decodeHistogram, encodeHistogram } from '../histogram/encoding.ts'
import type { Histogram } from '../histogram/histogram.ts'
import type { StageName, Stages } from './windows.ts'

/** Places are on disks: what comes new comes last. */
const ALL: readonly StageName[] = [
  'handshake',
  'statWait',
  'stat',
  'readWait',
  'read',
  'write',
  'firstByte',
  'total',
  'writeClient',
  'writeBuffer',
  'writeNetwork',
  'roundTrip',
]
const HEAD_BYTES = 3

/** Of these what was counted at all. */
export function packStages(stages: Stages, names: readonly StageName[] = ALL): Uint8Array {
  const parts = names.flatMap((name) => {
    const histogram = stages[name]
    return histogram && histogram.count > 0 ? [part(name, encodeHistogram(histogram))] : []
  })
  return joined(parts)
}

type Part = { place: number; encoded: Uint8Array }

const part = (name: StageName, encoded: Uint8Array): Part => ({
  place: ALL.indexOf(name),
  encoded,
})

function joined(parts: readonly Part[]): Uint8Array {
  const length = parts.reduce((sum, { encoded }) => sum + HEAD_BYTES + encoded.length, 0)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const { place, encoded } of parts) {
    bytes.set([place, encoded.length >> 8, encoded.length & 0xff], at)
    bytes.set(encoded, at + HEAD_BYTES)
    at += HEAD_BYTES + encoded.length
  }
  return bytes
}

/** Of histograms that are encoded already. */
export const packEncoded = (encoded: ReadonlyMap<StageName, Uint8Array>): Uint8Array =>
  joined([...encoded].map(([name, bytes]) => part(name, bytes)))

export function stageOf(bytes: Uint8Array, name: StageName): Histogram | undefined {
  const encoded = encodedStageOf(bytes, name)
  return encoded && decodeHistogram(encoded)
}

function encodedStageOf(bytes: Uint8Array, name: StageName): Uint8Array | undefined {
  let found: Uint8Array | undefined
  eachStage(bytes, (stage, from, end) => {
    if (stage === name) found = bytes.subarray(from, end)
  })
  return found
}

export function unpackStages(bytes: Uint8Array): Stages {
  const stages: Stages = {}
  eachStage(bytes, (stage, from, end) => {
    stages[stage] = decodeHistogram(bytes.subarray(from, end))
  })
  return stages
}

/** Tells of each where its histogram begins and ends; what a later version added is passed over. */
export function eachStage(
  bytes: Uint8Array,
  visit: (stage: StageName, from: number, end: number) => void,
): void {
  for (let at = 0; at < bytes.length; ) {
    const from = at + HEAD_BYTES
    const end = from + (((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0))
    const stage = ALL[bytes[at] ?? 0]
    if (stage) visit(stage, from, end)
    at = end
  }
}

/** One is unpacked when it is read. */
export class PackedStages {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get firstByte() {
    return stageOf(this.#bytes, 'firstByte')
  }
  get total() {
    return stageOf(this.#bytes, 'total')
  }
  get readWait() {
    return stageOf(this.#bytes, 'readWait')
  }
  get handshake() {
    return stageOf(this.#bytes, 'handshake')
  }
}

// SPDX-License-Identifier: MIT
// The newest windows of one node as one piece of bytes: as objects, with bytes of their own for each window, those of ten
// thousand nodes took twice the memory, in a million pieces.
//
//   for each window: its length (4 bytes), when it ended (8 bytes), then varints: duration, totals, number of series, and
//   for each of these: generation, counters (place of the name, value), packed-stages.ts, and what it says of watched paths as
//   JSON, since it is there for the time of a rollout only
import { ByteReader, ByteWriter } from '../histogram/bytes.ts'
import type { HistogramSum } from '../histogram/sum.ts'
import { eachStage, packStages } from './packed-stages.ts'
import { countersOfWatched } from './watched-paths.ts'
import type { Counters, PlacedWindow, Series, StageName } from './windows.ts'

/** What is asked of every node again and again. */
export type WindowTotals = {
  durationMs: number
  requests: number
  errors: number
  clientErrors: number
  notFound: number
}
/** Its bytes stay as they are, whatever the node says next. */
export type KeptSeries = {
  endedAtMs: number
  generation: number
  counters: Counters
  stages: Uint8Array
}
type PackedSeries = {
  endedAtMs: number
  generation: number
  counters: Uint8Array
  stages: Uint8Array
  watched: Uint8Array
}
/** `until` is in it, `since` is not. */
type Span = { sinceMs: number; untilMs: number }

/** Those that somebody reads from memory; charts have the others from the disk. */
const KEPT_STAGES: readonly StageName[] = ['firstByte', 'total', 'readWait', 'handshake']
/** As totalsIn() reads them. */
const TOTALS = ['requests', 'responses5xx', 'responses4xx', 'responses404']
const HEAD_BYTES = 12
/** Of a node that invents names; as many as a step has (measured.ts). */
const MAX_COUNTER_NAMES = 256
/** Room for a window or two more, so that not every report moves all. */
const ROOM_STEP_BYTES = 1024

const body = new ByteWriter()
const part = new ByteWriter()

export class NodeWindows {
  #bytes = new Uint8Array(0)
  #used = 0
  /** Of counters, in the order of their places. */
  readonly #names: string[] = []

  get isEmpty(): boolean {
    return this.#used === 0
  }

  /** In the order in which they come. Those outside of the span are not kept, nor any that were. */
  add(windows: readonly PlacedWindow[], span: Span): void {
    const fresh = windows
      .filter(({ endedAtMs }) => isWithin(endedAtMs, span))
      .map((window) => ({ endedAtMs: window.endedAtMs, packed: this.#pack(window) }))
    this.keepWithin(span)
    const bytes = fresh.reduce((sum, { packed }) => sum + HEAD_BYTES + packed.length, 0)
    this.#resize(this.#used + bytes)
    const head = this.#head()
    for (const { endedAtMs, packed } of fresh) {
      head.setUint32(this.#used, packed.length)
      head.setFloat64(this.#used + 4, endedAtMs)
      this.#bytes.set(packed, this.#used + HEAD_BYTES)
      this.#used += HEAD_BYTES + packed.length
    }
  }

  /** Lets go of all others. */
  keepWithin(span: Span): void {
    let kept = 0
    this.#each((from, end, endedAtMs) => {
      if (!isWithin(endedAtMs, span)) return
      this.#bytes.copyWithin(kept, from, end)
      kept += end - from
    })
    this.#used = kept
  }

  totals(span: Span): WindowTotals[] {
    const found: WindowTotals[] = []
    this.#eachWithin(span, (reader) => found.push(totalsIn(reader)))
    return found
  }

  /** Histograms as histogram/encoding.ts has them, where they lie. */
  addStages(span: Span, sums: { readonly [stage in StageName]?: HistogramSum }): void {
    this.#eachSeries(span, ({ stages }) => {
      eachStage(stages, (stage, from, end) => sums[stage]?.addEncoded(stages, from, end))
    })
  }

  series(span: Span): KeptSeries[] {
    const found: KeptSeries[] = []
    this.#eachSeries(span, ({ endedAtMs, generation, counters, stages, watched }) => {
      const all = { ...this.#countersIn(counters), ...watchedIn(watched) }
      const own = { counters: all, stages: stages.slice() }
      found.push({ endedAtMs, generation, ...own })
    })
    return found
  }

  #pack({ durationMs, series }: PlacedWindow): Uint8Array {
    body.varint(durationMs)
    for (const counter of TOTALS) {
      const sum = series.reduce((n, { counters }) => n + (counters[counter] ?? 0), 0)
      body.varint(Math.min(sum, Number.MAX_SAFE_INTEGER))
    }
    body.varint(series.length)
    for (const { generation, counters, stages, watched } of series) {
      body.varint(generation)
      body.bytes(this.#packCounters(counters))
      body.bytes(packStages(stages, KEPT_STAGES))
      body.bytes(packWatched(watched))
    }
    return body.take()
  }

  #packCounters(counters: Counters): Uint8Array {
    let i = 0
    for (const name in counters) {
      const place = this.#placeOf(name, i++)
      if (place < 0) continue
      part.varint(place)
      part.varint(counters[name] ?? 0)
    }
    return part.take()
  }

  /** A node says its counters in the same order each time, but for those that are 0. -1: it has said too many. */
  #placeOf(name: string, likely: number): number {
    if (this.#names[likely] === name) return likely
    const known = this.#names.indexOf(name)
    if (known >= 0 || this.#names.length >= MAX_COUNTER_NAMES) return known
    return this.#names.push(name) - 1
  }

  #countersIn(bytes: Uint8Array): Counters {
    const counters: Counters = {}
    for (const reader = new ByteReader(bytes, 'kept counters'); !reader.isAtEnd; ) {
      const name = this.#names[reader.varint()] ?? ''
      counters[name] = reader.varint()
    }
    return counters
  }

  /** So that `bytes` have their place, and not several times more. */
  #resize(bytes: number): void {
    const isRoom = bytes <= this.#bytes.length && this.#bytes.length <= 2 * bytes + ROOM_STEP_BYTES
    if (isRoom) return
    const larger = new Uint8Array(Math.ceil((bytes + 1) / ROOM_STEP_BYTES) * ROOM_STEP_BYTES)
    larger.set(this.#bytes.subarray(0, this.#used))
    this.#bytes = larger
  }

  #eachSeries(span: Span, visit: (series: PackedSeries) => void): void {
    this.#eachWithin(span, (reader, endedAtMs) => {
      totalsIn(reader)
      for (let left = reader.varint(); left > 0; left--) {
        const generation = reader.varint()
        const [counters, stages, watched] = [reader.bytes(), reader.bytes(), reader.bytes()]
        visit({ endedAtMs, generation, counters, stages, watched })
      }
    })
  }

  #eachWithin(span: Span, visit: (reader: ByteReader, endedAtMs: number) => void): void {
    const reader = new ByteReader(this.#bytes, 'kept window')
    this.#each((from, end, endedAtMs) => {
      if (!isWithin(endedAtMs, span)) return
      reader.begin(this.#bytes, from + HEAD_BYTES, end)
      visit(reader, endedAtMs)
    })
  }

  #each(visit: (from: number, end: number, endedAtMs: number) => void): void {
    const head = this.#head()
    for (let from = 0; from < this.#used; ) {
      const end = from + HEAD_BYTES + head.getUint32(from)
      const endedAtMs = head.getFloat64(from + 4)
      visit(from, end, endedAtMs)
      from = end
    }
  }

  #head(): DataView {
    return new DataView(this.#bytes.buffer)
  }
}

const NOTHING = new Uint8Array(0)

const packWatched = (watched: Series['watched']): Uint8Array =>
  watched ? Buffer.from(JSON.stringify(watched)) : NOTHING

const watchedIn = (bytes: Uint8Array): Counters =>
  bytes.length === 0 ? {} : countersOfWatched(JSON.parse(Buffer.from(bytes).toString()))

/** What ended in the future did so before our clock was set back, who knows when. */
const isWithin = (endedAtMs: number, { sinceMs, untilMs }: Span): boolean =>
  endedAtMs > sinceMs && endedAtMs <= untilMs

const totalsIn = (reader: ByteReader): WindowTotals => ({
  durationMs: reader.varint(),
  requests: reader.varint(),
  errors: reader.varint(),
  clientErrors: reader.varint(),
  notFound: reader.varint(),
})

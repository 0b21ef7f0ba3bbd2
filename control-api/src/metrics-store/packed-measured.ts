// SPDX-License-Identifier: MIT
// What was measured in a step as one piece of bytes: one row of one table for each node and step, whatever was counted.
//
//   format (1), covered ms, gauges, number of generations, and for each: its number, covered ms, counters, packed-stages.ts
//
// Numbers are varints (histogram/bytes.ts). Gauges, counters and stages have their length before them, so who wants
// one stage steps over the rest. Names are numbers of the file's own (names.ts).
import { ByteReader, ByteWriter } from '../histogram/bytes.ts'
import type { HistogramSum } from '../histogram/sum.ts'
import type { Counted, Gauge, Gauges, Measured } from './measured.ts'
import type { Names } from './names.ts'
import { eachStage, packStages, unpackStages } from './packed-stages.ts'
import type { Counters, StageName } from './windows.ts'

const FORMAT = 1
const row = new ByteWriter()
const part = new ByteWriter()

export function packMeasured({ coveredMs, gauges, series }: Measured, names: Names): Uint8Array {
  row.varint(FORMAT)
  row.varint(coveredMs)
  row.bytes(packGauges(gauges, names))
  row.varint(series.size)
  for (const [generation, { coveredMs, counters, stages }] of series) {
    row.varint(generation)
    row.varint(coveredMs)
    row.bytes(packCounters(counters, names))
    row.bytes(packStages(stages))
  }
  return row.take()
}

function packGauges(gauges: Gauges, names: Names): Uint8Array {
  for (const [name, { sum, max, count }] of gauges) {
    const key = names.keyOf(name)
    if (key === null) continue
    part.varint(key)
    part.varint(count)
    part.number(sum)
    part.number(max)
  }
  return part.take()
}

function packCounters(counters: Counters, names: Names): Uint8Array {
  for (const [name, value] of Object.entries(counters)) {
    const key = names.keyOf(name)
    if (key === null) continue
    part.varint(key)
    part.varint(value)
  }
  return part.take()
}

/** A row as it was read: what nobody asks for is not unpacked. Throws a RangeError on bytes that are damaged. */
export class PackedMeasured {
  readonly coveredMs: number
  readonly series: readonly PackedSeries[]
  readonly #gauges: Uint8Array
  readonly #names: Names

  constructor(bytes: Uint8Array, names: Names) {
    if (bytes[0] !== FORMAT) {
      throw new RangeError(`stored step has format ${bytes[0] ?? 'none'}, expected ${FORMAT}`)
    }
    const reader = new ByteReader(bytes, 'stored step', 1)
    this.coveredMs = reader.varint()
    this.#gauges = reader.bytes()
    this.#names = names
    this.series = Array.from({ length: reader.varint() }, () => new PackedSeries(reader, names))
  }

  /** Throws a RangeError when they are damaged, having told of those before. */
  eachGauge(visit: (name: string, gauge: Gauge) => void): void {
    for (const reader = new ByteReader(this.#gauges, 'stored gauges'); !reader.isAtEnd; ) {
      const name = this.#names.nameOf(reader.varint())
      const count = reader.varint()
      const sum = reader.number()
      visit(name, { sum, max: reader.number(), count })
    }
  }

  gauges(): Gauges {
    const gauges: Gauges = new Map()
    this.eachGauge((name, gauge) => gauges.set(name, gauge))
    return gauges
  }

  unpack(): Measured {
    const series = this.series.map((one) => [one.generation, one.unpack()] as const)
    return { coveredMs: this.coveredMs, gauges: this.gauges(), series: new Map(series) }
  }
}

export class PackedSeries {
  readonly generation: number
  readonly coveredMs: number
  readonly #counters: Uint8Array
  readonly #stages: Uint8Array
  readonly #names: Names

  constructor(reader: ByteReader, names: Names) {
    this.generation = reader.varint()
    this.coveredMs = reader.varint()
    this.#counters = reader.bytes()
    this.#stages = reader.bytes()
    this.#names = names
  }

  /** Throws a RangeError when they are damaged, having told of those before. */
  eachCounter(visit: (name: string, value: number) => void): void {
    for (const reader = new ByteReader(this.#counters, 'stored counters'); !reader.isAtEnd; ) {
      visit(this.#names.nameOf(reader.varint()), reader.varint())
    }
  }

  counters(): Counters {
    const counters: Counters = {}
    this.eachCounter((name, value) => {
      counters[name] = value
    })
    return counters
  }

  /** Adds the histograms of all stages for which `sumOf` has a sum; one that is damaged is passed over. */
  addStages(sumOf: (stage: StageName) => HistogramSum | undefined): void {
    const stages = this.#stages
    eachStage(stages, (stage, from, end) => {
      const sum = sumOf(stage)
      if (sum) readable(() => sum.addEncoded(stages, from, end))
    })
  }

  unpack(): Counted {
    const { coveredMs } = this
    return { coveredMs, counters: this.counters(), stages: unpackStages(this.#stages) }
  }
}

/** undefined: its bytes are damaged. A row that the disk spoilt is a gap; it must not stop what comes after it. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

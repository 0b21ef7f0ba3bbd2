// SPDX-License-Identifier: MIT
// Bytes one after the other into a buffer that grows, and out of one: what is stored by the million is packed by hand.

/** LEB128 by arithmetic: counts reach 2^53 - 1 and bit operators stop at 2^32. */
export class ByteWriter {
  #bytes: Uint8Array
  #at = 0

  constructor(expectedBytes = 1024) {
    this.#bytes = new Uint8Array(expectedBytes)
  }

  varint(n: number): void {
    this.#reserve(8)
    let rest = n
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#at++] = rest
  }

  double(x: number): void {
    this.#reserve(8)
    DOUBLE.setFloat64(0, x, true)
    this.#bytes.set(EIGHT, this.#at)
    this.#at += 8
  }

  /** Any: whole numbers, which most are, as short as a varint. */
  number(x: number): void {
    if (Number.isInteger(x) && x >= 0 && x < LARGEST_HALVED) this.varint(2 * x)
    else {
      this.varint(NOT_WHOLE)
      this.double(x)
    }
  }

  /** With their length before them. */
  bytes(some: Uint8Array): void {
    this.varint(some.length)
    this.#reserve(some.length)
    this.#bytes.set(some, this.#at)
    this.#at += some.length
  }

  /** A copy of what was written; the next thing begins anew. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#at)
    this.#at = 0
    return taken
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const larger = new Uint8Array(2 * (this.#at + more))
    larger.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = larger
  }
}

const LARGEST_HALVED = 2 ** 52
const NOT_WHOLE = 1
const DOUBLE = new DataView(new ArrayBuffer(8))
const EIGHT = new Uint8Array(DOUBLE.buffer)

/** Throws a RangeError on what is cut short: `what` names it. */
export class ByteReader {
  readonly #what: string
  #bytes: Uint8Array
  #at: number
  #end: number

  constructor(bytes: Uint8Array, what: string, from = 0) {
    this.#what = what
    this.#bytes = bytes
    this.#at = from
    this.#end = bytes.length
  }

  /** What is left, for who reads it by itself: of `data` from `at` to `end`. */
  get left(): { data: Uint8Array; at: number; end: number } {
    return { data: this.#bytes, at: this.#at, end: this.#end }
  }

  /** Of these bytes from here on: of a day of a node ten thousand pieces are read, and no reader is made for each. */
  begin(bytes: Uint8Array, from: number, end: number): void {
    this.#bytes = bytes
    this.#at = from
    this.#end = Math.min(end, bytes.length)
  }

  varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at++] : undefined
      if (byte === undefined) throw this.cutShort()
      value += (byte % 128) * factor
      if (byte < 128) return value
    }
  }

  double(): number {
    this.#need(8)
    for (let i = 0; i < 8; i++) EIGHT[i] = this.#bytes[this.#at + i] ?? 0
    this.#at += 8
    return DOUBLE.getFloat64(0, true)
  }

  number(): number {
    const told = this.varint()
    return told === NOT_WHOLE ? this.double() : told / 2
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end
  }

  bytes(): Uint8Array {
    const length = this.varint()
    this.#need(length)
    const some = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return some
  }

  #need(length: number): void {
    if (this.#at + length > this.#end) throw this.cutShort()
  }

  /** To be thrown. */
  cutShort(): RangeError {
    return new RangeError(`${this.#what} is cut short`)
  }
}

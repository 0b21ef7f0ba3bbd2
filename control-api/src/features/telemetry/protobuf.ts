// SPDX-License-Identifier: MIT
// Protobuf's wire format, written and never read: field after field, a message within a message as counted bytes.
import { ByteWriter } from '../../histogram/bytes.ts'

const VARINT = 0
const FIXED_64 = 1
const COUNTED = 2

const UTF8 = new TextEncoder()

export class Message {
  readonly #writer = new ByteWriter(64)

  uint(field: number, value: number): this {
    this.#begin(field, VARINT)
    this.#writer.varint(value)
    return this
  }

  sint(field: number, value: number): this {
    return this.uint(field, zigzag(value))
  }

  double(field: number, value: number): this {
    this.#begin(field, FIXED_64)
    this.#writer.double(value)
    return this
  }

  text(field: number, value: string): this {
    return this.#bytes(field, UTF8.encode(value))
  }

  message(field: number, value: Message): this {
    return this.#bytes(field, value.take())
  }

  packedSints(field: number, values: readonly number[]): this {
    return this.#bytes(field, packed(values.map(zigzag)))
  }

  /** Its bytes; afterwards it is empty. */
  take(): Uint8Array {
    return this.#writer.take()
  }

  /** With its length before it, as one of several. */
  takeDelimited(): Uint8Array {
    this.#writer.bytes(this.#writer.take())
    return this.#writer.take()
  }

  #begin(field: number, kind: number): void {
    this.#writer.varint(field * 8 + kind)
  }

  #bytes(field: number, bytes: Uint8Array): this {
    this.#begin(field, COUNTED)
    this.#writer.bytes(bytes)
    return this
  }
}

/** Small numbers are short, whichever their sign. */
const zigzag = (n: number) => (n >= 0 ? 2 * n : -2 * n - 1)

function packed(values: readonly number[]): Uint8Array {
  const writer = new ByteWriter(2 * values.length)
  for (const value of values) writer.varint(value)
  return writer.take()
}

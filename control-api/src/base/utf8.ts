// SPDX-License-Identifier: MIT
// Bytes to text, or where they are none. Decoders put U+FFFD where they cannot read, and what is stored then
// is another text than the author's. Pure: farmctl reads files by it, too.

/** From 1; columns in UTF-16 units, as editors count. */
export type Fault = { line: number; column: number; what: string }
export type Decoded = { ok: true; text: string } | { ok: false; fault: Fault }

export function decodeUtf8(bytes: Uint8Array): Decoded {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  const again = Buffer.from(text, 'utf8')
  if (buffer.equals(again)) return { ok: true, text }
  const offset = firstFault(buffer, again)
  const before = buffer.subarray(0, offset).toString('utf8')
  const byte = (buffer[offset] ?? 0).toString(16).toUpperCase().padStart(2, '0')
  return { ok: false, fault: { ...endOf(before), what: `byte 0x${byte} is not UTF-8` } }
}

/** Half of a pair of surrogates is no character, so no UTF-8 holds it; null: there is none. */
export function loneSurrogate(text: string): Fault | null {
  if (text.isWellFormed()) return null
  return {
    ...endOf(text.slice(0, firstChange(text))),
    what: 'half of a surrogate pair is no character',
  }
}

/** PostgreSQL holds none in a text, and no text needs one; null: there is none. */
export function nulCharacter(text: string): Fault | null {
  const at = text.indexOf('\0')
  return at < 0 ? null : { ...endOf(text.slice(0, at)), what: 'a NUL character' }
}

const isUtf8 = (bytes: Buffer) => Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes)

/** Written again, a text differs from its bytes where one could not be read: at the beginning of that character. */
function firstFault(given: Buffer, again: Buffer): number {
  let at = 0
  while (given[at] === again[at]) at++
  // What began as U+FFFD does was cut off: back to its first byte.
  while (at > 0 && !isUtf8(given.subarray(0, at))) at--
  return at
}

function firstChange(text: string): number {
  const whole = text.toWellFormed()
  let at = 0
  while (text[at] === whole[at]) at++
  return at
}

function endOf(before: string): Pick<Fault, 'line' | 'column'> {
  const lines = before.split(/\r\n|\n|\r/)
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

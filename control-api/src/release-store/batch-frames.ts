// SPDX-License-Identifier: MIT
// Many contents in one body: before each a line that says which it is and how long, "SHA256 SIZE\n". Pure.

export type BatchLimits = { contents: number; contentBytes: number }
export type Framed = { sha256: string; bytes: Buffer }
/** `ok` false ends it: where the next content begins is not known any more. */
export type Frame = ({ ok: true } & Framed) | { ok: false; what: string }

const HEAD = /^([0-9a-f]{64}) (\d{1,10})$/
/** 64 digits, a space, ten digits. */
const HEAD_MOST_BYTES = 75
const NEWLINE = 0x0a

/** Holds one content and the piece that came last. */
export async function* framesOf(
  body: AsyncIterable<Buffer>,
  limits: BatchLimits,
): AsyncGenerator<Frame> {
  const pieces = body[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const { value, done } = await pieces.next()
    if (done) return false
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return true
  }
  for (let count = 0; ; count++) {
    let end = rest.indexOf(NEWLINE)
    while (end === -1 && rest.length <= HEAD_MOST_BYTES && (await more())) {
      end = rest.indexOf(NEWLINE)
    }
    if (end === -1 && rest.length === 0) return
    const where = `Content ${count + 1}`
    const [, sha256, digits] = HEAD.exec(rest.toString('latin1', 0, Math.max(end, 0))) ?? []
    if (sha256 === undefined) {
      return yield no(`${where} does not begin with a line of its SHA-256, a space and its size`)
    }
    if (count === limits.contents) return yield no(`There are more than ${limits.contents}`)
    const size = Number(digits)
    if (size > limits.contentBytes) {
      return yield no(`${where} has ${size} bytes, and one here has at most ${limits.contentBytes}`)
    }
    const bytes = Buffer.allocUnsafe(size)
    let filled = rest.copy(bytes, 0, end + 1)
    rest = rest.subarray(end + 1 + filled)
    while (filled < size) {
      if (!(await more())) return yield no(`${where} ends after ${filled} of ${size} bytes`)
      const copied = rest.copy(bytes, filled)
      filled += copied
      rest = rest.subarray(copied)
    }
    yield { ok: true, sha256, bytes }
  }
}

const no = (what: string): Frame => ({ ok: false, what })

// SPDX-License-Identifier: MIT
// The little of the tar format (POSIX ustar) that a backup needs: plain files in one folder. Anybody's
// `tar` reads what is written here; what is read here is only what was written here.

export type Member = { name: string; sizeBytes: number; content: AsyncIterable<Uint8Array> }
export type MemberTaker = (member: Member) => Promise<void>

const BLOCK = 512
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
/** What eleven octal digits hold. */
const MAX_BYTES = 0o77777777777

export async function* writeTar(
  members: Iterable<Member> | AsyncIterable<Member>,
): AsyncGenerator<Uint8Array> {
  for await (const { name, sizeBytes, content } of members) {
    if (!NAME.test(name) || sizeBytes > MAX_BYTES) {
      throw new Error(`${name} (${sizeBytes} bytes) cannot be a part of a backup`)
    }
    yield header(name, sizeBytes)
    let written = 0
    for await (const chunk of content) {
      written += chunk.length
      yield chunk
    }
    if (written !== sizeBytes) throw new Error(`${name} changed its size while it was read`)
    yield new Uint8Array(padding(sizeBytes))
  }
  yield new Uint8Array(2 * BLOCK)
}

/** Each member's content must be read before the taker resolves; what it left is skipped. */
export async function readTar(stream: AsyncIterable<Uint8Array>, take: MemberTaker): Promise<void> {
  const reader = new BlockReader(stream)
  for (;;) {
    const block = await reader.exactly(BLOCK)
    if (block.every((byte) => byte === 0)) break
    const { name, sizeBytes } = parseHeader(block)
    const content = reader.upTo(sizeBytes)
    await take({ name, sizeBytes, content })
    for await (const _ of content);
    await reader.exactly(padding(sizeBytes))
  }
  // To the end: only there the encryption says whether it was all.
  await reader.drain()
}

const padding = (sizeBytes: number) => (BLOCK - (sizeBytes % BLOCK)) % BLOCK
const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

function header(name: string, sizeBytes: number): Uint8Array {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0)
  block.write(octal(0o600, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(sizeBytes, 11), 124)
  block.write(octal(0, 11), 136)
  block.write('0', 156)
  block.write('ustar\0' + '00', 257)
  block.write(`${octal(checksum(block), 6)}\0 `, 148)
  return block
}

/** Of the header with blanks where the sum itself stands. */
function checksum(block: Buffer): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)
}

function parseHeader(bytes: Uint8Array): { name: string; sizeBytes: number } {
  const block = Buffer.from(bytes)
  const text = (from: number, to: number) =>
    block.toString('latin1', from, to).replace(/[\0 ].*$/s, '')
  const name = text(0, 100)
  const isPlain = text(257, 263) === 'ustar' && text(156, 157) === '0'
  const isWhole = Number.parseInt(text(148, 156), 8) === checksum(block)
  const sizeBytes = Number.parseInt(text(124, 136), 8)
  if (isPlain && isWhole && NAME.test(name) && sizeBytes >= 0) return { name, sizeBytes }
  throw new Error('what is inside is no backup of a control plane')
}

/** Takes a stream apart without ever holding more than one chunk and one block of it. */
class BlockReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Uint8Array = new Uint8Array()

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  async exactly(bytes: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of this.upTo(bytes)) parts.push(part)
    return Buffer.concat(parts)
  }

  async *upTo(bytes: number): AsyncGenerator<Uint8Array> {
    let left = bytes
    while (left > 0) {
      const chunk = await this.#next()
      if (!chunk) throw new Error('it ends too early')
      const part = chunk.subarray(0, left)
      this.#held = chunk.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async drain(): Promise<void> {
    while (await this.#next()) this.#held = new Uint8Array()
  }

  async #next(): Promise<Uint8Array | null> {
    while (this.#held.length === 0) {
      const { value, done } = await this.#chunks.next()
      if (done) return null
      this.#held = value
    }
    return this.#held
  }
}

// SPDX-License-Identifier: MIT
// A picture of the console as a PNG with a palette: less than half of what the browser writes, so that the repository does
// not grow by megabytes. Pages have few colours; those beyond 256 are edges of letters, which become one that nobody can tell from them.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const PALETTE = 3
/** In the file: behind its signature, and in the first chunk behind its name and sizes. */
const COLOUR_TYPE_AT = 25
const MOST_COLOURS = 256
/** The most frequent ones: of pages, panels, lines and letters, which nothing may mistake for each other. */
const GROUNDS = 32
/** As the browser writes them: eight bits for each of red, green, blue, and in some alpha; not interlaced. */
const BYTES_OF_PIXEL = { 2: 3, 6: 4 } as Record<number, number>

type Chunk = { type: string; data: Buffer }
/** Colours as 0xrrggbb, row by row. */
type Picture = { width: number; height: number; pixels: Uint32Array }

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    yield { type, data: png.subarray(at + 8, at + 8 + length) }
    at += 12 + length
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length)
  around.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)])
}

/** What a pixel is foretold from: those at its left, above, and both (PNG, section 9). */
function foretold(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  const [a, b, c] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs)
  if ((a ?? 0) <= (b ?? 0) && (a ?? 0) <= (c ?? 0)) return left
  return (b ?? 0) <= (c ?? 0) ? above : corner
}

function readPng(png: Buffer): Picture {
  const chunks = [...chunksOf(png)]
  const header = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(13)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const size = BYTES_OF_PIXEL[header[9] ?? 0]
  if (size === undefined || header[8] !== 8 || header[12] !== 0) {
    throw new Error('the browser wrote a PNG of a kind that is not known here')
  }
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  const raw = inflateSync(Buffer.concat(packed))
  const rowBytes = width * size
  const bytes = Buffer.alloc(height * rowBytes)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (rowBytes + 1)] ?? 0
    for (let x = 0; x < rowBytes; x++) {
      const at = y * rowBytes + x
      const left = x < size ? 0 : (bytes[at - size] ?? 0)
      const above = y === 0 ? 0 : (bytes[at - rowBytes] ?? 0)
      const corner = x < size || y === 0 ? 0 : (bytes[at - rowBytes - size] ?? 0)
      bytes[at] = (raw[y * (rowBytes + 1) + 1 + x] ?? 0) + foretold(filter, left, above, corner)
    }
  }
  const pixels = new Uint32Array(width * height)
  for (let i = 0; i < pixels.length; i++) pixels[i] = bytes.readUIntBE(i * size, 3)
  return { width, height, pixels }
}

/** As the comparison sees it (YIQ: green weighs more than blue), in levels of grey. */
function distance(a: number, b: number): number {
  const red = (a >> 16) - (b >> 16)
  const green = ((a >> 8) & 255) - ((b >> 8) & 255)
  const blue = (a & 255) - (b & 255)
  const y = 0.299 * red + 0.587 * green + 0.114 * blue
  const i = 0.596 * red - 0.274 * green - 0.322 * blue
  const q = 0.211 * red - 0.523 * green + 0.311 * blue
  return Math.sqrt(y * y + 0.592 * i * i + 0.387 * q * q)
}

const nearestIn = (palette: readonly number[], colour: number): number =>
  palette.reduce(
    (best, other, index) =>
      distance(colour, other) < distance(colour, palette[best] ?? 0) ? index : best,
    0,
  )

/** The grounds as they are, however alike, and of the rest those that are further than `apart` from all others; null: too many. */
function paletteOf(byCount: readonly number[], apart: number): number[] | null {
  const palette = byCount.slice(0, GROUNDS)
  for (const colour of byCount.slice(GROUNDS)) {
    if (palette.some((other) => distance(colour, other) <= apart)) continue
    if (palette.length === MOST_COLOURS) return null
    palette.push(colour)
  }
  return palette
}

/** All colours where they are few, else those from which the others are least away. */
function bestPaletteOf(pixels: Uint32Array) {
  const counts = new Map<number, number>()
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const byCount = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  let palette: number[] | null = null
  for (let apart = 0; palette === null; apart += 0.5) palette = paletteOf(byCount, apart)
  const chosen = palette
  return { palette, indexOf: new Map(byCount.map((one) => [one, nearestIn(chosen, one)])) }
}

/** Has a palette. */
export const isSmall = (png: Buffer): boolean => png[COLOUR_TYPE_AT] === PALETTE

export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels } = readPng(png)
  const { palette, indexOf } = bestPaletteOf(pixels)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, PALETTE], 8)
  const colours = Buffer.alloc(palette.length * 3)
  for (const [index, colour] of palette.entries()) colours.writeUIntBE(colour, index * 3, 3)
  const rows = Buffer.alloc(height * (width + 1))
  for (const [at, colour] of pixels.entries()) {
    rows[at + Math.floor(at / width) + 1] = indexOf.get(colour) ?? 0
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

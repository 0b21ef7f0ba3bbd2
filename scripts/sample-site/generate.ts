// SPDX-License-Identifier: MIT
// Makes the sample site: the same bytes on every machine.
//   node scripts/sample-site/generate.ts DIR [--pictures N]
// The folder appears whole or not at all; one that is there already is left as it is.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Canvas } from './canvas.ts'
import { type Picture, pictures } from './catalogue.ts'
import { paintLandscape } from './landscape.ts'
import { textFiles } from './pages.ts'
import { encodePng } from './png.ts'

const BIG_FILE = 'downloads/five-gibibytes.bin'
const BIG_FILE_BYTES = 5 * 1024 ** 3
/** Folder of each size, and how many pixels of the painting make one of it. */
const sizes = { full: 1, card: 2, mini: 8 }

function write(dir: string, path: string, contents: string | Uint8Array): void {
  const file = join(dir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, contents)
}

/** Sparse: it takes no room on the disk. */
function writeBigFile(dir: string): void {
  const file = join(dir, BIG_FILE)
  mkdirSync(dirname(file), { recursive: true })
  const fd = openSync(file, 'w')
  ftruncateSync(fd, BIG_FILE_BYTES)
  closeSync(fd)
}

function writeSizes(dir: string, picture: Picture, canvas: Canvas): void {
  for (const [size, shrink] of Object.entries(sizes)) {
    const { width, height, rgb } = canvas.toRgb(shrink)
    write(dir, `images/${size}/${picture.slug}.png`, encodePng(width, height, rgb))
  }
}

/**
 * Returns false when the site was there already. `pictureCount` leaves out images (not pages): the
 * browser tests need no more than a few.
 */
export function generateSite(dir: string, pictureCount = pictures.length): boolean {
  if (existsSync(dir)) return false
  const partial = `${dir}.partial`
  rmSync(partial, { recursive: true, force: true })
  for (const [path, text] of textFiles()) write(partial, path, text)
  for (const picture of pictures.slice(0, pictureCount)) {
    writeSizes(partial, picture, paintLandscape(picture))
  }
  writeBigFile(partial)
  renameSync(partial, dir)
  return true
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { pictures: { type: 'string' } },
  })
  const [dir] = positionals
  if (!dir) {
    process.stderr.write('usage: node scripts/sample-site/generate.ts DIR [--pictures N]\n')
    process.exit(2)
  }
  const count = values.pictures === undefined ? pictures.length : Number(values.pictures)
  const isNew = generateSite(dir, count)
  process.stdout.write(isNew ? `${dir}: generated\n` : `${dir}: is there already, left as it is\n`)
}

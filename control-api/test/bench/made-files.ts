// SPDX-License-Identifier: MIT
// Files for a release of a size that is asked for, and manifests of more files than a bench would put on a disk.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** What most files of a site are: pages, icons. The others have the rest of the bytes. */
const SMALL_BYTES = 8 * 1024
const LARGE_EVERY = 10
const PER_FOLDER = 500
/** So that a million have not more bytes together than a release may have. */
const MOST_SIZE = 100_000
/** ext4 takes 65,000 names of one file. */
const NAMES_OF_ONE = 1_000

const digestOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const digits = (number: number) => String(number).padStart(7, '0')
export const pathOf = (file: number): string =>
  `d${digits(Math.floor(file / PER_FOLDER))}/f${digits(file)}.bin`

export const isSmall = (file: number) => file % LARGE_EVERY !== 0

/** Each file has bytes of its own. */
export async function makeFiles(
  root: string,
  { files, bytes }: { files: number; bytes: number },
): Promise<void> {
  const small = Math.min(SMALL_BYTES, Math.floor(bytes / files))
  const larges = Math.ceil(files / LARGE_EVERY)
  const large = Math.max(1, Math.floor((bytes - (files - larges) * small) / larges))
  for (let file = 0; file < files; file++) {
    if (file % PER_FOLDER === 0) await makeRoom(root, file)
    writeFileSync(join(root, pathOf(file)), randomBytes(isSmall(file) ? small : large))
  }
}

/** Of these the bytes are others from now on. */
export function changeFiles(root: string, changed: readonly number[]): void {
  for (const file of changed) writeFileSync(join(root, pathOf(file)), randomBytes(SMALL_BYTES))
}

/** Many names of few files: to walk and to hash they are as many files. */
export async function makeManyNames(root: string, names: number): Promise<void> {
  let first = ''
  for (let file = 0; file < names; file++) {
    if (file % PER_FOLDER === 0) await makeRoom(root, file)
    const path = join(root, pathOf(file))
    if (file % NAMES_OF_ONE === 0) {
      writeFileSync(path, `${file}\n`)
      first = path
    } else linkSync(first, path)
  }
}

/** Others have a turn: connections that ended meanwhile are seen to have. */
async function makeRoom(root: string, file: number): Promise<void> {
  mkdirSync(join(root, pathOf(file), '..'), { recursive: true })
  await setImmediate()
}

export type Made = { path: string; sha256: string; bytes: number }

/** A manifest of so many files with contents that nobody has; `other`: of each hundredth file, other ones. */
export async function writeManifestText(path: string, files: number, other = ''): Promise<Made> {
  const out = createWriteStream(path)
  const hash = createHash('sha256')
  let bytes = 0
  for (let file = 0; file < files; file++) {
    const sha256 = digestOf(`${file % 100 === 0 ? other : ''} ${file}`)
    const line = `{"mode":"644","path":"${pathOf(file)}","sha256":"${sha256}","size":${file % MOST_SIZE},"type":"file"}\n`
    hash.update(line)
    bytes += line.length
    if (!out.write(line)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  return { path, sha256: hash.digest('hex'), bytes }
}

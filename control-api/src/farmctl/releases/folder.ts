// SPDX-License-Identifier: MIT
// Walks a folder in the order of a manifest, and hashes some files ahead of the one that is due.
import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { open, readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../failures.ts'
import { type Found, modeText, targetOf } from './tree.ts'

const HASHED_AHEAD = 8
const CHUNK_BYTES = 1024 * 1024

export async function* walkFolder(
  root: string,
  isExcluded: (path: string) => boolean = () => false,
): AsyncGenerator<Found> {
  const ahead: Promise<Found>[] = []
  for await (const { found } of walk(root, '', isExcluded)) {
    ahead.push(found)
    // Who fails is told of when it is due, and not before.
    found.catch(() => {})
    const due = ahead.length > HASHED_AHEAD ? ahead.shift() : undefined
    if (due) yield await due
  }
  for (const due of ahead) yield await due
}

/** Within something else: an async generator waits for a promise that it hands out. */
type Due = { found: Promise<Found> }

async function* walk(
  root: string,
  below: string,
  isExcluded: (path: string) => boolean,
): AsyncGenerator<Due> {
  const names = await readdir(join(root, below), { withFileTypes: true, encoding: 'buffer' })
  names.sort((a, b) => Buffer.compare(a.name, b.name))
  for (const one of names) {
    const name = one.name.toString('utf8')
    const path = below === '' ? name : `${below}/${name}`
    if (isExcluded(path)) continue
    if (!Buffer.from(name).equals(one.name)) {
      yield { found: Promise.resolve({ path, fault: 'has a name that is not UTF-8' }) }
    } else if (one.isDirectory()) yield* walk(root, path, isExcluded)
    else yield { found: find(root, path, one) }
  }
}

async function find(root: string, path: string, one: Dirent<Buffer>): Promise<Found> {
  if (one.isSymbolicLink()) {
    const target = await readlink(join(root, path))
    return { entry: { path, type: 'link', target: targetOf(target) } }
  }
  if (!one.isFile()) {
    return { path, fault: 'is neither a file nor a link nor a folder, so nobody can serve it' }
  }
  const { sha256, size, mode } = await hashFile(join(root, path))
  return { entry: { path, type: 'file', mode: modeText(mode), size, sha256 } }
}

/** Size and digest are of the same bytes: those that were read. */
async function hashFile(path: string): Promise<{ sha256: string; size: number; mode: number }> {
  const file = await open(path, 'r')
  try {
    const { mode, size: expected } = await file.stat()
    const hash = createHash('sha256')
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, expected + 1))
    let size = 0
    for (let bytesRead = chunk.length; bytesRead === chunk.length; size += bytesRead) {
      bytesRead = (await file.read(chunk, 0, chunk.length, size)).bytesRead
      hash.update(chunk.subarray(0, bytesRead))
    }
    return { sha256: hash.digest('hex'), size, mode }
  } finally {
    await file.close()
  }
}

export async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Failure(`${path}: there is no such folder or file.`)
    throw error
  })
  return stats.isDirectory()
}
